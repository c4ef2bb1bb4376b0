"""The execution's `downloads` goes from pending over in progress to success or failed."""

import asyncio

import pytest

from pagehand.engine.run.files import Downloads, ended_downloads
from pagehand.errors import WorkerLost
from pagehand.records import DownloadState, DownloadStatus, FileInfo

pytestmark = pytest.mark.anyio

INFO = FileInfo("file_1", "org_1", "exec_1", "report.csv", "text/csv", 5, "org_1/exec_1/file_1", 1)


class Row:
    """What was written of downloads, one write at a time."""

    def __init__(self) -> None:
        self.written: list[DownloadState] = []
        self.is_lost = False

    async def __call__(self, state: DownloadState) -> None:
        await asyncio.sleep(0.01)
        if self.is_lost:
            raise WorkerLost
        self.written.append(state)

    @property
    def statuses(self) -> list[str]:
        return [item.status for item in self.written]


async def test_a_download_is_pending_then_in_progress_then_a_success() -> None:
    row = Row()
    downloads = Downloads(row)
    assert downloads.state is None
    for event in ("download.expected", "download.began"):
        downloads.on_browser_event(event, "said")
        await asyncio.sleep(0.03)
    await downloads.add(INFO)
    assert row.statuses == ["pending", "in_progress", "success"]
    assert [file.name for file in row.written[-1].files] == ["report.csv"]
    assert row.written[-1].message is None


async def test_a_failed_download_says_why_and_keeps_the_files_before_it() -> None:
    row = Row()
    downloads = Downloads(row)
    await downloads.add(INFO)
    downloads.on_browser_event("download.failed", "No download began.")
    await asyncio.sleep(0.05)
    assert downloads.state == row.written[-1]
    assert (row.statuses[-1], row.written[-1].message) == ("failed", "No download began.")
    assert len(row.written[-1].files) == 1


async def test_the_newest_state_is_written_last_however_fast_they_come() -> None:
    row = Row()
    downloads = Downloads(row)
    for _ in range(20):
        downloads.on_browser_event("download.expected", "")
        downloads.on_browser_event("download.began", "")
    await downloads.add(INFO)
    assert row.statuses[-1] == "success"
    assert len(row.written) < 10


async def test_other_events_are_no_matter() -> None:
    downloads = Downloads(Row())
    downloads.on_browser_event("page.opened", "x")
    assert downloads.state is None


async def test_a_worker_that_lost_its_claim_leaves_no_trace() -> None:
    row = Row()
    row.is_lost = True
    downloads = Downloads(row)
    await downloads.add(INFO)
    assert row.written == []


@pytest.mark.parametrize("status", ["pending", "in_progress"])
def test_an_execution_that_ends_first_fails_its_download(status: DownloadStatus) -> None:
    ended = ended_downloads(DownloadState(status=status, files=[]))
    assert ended is not None
    assert (ended.status, bool(ended.message)) == ("failed", True)


@pytest.mark.parametrize(
    "state", [None, DownloadState(status="success", files=[]), DownloadState(status="failed", files=[])]
)
def test_a_download_that_is_over_stays_as_it_is(state: DownloadState | None) -> None:
    assert ended_downloads(state) == state

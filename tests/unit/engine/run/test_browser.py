"""The browser of one execution: opened once, pictured within limits, and closed whatever happens."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec import json

from pagehand.browser import BrowserSession
from pagehand.browser_session import BrowserRequest
from pagehand.clock import now_ms
from pagehand.engine.reporting.events import EventLog
from pagehand.engine.run import browser as browser_module
from pagehand.engine.run import files as files_module
from pagehand.engine.run.browser import RunBrowser
from pagehand.engine.run.files import Downloads, ExecutionFiles
from pagehand.engine.signals import Signals
from pagehand.errors import BlockFailed, BrowserLost, TooLarge
from pagehand.page.phrases import Snapshot
from pagehand.page.phrases.snapshot import FrameSnapshot
from pagehand.records import DownloadState, Execution, Status
from pagehand.secrets.redactor import Redactor
from pagehand.testing import BlankBrowser, Harness
from support.attempts import events_of

pytestmark = pytest.mark.anyio


class FakeSession(BlankBrowser):
    """A browser whose page can be pictured, or cannot."""

    def __init__(self) -> None:
        super().__init__()
        self.shot: bytes | None = b"jpeg"
        self.snapshot: Callable[[], Awaitable[Any]] = self._words
        self.ended = 0

    async def screenshot(self) -> bytes | None:
        return self.shot

    async def take_snapshot(self) -> Any:
        return await self.snapshot()

    async def _words(self) -> Any:
        return Snapshot([FrameSnapshot(0, "hunter22", [], [])])

    async def end(self, *, keep_browser: bool = False) -> None:
        del keep_browser
        self.ended += 1


class Run:
    """A run that was claimed, as far as its browser goes."""

    def __init__(self, harness: Harness, execution: Execution) -> None:
        self.harness, self.execution = harness, execution
        self.session = FakeSession()
        self.requests: list[BrowserRequest] = []
        self.served: list[str] = []
        self.reported: list[str] = []
        self.states: list[DownloadState] = []
        self.signals = Signals(_ignored)
        self.event_log = EventLog(harness.stores.events, execution.id, Redactor(), 0)
        self.downloads = Downloads(self._saved)
        services = harness.services
        self.files = ExecutionFiles(
            execution, services.stores.files, services.file_bytes, services.describe_file, self.downloads
        )
        self.browser = RunBrowser(
            execution,
            self._open,
            self.files,
            self.downloads,
            self.event_log,
            self.signals,
            self._serve,
            lambda type_, _message, _data: self.reported.append(type_),
            lambda: None,
        )

    async def _open(self, request: BrowserRequest) -> BrowserSession:
        self.requests.append(request)
        await asyncio.sleep(0.01)
        return cast("BrowserSession", self.session)

    async def _serve(self, session: BrowserSession, session_id: str) -> None:
        assert session is cast("BrowserSession", self.session)
        self.served.append(session_id)

    async def _saved(self, state: DownloadState) -> None:
        self.states.append(state)

    async def events(self) -> list[str]:
        await self.event_log.close()
        return [event.type for event in await events_of(self.harness, self.execution)]


async def _ignored(_status: Status, _reason: str) -> None: ...


@pytest.fixture
async def run(harness: Harness) -> AsyncGenerator[Run]:
    made = await harness.accept(await harness.add_workflow({"type": "Wait", "data": {"durationMs": 1}}))
    claimed = await harness.stores.executions.claim(made.id, at=now_ms(), token="mine")
    assert claimed is not None
    run = Run(harness, claimed)
    yield run
    await run.event_log.close()


async def test_blocks_that_want_it_at_once_get_one_browser(run: Run) -> None:
    await asyncio.gather(run.browser.open(), run.browser.open())
    [request] = run.requests
    assert (request.execution_id, request.browser_session_id) == (
        run.execution.id,
        run.execution.browser_session_id,
    )
    assert run.served == [run.browser.session_id]


async def test_a_picture_is_readable_under_its_key_once_the_run_is_over(run: Run) -> None:
    assert await run.browser.picture() is None  # nothing is open yet
    await run.browser.open()
    key = await run.browser.picture()
    assert key is not None
    await run.browser.close()
    assert await run.harness.file_store.read(key) == b"jpeg"
    run.session.shot = None
    assert await run.browser.picture() is None


async def test_pictures_that_look_the_same_are_stored_once(run: Run) -> None:
    await run.browser.open()
    first, same = await run.browser.picture(), await run.browser.picture()
    run.session.shot = b"other"
    other = await run.browser.picture()
    await run.browser.store_pictures()
    assert first == same != other
    assert list(run.harness.file_store.content.values()) == [b"jpeg", b"other"]


async def test_another_worker_shares_no_picture_with_the_one_before(run: Run) -> None:
    await run.browser.open()
    before = await run.browser.picture()
    run.execution.fence += 1
    assert await run.browser.picture() != before


async def test_without_room_for_pictures_the_run_goes_on_and_says_so_once(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "MAX_PICTURE_BYTES", 6)
    await run.browser.open()
    for shot in (b"first", b"second", b"third"):
        run.session.shot = shot
        await run.browser.picture()
    await run.browser.close()
    assert list(run.harness.file_store.content.values()) == [b"first"]
    assert (await run.events()).count("pictures.limit") == 1


async def test_a_disk_that_is_full_does_not_keep_the_browser_alive(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(run.harness.file_store, "put", full)
    await run.browser.open()
    await run.browser.picture()
    await run.browser.close()
    await run.browser.close()
    assert run.session.ended == 1


async def test_what_words_mean_on_the_page_is_kept_without_secrets(run: Run) -> None:
    await run.browser.open()
    key = await run.browser.page_snapshot(Redactor(["hunter22"]).value)
    assert key is not None
    await run.browser.close()
    kept = json.decode(await run.harness.file_store.read(key), type=Snapshot)
    assert [frame.selector for frame in kept.frames] == ["***"]


async def test_what_a_very_large_page_shows_is_left_out(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    await run.browser.open()
    monkeypatch.setattr(browser_module, "_SNAPSHOT_CANDIDATES", -1)
    assert await run.browser.page_snapshot(lambda seen: seen) is None


@pytest.mark.parametrize("trouble", [TimeoutError(), BlockFailed("The page is on its way elsewhere.")])
async def test_a_page_that_cannot_say_what_it_shows_is_left_out(run: Run, trouble: Exception) -> None:
    async def breaks() -> Any:
        raise trouble

    assert await run.browser.page_snapshot(lambda seen: seen) is None
    await run.browser.open()
    run.session.snapshot = breaks
    assert await run.browser.page_snapshot(lambda seen: seen) is None
    assert run.harness.file_store.content == {}


async def test_a_page_that_just_failed_is_known_by_its_address_at_least(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def breaks(script: str) -> str:
        raise RuntimeError(script)

    assert await run.browser.describe_page() == ("", "")
    await run.browser.open()
    assert await run.browser.describe_page() == ("about:blank", "")
    monkeypatch.setattr(run.session.page, "evaluate", breaks)
    assert await run.browser.describe_page() == ("about:blank", "")


async def test_a_browser_that_dies_ends_the_run_and_says_why(run: Run) -> None:
    await run.browser.open()
    assert run.browser.lost_reason() is None
    run.session.lost.set_result("Chromium died.")
    await asyncio.sleep(0)
    assert run.signals.stop is not None
    lost = run.browser.lost_reason()
    assert isinstance(lost, BrowserLost)
    assert (lost.message, run.signals.stop.reason) == ("Chromium died.", "Chromium died.")
    assert await run.browser.describe_page() == ("", "")
    assert await run.browser.page_snapshot(lambda seen: seen) is None


async def test_a_browser_that_we_close_does_not_end_the_run(run: Run) -> None:
    await run.browser.close()  # there was none
    await run.browser.open()
    await run.browser.end_session()
    run.session.lost.set_result("closed")
    await asyncio.sleep(0)
    assert run.signals.stop is None


async def test_a_download_becomes_a_file_of_the_execution(run: Run, tmp_path: Path) -> None:
    await run.browser.open()
    [request] = run.requests
    written = tmp_path / "part"
    written.write_bytes(b"a;b")
    request.report("download.expected", "A download is expected", {})
    info = await request.save_file(written, "report.csv", "text/csv")
    await request.save_file(b"%PDF", "report.pdf", "application/pdf")
    assert await run.files.read(info) == b"a;b"
    assert not written.exists()
    assert run.downloads.state is not None
    assert [file.name for file in run.downloads.state.files] == ["report.csv", "report.pdf"]
    assert (run.states[-1].status, run.reported) == ("success", ["download.expected"])
    assert "download.expected" in await run.events()


async def test_a_file_that_there_is_no_room_for_is_refused_before_it_is_written(harness: Harness) -> None:
    async def full(organization_id: str, size: int) -> None:
        assert organization_id == harness.organization_id
        raise TooLarge(f"{size} bytes more do not fit.")

    services = harness.services
    execution = await harness.accept(await harness.add_workflow({"type": "Wait", "data": {"durationMs": 1}}))
    files = ExecutionFiles(
        execution, services.stores.files, services.file_bytes, services.describe_file, check_room=full
    )
    with pytest.raises(TooLarge, match="3 bytes more"):
        await files.save("a.txt", "text/plain", b"abc")
    assert harness.file_store.content == {}

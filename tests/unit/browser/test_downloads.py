"""Files that pages offer: kept under a safe name, limited in size, cancelled when nobody waits."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from playwright.async_api import Download
from playwright.async_api import Error as PlaywrightError

from pagehand.browser import downloads as downloads_module
from pagehand.browser.downloads import Downloads
from pagehand.errors import BlockFailed, LimitReached, NotPresent, TimedOut
from pagehand.records import FileInfo

pytestmark = pytest.mark.anyio
URL = "https://portal.example/claims.pdf"


class ScriptedDownload:
    """A download that writes `content`, or stops where `holds` says so."""

    def __init__(self, folder: Path, content: bytes = b"%PDF", name: str = "claims.pdf") -> None:
        self.file = folder / "part"
        self.content = content
        self.suggested_filename = name
        self.url = URL
        self.page = SimpleNamespace(context=SimpleNamespace(browser=None))
        self.holds = False
        self.fails_with = ""
        self.was_cancelled = asyncio.Event()

    async def path(self) -> Path:
        self.file.write_bytes(self.content)
        if self.holds:
            await self.was_cancelled.wait()
            raise PlaywrightError("canceled")
        if self.fails_with:
            raise PlaywrightError("Download failed")
        return self.file

    async def failure(self) -> str:
        return self.fails_with

    async def cancel(self) -> None:
        self.was_cancelled.set()


class SavedFiles:
    """The files that a session's downloads save, and their reports."""

    def __init__(self, folder: Path | None) -> None:
        self.files: list[tuple[str, str, bytes]] = []
        self.reported: list[tuple[str, str]] = []
        self.folder = folder or Path("/nonexistent")
        self.downloads = Downloads(folder, self.save, self.report)

    def left_over(self) -> list[Path]:
        return list(self.folder.iterdir())

    async def save(self, content: Path | bytes, name: str, mime: str) -> FileInfo:
        data = content if isinstance(content, bytes) else content.read_bytes()  # noqa: ASYNC240 - a few bytes
        self.files.append((name, mime, data))
        return FileInfo("file_1", "org", "exec", name, mime, len(data), name, 0)

    def report(self, event: str, message: str, data: Mapping[str, Any]) -> None:
        del data
        self.reported.append((event, message))

    async def expect(
        self, download: ScriptedDownload | None, *, seconds: float = 5, name: str | None = None
    ) -> FileInfo:
        async def start() -> None:
            if download is not None:
                self.downloads.began(cast("Download", download))

        async def fetch(url: str) -> FileInfo:
            raise AssertionError(url)

        return await self.downloads.expect(start, fetch, timeout_seconds=seconds, file_name=name)

    async def take_unexpected(self, download: ScriptedDownload, seconds: float = 5) -> None:
        self.downloads.began(cast("Download", download))
        await self.downloads.settle(seconds)


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SavedFiles:
    monkeypatch.setattr(downloads_module, "_WATCH_SECONDS", 0.005)
    return SavedFiles(tmp_path)


async def test_an_expected_download_is_kept_under_its_name_and_leaves_no_copy(
    saved: SavedFiles, tmp_path: Path
) -> None:
    info = await saved.expect(ScriptedDownload(tmp_path))
    assert saved.files == [("claims.pdf", "application/pdf", b"%PDF")]
    assert info.name == "claims.pdf"
    assert saved.left_over() == []


async def test_a_name_that_the_block_gives_replaces_that_of_the_site(
    saved: SavedFiles, tmp_path: Path
) -> None:
    assert (await saved.expect(ScriptedDownload(tmp_path), name="../mine.csv")).name == "mine.csv"


async def test_a_click_that_starts_no_download_is_not_present(saved: SavedFiles) -> None:
    with pytest.raises(NotPresent, match=r"No download began within 0.01 s"):
        await saved.expect(None, seconds=0.01)
    assert saved.reported[-1] == (
        "download.failed",
        "A download did not finish: it did not arrive in time",
    )


async def test_a_download_that_takes_too_long_is_called_off_so_that_it_does_not_fill_the_disk(
    saved: SavedFiles, tmp_path: Path
) -> None:
    slow = ScriptedDownload(tmp_path)
    slow.holds = True
    with pytest.raises(TimedOut, match=r"did not finish within 0.02 s"):
        await saved.expect(slow, seconds=0.02)
    assert slow.was_cancelled.is_set()


async def test_a_download_that_nobody_asked_for_is_called_off_when_the_session_ends(
    saved: SavedFiles, tmp_path: Path
) -> None:
    slow = ScriptedDownload(tmp_path)
    slow.holds = True
    await saved.take_unexpected(slow, seconds=0.02)
    assert slow.was_cancelled.is_set()


async def test_a_download_that_outgrows_the_limit_is_stopped_while_it_grows(
    saved: SavedFiles, tmp_path: Path
) -> None:
    saved.downloads.max_bytes = 10
    large = ScriptedDownload(tmp_path, b"x" * 11)
    large.holds = True
    with pytest.raises(BlockFailed, match="is larger than the limit"):
        await saved.expect(large)
    assert large.was_cancelled.is_set()
    assert saved.files == []


async def test_a_finished_download_over_the_limit_is_not_kept(saved: SavedFiles, tmp_path: Path) -> None:
    saved.downloads.max_bytes = 3
    with pytest.raises(BlockFailed, match="is larger than the limit"):
        await saved.expect(ScriptedDownload(tmp_path))
    assert (saved.files, saved.left_over()) == ([], [])


async def test_a_download_for_which_there_is_no_room_is_stopped_with_that_reason(
    saved: SavedFiles, tmp_path: Path
) -> None:
    async def no_room(size: int) -> None:
        raise LimitReached(f"no room for {size} bytes")

    saved.downloads.check_room = no_room
    large = ScriptedDownload(tmp_path)
    large.holds = True
    with pytest.raises(LimitReached, match="no room for 4 bytes"):
        await saved.expect(large)


async def test_files_that_vanish_while_sizes_are_looked_at_do_not_end_the_watch(
    saved: SavedFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    real = Path.stat

    def stat(path: Path, **options: Any) -> Any:
        nonlocal looks
        if path.name == "part":
            looks += 1
            if looks == 1:
                raise FileNotFoundError(path)
        return real(path, **options)

    monkeypatch.setattr(Path, "stat", stat)
    saved.downloads.max_bytes = 3
    large = ScriptedDownload(tmp_path)
    large.holds = True
    with pytest.raises(BlockFailed, match="is larger than the limit"):
        await saved.expect(large)


@pytest.mark.parametrize(("fails_with", "reason"), [("net::ERR_ABORTED", "net::ERR_ABORTED")])
async def test_a_download_that_breaks_off_is_reported_with_the_reason(
    saved: SavedFiles, tmp_path: Path, fails_with: str, reason: str
) -> None:
    broken = ScriptedDownload(tmp_path)
    broken.fails_with = fails_with
    await saved.take_unexpected(broken)
    assert saved.reported[-1][0] == "download.failed"
    assert reason in saved.reported[-1][1]


async def test_a_download_that_nobody_asked_for_is_kept_and_reported(
    saved: SavedFiles, tmp_path: Path
) -> None:
    await saved.take_unexpected(ScriptedDownload(tmp_path))
    assert saved.reported == [
        ("download.began", "`claims.pdf` is being downloaded."),
        ("download.finished", "`claims.pdf` was downloaded."),
    ]


async def test_only_the_first_of_two_downloads_is_the_expected_one(saved: SavedFiles, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    second = ScriptedDownload(tmp_path / "other", b"2", "second.txt")
    first = ScriptedDownload(tmp_path, b"1", "first.txt")

    async def start() -> None:
        saved.downloads.began(cast("Download", first))
        saved.downloads.began(cast("Download", second))

    async def fetch(url: str) -> FileInfo:
        raise AssertionError(url)

    info = await saved.downloads.expect(start, fetch, timeout_seconds=5, file_name=None)
    await saved.downloads.settle(5)
    assert info.name == "first.txt"
    assert {name for name, _, _ in saved.files} == {"first.txt", "second.txt"}


async def test_a_download_on_another_machine_that_cannot_be_read_says_what_to_do() -> None:
    saved = SavedFiles(None)
    elsewhere = ScriptedDownload(Path("/nonexistent/of-another-machine"))

    async def path() -> Path:
        return elsewhere.file

    elsewhere.path = path  # pyright: ignore[reportAttributeAccessIssue] - written there, not here
    await saved.take_unexpected(elsewhere)
    assert saved.reported[-1][0] == "download.failed"
    assert "disk of the remote browser" in saved.reported[-1][1]
    assert "DownloadFile with `url`" in saved.reported[-1][1]

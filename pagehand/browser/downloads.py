"""Files a page hands out: waited for, limited in size, given a safe name and kept."""

import asyncio
import contextlib
import mimetypes
import re
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from playwright.async_api import CDPSession, Download, Frame, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.dialogs import Report
from pagehand.browser.interception import intercepted
from pagehand.browser.remote_files import remote_file
from pagehand.errors import BlockFailed, NotPresent, PagehandError, SiteDown, TimedOut
from pagehand.records import FileInfo

CheckRoom = Callable[[int], Awaitable[None]]
"""Fails when there is no room for so many bytes."""
SaveFile = Callable[[Path | bytes, str, str], Awaitable[FileInfo]]
"""Keeps a file of the execution: its bytes or where they lie, its name, its type."""

_UNSAFE: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')
_NAME_BYTES: Final = 200
_WATCH_SECONDS: Final = 0.5
_CANCEL_SECONDS: Final = 2.0
_ROOM_EVERY_BYTES: Final = 4_000_000
# browsers show text, JSON, pictures and PDF in a document of their own making
_SHOWS_A_PAGE: Final = "() => /html|^$/.test(document.contentType) || !/^https?:/.test(location.protocol)"
_UNREADABLE: Final = (
    "`{}` was downloaded to the disk of the remote browser and cannot be read from there: use DownloadFile "
    "with `url`, or a folder that both machines mount."
)
_CLIENT_ERROR: Final = 400
_SERVER_ERROR: Final = 500


def safe_name(name: str, fallback: str = "download") -> str:
    """A file name without path parts or characters that file systems refuse."""
    last = re.split(r"[/\\]", name.strip())[-1]
    cleaned = _UNSAFE.sub("_", last).strip(" .")
    if not cleaned or set(cleaned) <= {"_", "."}:
        return fallback
    stem, dot, ending = cleaned.rpartition(".")
    if dot and len(ending) <= 10:  # noqa: PLR2004 - longer than any real ending
        return _cut(stem, _NAME_BYTES - len(ending.encode()) - 1) + "." + ending
    return _cut(cleaned, _NAME_BYTES)


def _cut(text: str, limit: int) -> str:
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")


def mime_of(name: str) -> str:
    """The type that a file's name promises."""
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


async def has_room(_: int) -> None:
    """For sessions whose files nobody counts."""


class Downloads:
    """Keeps every file that a page of the session hands out, expected or not."""

    def __init__(self, folder: Path | None, save: SaveFile, report: Report) -> None:
        """`folder` is where the browser puts its half-finished files."""
        self._folder = folder
        self._save = save
        self._report = report
        self.max_bytes = 1_000_000_000
        """The largest file that is kept."""
        self.check_room: CheckRoom = has_room
        self._expected: asyncio.Future[Download | Page] | None = None
        self._keeping: set[asyncio.Task[None]] = set()

    def began(self, download: Download) -> None:
        """Take in a download that has just begun."""
        self._report("download.began", f"`{download.suggested_filename}` is being downloaded.", {})
        if self._expected is not None and not self._expected.done():
            self._expected.set_result(download)
            return
        task = asyncio.ensure_future(self._keep_unexpected(download))
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)

    async def arrived(self, frame: Frame) -> None:
        """Take in that a frame has a new document."""
        if frame.parent_frame is None:
            await self.opened(frame.page)

    async def opened(self, page: Page) -> None:
        """Take in that a tab has a new document: if it is a file and one is expected, this is it."""
        # only a click that was to download something may have opened the file in the tab instead
        if (expected := self._expected) is None:
            return
        # a tab that moves on again or closes shows no file
        with contextlib.suppress(PlaywrightError):
            if not await page.evaluate(_SHOWS_A_PAGE) and not expected.done():
                expected.set_result(page)

    async def expect(
        self,
        start: Callable[[], Awaitable[None]],
        fetch: Callable[[str], Awaitable[FileInfo]],
        *,
        timeout_seconds: float,
        file_name: str | None,
    ) -> FileInfo:
        """Run `start` and keep the file whose download it begins; one that is shown instead by `fetch`."""
        self._expected = asyncio.get_running_loop().create_future()
        try:
            async with self._reporting(), asyncio.timeout(timeout_seconds):
                await start()
                offered = await self._expected
                if isinstance(offered, Page):
                    return await fetch(offered.url)
                return await self._keep(offered, file_name)
        except TimeoutError:
            if self._expected.done() and not self._expected.cancelled():
                raise TimedOut(f"The download did not finish within {timeout_seconds:g} s.") from None
            raise NotPresent(f"No download began within {timeout_seconds:g} s.") from None
        finally:
            self._expected = None

    async def fetch(
        self, channel: CDPSession, url: str, *, timeout_seconds: float, file_name: str | None
    ) -> FileInfo:
        """Get `url` in the tab of `channel` as a visitor would, and keep what comes instead of showing it."""
        try:
            async with (
                self._reporting(),
                asyncio.timeout(timeout_seconds),
                intercepted(channel, url) as answer,
            ):
                if answer.status >= _CLIENT_ERROR:
                    trouble = SiteDown if answer.status >= _SERVER_ERROR else BlockFailed
                    raise trouble(f"`{url}` answered with status {answer.status}.")
                self._report("download.began", f"`{url}` is being downloaded.", {})
                with tempfile.TemporaryDirectory(dir=self._folder) as folder:
                    path = Path(folder) / "content"
                    with path.open("wb") as file:
                        async for chunk in answer.read():
                            file.write(chunk)
                            self._check_size(file.tell(), url)
                            # asking for room costs a query: every few megabytes is enough
                            if file.tell() % _ROOM_EVERY_BYTES < len(chunk):
                                await self.check_room(file.tell())
                    # the site chooses the name: it must not lead out of the folder (N8 in the security notes)
                    name = safe_name(file_name or _offered_name(answer.headers, answer.url))
                    mime = answer.headers.get("content-type", "").split(";")[0].strip() or mime_of(name)
                    return await self._save(path, name, mime)
        except TimeoutError:
            raise TimedOut(f"`{url}` did not arrive within {timeout_seconds:g} s.") from None

    @asynccontextmanager
    async def _reporting(self) -> AsyncGenerator[None]:
        """Say that a download is waited for, and if it fails, why."""
        self._report("download.expected", "A download is waited for.", {})
        try:
            yield
        except (PagehandError, PlaywrightError, TimeoutError) as error:
            reason = error.message if isinstance(error, PagehandError) else "it did not arrive in time"
            self._report("download.failed", f"A download did not finish: {reason}", {})
            raise

    async def settle(self, seconds: float) -> None:
        """Give downloads that nobody asked for a last chance to finish."""
        if self._keeping:
            await asyncio.wait(set(self._keeping), timeout=seconds)
        for task in set(self._keeping):
            task.cancel()
        await asyncio.gather(*self._keeping, return_exceptions=True)

    async def _keep_unexpected(self, download: Download) -> None:
        try:
            info = await self._keep(download, None)
        except (PagehandError, PlaywrightError) as error:
            self._report(
                "download.failed", f"A download did not finish: {error}", {"url": download.url[:2000]}
            )
        else:
            data = {"fileId": info.id, "name": info.name, "sizeBytes": info.size_bytes}
            self._report("download.finished", f"`{info.name}` was downloaded.", data)

    async def _keep(self, download: Download, file_name: str | None) -> FileInfo:
        watching = asyncio.ensure_future(self._watch_size(download))
        try:
            path = await download.path()
        except PlaywrightError as error:
            if watching.done() and not watching.cancelled():
                raise watching.result() from error
            reason = await _failure(download)
            raise BlockFailed(f"The download of `{download.suggested_filename}` failed: {reason}") from error
        except asyncio.CancelledError:
            # its taker gave up: the browser would go on to fill the disk, and nothing watches any more
            with contextlib.suppress(PlaywrightError, TimeoutError):
                await asyncio.wait_for(download.cancel(), _CANCEL_SECONDS)
            raise
        finally:
            watching.cancel()
        name = safe_name(file_name or download.suggested_filename)
        # Playwright gives a path on the machine of the browser, which need not be this one
        if not path.exists():
            return await self._keep_remote(download, path, name)
        try:
            self._check_size(path.stat().st_size, download.url)
            return await self._save(path, name, mime_of(name))
        finally:
            path.unlink(missing_ok=True)

    async def _keep_remote(self, download: Download, path: Path, name: str) -> FileInfo:
        """A browser on another machine has written it there: read it through the browser."""
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            here = Path(folder) / "content"
            try:
                await self._copy(download, path, here)
            except PlaywrightError as error:
                raise BlockFailed(_UNREADABLE.format(download.suggested_filename)) from error
            return await self._save(here, name, mime_of(name))

    async def _copy(self, download: Download, path: Path, here: Path) -> None:
        browser = download.page.context.browser
        if browser is None:
            raise PlaywrightError("The download belongs to no browser.")
        async with remote_file(browser, path) as found:
            size = await found.size()
            self._check_size(size, download.url)
            await self.check_room(size)
            with here.open("wb") as file:
                async for chunk in found.read():
                    file.write(chunk)

    async def _watch_size(self, download: Download) -> PagehandError:
        """Stop a download that outgrows the limit or the room there is before it fills the disk; why."""
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            sizes = _sizes_in(self._folder)
            try:
                self._check_size(max(sizes, default=0), download.url)
                await self.check_room(sum(sizes))
            except PagehandError as refusal:
                await download.cancel()
                return refusal

    def _check_size(self, size: int, url: str) -> None:
        if size > self.max_bytes:
            raise BlockFailed(f"`{url}` is larger than the limit of {self.max_bytes // 1_000_000} MB.")


def _sizes_in(folder: Path | None) -> list[int]:
    sizes: list[int] = []
    for part in folder.glob("*") if folder is not None else ():
        # a file that is finished is moved away between two looks
        with contextlib.suppress(FileNotFoundError):
            if part.is_file():
                sizes.append(part.stat().st_size)
    return sizes


async def _failure(download: Download) -> str:
    try:
        return await download.failure() or "it was stopped"
    except PlaywrightError as error:
        return error.message.split("\n", 1)[0]


def _offered_name(headers: dict[str, str], url: str) -> str:
    disposition = headers.get("content-disposition", "")
    if extended := re.search(r"filename\*\s*=\s*([\w-]+)'[^']*'([^;]+)", disposition, re.IGNORECASE):
        return _decoded(extended.group(2).strip(), extended.group(1))
    if plain := re.search(r'filename\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]+))', disposition, re.IGNORECASE):
        return re.sub(r"\\(.)", r"\1", plain.group(1) or "") or (plain.group(2) or "").strip()
    return unquote(urlsplit(url).path.rsplit("/", 1)[-1])


def _decoded(text: str, charset: str) -> str:
    try:
        return unquote(text, charset)
    except LookupError:
        return unquote(text)  # a character set that Python does not know: nearly all sites mean UTF-8

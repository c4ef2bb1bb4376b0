"""Files that pages offer for download: waited for, limited in size, given a safe name and kept."""

import asyncio
import contextlib
import mimetypes
import re
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from playwright.async_api import CDPSession, Download, Frame, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.dialogs import Report
from pagehand.browser.interception import InterceptedResponse, intercept, remote_file
from pagehand.browser_session import CheckRoom, SaveFile
from pagehand.errors import BlockFailed, NotPresent, PagehandError, SiteDown, TimedOut
from pagehand.loop import spawn
from pagehand.records import FileInfo

_WATCH_SECONDS: Final = 0.5
_CANCEL_SECONDS: Final = 2.0
_CHECK_ROOM_BYTES: Final = 4_000_000
# browsers show text, JSON, pictures and PDF in a document of their own
_SHOWS_A_PAGE: Final = "() => /html|^$/.test(document.contentType) || !/^https?:/.test(location.protocol)"
_UNREADABLE: Final = (
    "`{}` was downloaded to the disk of the remote browser and cannot be read from there: use DownloadFile "
    "with `url`, or a folder that both machines mount."
)
_CLIENT_ERROR: Final = 400
_SERVER_ERROR: Final = 500
_UNSAFE: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')
_NAME_BYTES: Final = 200
_LONGEST_ENDING: Final = 10


async def unlimited_room(_: int) -> None:
    """Implements `CheckRoom` for sessions whose files have no quota."""


class Downloads:
    """Keeps every file that a page of the session offers, expected or not."""

    def __init__(self, folder: Path | None, save: SaveFile, report: Report) -> None:
        """`folder` is where the browser puts its half-finished files."""
        self._folder = folder
        self._save = save
        self._report = report
        self.max_bytes = 1_000_000_000
        """The largest file that is kept."""
        self.check_room: CheckRoom = unlimited_room
        self._expected: asyncio.Future[Download | Page] | None = None
        self._keeping: set[asyncio.Task[None]] = set()

    def began(self, download: Download) -> None:
        """A download has just begun: give it to the block that expects one, or keep it."""
        self._report("download.began", f"`{download.suggested_filename}` is being downloaded.", {})
        if self._expected is not None and not self._expected.done():
            self._expected.set_result(download)
            return
        spawn(self._keeping, self._keep_unexpected(download))

    async def frame_navigated(self, frame: Frame) -> None:
        """A frame has a new document."""
        if frame.parent_frame is None:
            await self.page_opened(frame.page)

    async def page_opened(self, page: Page) -> None:
        """A tab has a new document: if it is a file and one is expected, this is it."""
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
        """Run `start` and keep the file whose download it begins; one that a tab shows instead by `fetch`."""
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
                intercept(channel, url) as response,
            ):
                if response.status >= _CLIENT_ERROR:
                    error = SiteDown if response.status >= _SERVER_ERROR else BlockFailed
                    raise error(f"`{url}` answered with status {response.status}.")
                self._report("download.began", f"`{url}` is being downloaded.", {})
                return await self._keep_response(response, url, file_name)
        except TimeoutError:
            raise TimedOut(f"`{url}` did not arrive within {timeout_seconds:g} s.") from None

    async def settle(self, seconds: float) -> None:
        """Give downloads that no block expects some time to finish, then cancel them."""
        if self._keeping:
            await asyncio.wait(set(self._keeping), timeout=seconds)
        for task in set(self._keeping):
            task.cancel()
        await asyncio.gather(*self._keeping, return_exceptions=True)

    @asynccontextmanager
    async def _reporting(self) -> AsyncGenerator[None]:
        """Report that a download is expected, and if it fails, why."""
        self._report("download.expected", "A download is waited for.", {})
        try:
            yield
        except (PagehandError, PlaywrightError, TimeoutError) as error:
            reason = error.message if isinstance(error, PagehandError) else "it did not arrive in time"
            self._report("download.failed", f"A download did not finish: {reason}", {})
            raise

    async def _keep_response(
        self, response: InterceptedResponse, url: str, file_name: str | None
    ) -> FileInfo:
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            path = Path(folder) / "content"
            with path.open("wb") as file:
                async for chunk in response.read():
                    file.write(chunk)
                    self._check_size(file.tell(), url)
                    # asking for room costs a query: every few megabytes is enough
                    if file.tell() % _CHECK_ROOM_BYTES < len(chunk):
                        await self.check_room(file.tell())
            # the site chooses the name: it must not lead out of the folder (N8 in the security notes)
            name = safe_name(file_name or offered_name(response.headers, response.url))
            mime_type = response.headers.get("content-type", "").split(";")[0].strip()
            return await self._save(path, name, mime_type or mime_type_of(name))

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
        path = await self._finish(download)
        name = safe_name(file_name or download.suggested_filename)
        # Playwright gives a path on the machine of the browser, which need not be this one
        if not path.exists():
            return await self._keep_remote(download, path, name)
        try:
            self._check_size(path.stat().st_size, download.url)
            return await self._save(path, name, mime_type_of(name))
        finally:
            path.unlink(missing_ok=True)

    async def _finish(self, download: Download) -> Path:
        """Wait until the browser has the whole file; where it is on the browser's machine."""
        watching = asyncio.ensure_future(self._watch_size(download))
        try:
            return await download.path()
        except PlaywrightError as error:
            if watching.done() and not watching.cancelled():
                raise watching.result() from error
            reason = await _failure_of(download)
            raise BlockFailed(f"The download of `{download.suggested_filename}` failed: {reason}") from error
        except asyncio.CancelledError:
            # nobody waits any more: the browser would go on to fill the disk, and nothing watches its size
            with contextlib.suppress(PlaywrightError, TimeoutError):
                await asyncio.wait_for(download.cancel(), _CANCEL_SECONDS)
            raise
        finally:
            watching.cancel()

    async def _watch_size(self, download: Download) -> PagehandError:
        """Cancel a download that outgrows the limit or the quota before it fills the disk; why."""
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

    async def _keep_remote(self, download: Download, path: Path, name: str) -> FileInfo:
        """Keep a file on the disk of another machine by reading it through the browser there."""
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            copy = Path(folder) / "content"
            try:
                await self._copy_remote(download, path, copy)
            except PlaywrightError as error:
                raise BlockFailed(_UNREADABLE.format(download.suggested_filename)) from error
            return await self._save(copy, name, mime_type_of(name))

    async def _copy_remote(self, download: Download, path: Path, copy: Path) -> None:
        browser = download.page.context.browser
        if browser is None:
            raise PlaywrightError("The download has no browser.")
        async with remote_file(browser, path) as source:
            size = await source.size()
            self._check_size(size, download.url)
            await self.check_room(size)
            with copy.open("wb") as file:
                async for chunk in source.read():
                    file.write(chunk)


def _sizes_in(folder: Path | None) -> list[int]:
    sizes: list[int] = []
    for part in folder.glob("*") if folder is not None else ():
        # a file that is finished is moved away between two looks
        with contextlib.suppress(FileNotFoundError):
            if part.is_file():
                sizes.append(part.stat().st_size)
    return sizes


async def _failure_of(download: Download) -> str:
    try:
        return await download.failure() or "it was stopped"
    except PlaywrightError as error:
        return error.message.split("\n", 1)[0]


def safe_name(name: str, fallback: str = "download") -> str:
    """A file name without path parts or characters that file systems refuse."""
    last = re.split(r"[/\\]", name.strip())[-1]
    cleaned = _UNSAFE.sub("_", last).strip(" .")
    if not cleaned or set(cleaned) <= {"_", "."}:
        return fallback
    stem, dot, ending = cleaned.rpartition(".")
    if dot and len(ending) <= _LONGEST_ENDING:
        return _cut(stem, _NAME_BYTES - len(ending.encode()) - 1) + "." + ending
    return _cut(cleaned, _NAME_BYTES)


def _cut(text: str, limit: int) -> str:
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")


def mime_type_of(name: str) -> str:
    """The type that a file's ending promises."""
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def offered_name(headers: Mapping[str, str], url: str) -> str:
    """The name that a response gives its file, or the last part of the address; not safe yet."""
    disposition = headers.get("content-disposition", "")
    if extended := re.search(r"filename\*\s*=\s*([\w-]+)'[^']*'([^;]+)", disposition, re.IGNORECASE):
        return _decode(extended.group(2).strip(), extended.group(1))
    if plain := re.search(r'filename\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]+))', disposition, re.IGNORECASE):
        return re.sub(r"\\(.)", r"\1", plain.group(1) or "") or (plain.group(2) or "").strip()
    return unquote(urlsplit(url).path.rsplit("/", 1)[-1])


def _decode(text: str, charset: str) -> str:
    try:
        return unquote(text, charset)
    except LookupError:
        return unquote(text)  # a character set that Python does not know: nearly all sites mean UTF-8

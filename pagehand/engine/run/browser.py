"""The browser of one execution: opened when a block first needs it, closed at the end; its screenshots."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog
from playwright.async_api import Error as PlaywrightError

from pagehand import temporary_files
from pagehand.browser import BrowserSession, OpenBrowser
from pagehand.browser.page_trace import start_trace, stop_trace
from pagehand.browser_session import BeforeSend, BrowserRequest, ReportEvent
from pagehand.engine.reporting.events import EventLog
from pagehand.engine.run.files import Downloads, ExecutionFiles
from pagehand.engine.signals import Signals, Stop
from pagehand.errors import BrowserLost, PagehandError, TooLarge
from pagehand.ids import new_id
from pagehand.loop import spawn
from pagehand.records import Execution, FileInfo, Json

_SNAPSHOT_SECONDS: Final = 2.0
_SNAPSHOT_CANDIDATES: Final = 6000
"""Writing a snapshot of many more would keep the event loop from other work."""
_MAX_URL: Final = 2_000
_log = structlog.get_logger(__name__)


class RunBrowser:
    """Opens the browser session on first need, and stores what is seen in it."""

    def __init__(
        self,
        execution: Execution,
        open_browser: OpenBrowser,
        files: ExecutionFiles,
        downloads: Downloads,
        events: EventLog,
        signals: Signals,
        on_open: Callable[[BrowserSession, str], Awaitable[None]],
        on_event: ReportEvent,
        before_send: BeforeSend,
    ) -> None:
        self._execution = execution
        self._open_browser = open_browser
        self._files = files
        self._downloads = downloads
        self._events = events
        self._signals = signals
        self._on_open = on_open
        self._observe = on_event
        self._before_send = before_send
        self._opening = asyncio.Lock()
        self._has_no_room = False
        self._is_ended = False
        self._pictures: set[asyncio.Task[None]] = set()
        self._stored: set[str] = set()
        """Names of the pictures that are stored, or about to be."""
        self.session: BrowserSession | None = None
        self.session_id: str | None = None

    async def open(self) -> BrowserSession:
        """The session, opened on first need."""
        async with self._opening:
            if self.session is None:
                self.session = await self._open_browser(
                    BrowserRequest(
                        execution_id=self._execution.id,
                        organization_id=self._execution.organization_id,
                        browser_session_id=self._execution.browser_session_id,
                        use_proxy=self._execution.use_proxy,
                        save_file=self._save_download,
                        report=self._on_event,
                        check_room=self._files.check_room,
                        before_send=self._before_send,
                    )
                )
                if self._execution.metadata.get("trace"):
                    await start_trace(self.session.context)
                self.session_id = new_id("session")
                # blocks wait on the page, not on its browser: its death has to interrupt them
                self.session.lost.add_done_callback(self._on_lost)
                self._events.add("browser.opened", "A browser serves this execution")
                await self._on_open(self.session, self.session_id)
            return self.session

    def start_picture(self, seconds: float | None = None) -> "asyncio.Future[str | None] | None":
        """Take a picture meanwhile, within a time: its key, or None when there is none.

        What changes the page next waits until it is taken.
        """
        if self.session is None or self.session.lost.done():
            return None
        key: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        keeping = self._keep_picture(self.session.start_screenshot(), seconds, key)
        spawn(self._pictures, keeping).add_done_callback(_log_failure)
        return key

    async def picture(self, seconds: float | None = None) -> str | None:
        """The key of a picture of the page as it is now."""
        key = self.start_picture(seconds)
        return None if key is None else await key

    async def _keep_picture(
        self,
        taking: "asyncio.Task[bytes | None]",
        seconds: float | None,
        key: "asyncio.Future[str | None]",
    ) -> None:
        content, name = b"", None
        try:
            async with asyncio.timeout(seconds):
                content = await taking or b""
            name = self._picture_name(content) if content else None
        except TimeoutError:
            return
        finally:
            # whoever waits for the key must not wait for ever, whatever went wrong
            if not key.done():  # who waited may have been cancelled
                key.set_result(None if name is None else self._files.picture_key(name))
        if name is not None and name not in self._stored:
            self._stored.add(name)
            await self._store(name, content)

    def _picture_name(self, content: bytes) -> str:
        """By what it shows: a page that looks as before needs no second file.

        Another worker that takes the execution over must not share it: what this one wrote may be deleted.
        """
        return f"shot-{self._execution.fence}-{hashlib.sha256(content).hexdigest()[:32]}.jpg"

    async def store_pictures(self) -> None:
        """Return once every picture is stored, or cannot be."""
        # a picture that cannot be stored (a full disk) must not keep the run from its end
        while self._pictures:
            await asyncio.wait(self._pictures)

    async def page_snapshot(self, hide: Callable[[Any], Any]) -> str | None:
        """Store a snapshot of the page that later instructions can refer to; its key."""
        if self.session is None or self.session.lost.done():
            return None
        try:
            async with asyncio.timeout(_SNAPSHOT_SECONDS):
                seen = await self.session.take_snapshot()
        except (TimeoutError, PagehandError):
            return None  # the page navigates, or is too busy to answer
        if len(seen.candidates) > _SNAPSHOT_CANDIDATES:
            return None
        return self._keep(f"{new_id('page')}.json", msgspec.json.encode(hide(msgspec.to_builtins(seen))))

    def _keep(self, name: str, content: bytes) -> str:
        """Store bytes in a task; the key under which they will be readable."""
        spawn(self._pictures, self._store(name, content)).add_done_callback(_log_failure)
        return self._files.picture_key(name)

    async def _store(self, name: str, content: bytes) -> None:
        try:
            await self._files.put_picture(name, content)
        except TooLarge as full:
            if not self._has_no_room:
                self._has_no_room = True
                self._events.add("pictures.limit", f"No more pictures are kept: {full.message}")

    async def keep_trace(self, hide: Callable[[Any], Any]) -> None:
        """Store the Playwright trace among the execution's files, if one was asked for."""
        if self.session is None or not self._execution.metadata.get("trace"):
            return
        try:
            path = await stop_trace(self.session.context, hide)
        except (PlaywrightError, TimeoutError, TooLarge) as error:
            self._events.add("trace.lost", f"There is no trace of this run: {error}")
            return
        try:
            info = await self._files.take_over("trace.zip", "application/zip", path)
            self._events.add(
                "trace.kept", "A Playwright trace of this run is among its files", None, {"fileId": info.id}
            )
        except TooLarge as full:
            self._events.add("trace.lost", f"There is no trace of this run: {full.message}")
        finally:
            await asyncio.to_thread(temporary_files.remove, path.parent)

    def take_problems(self, hide: Callable[[str], str]) -> Json:
        """What pages complained about since the last time."""
        return {} if self.session is None else self.session.problems.take(hide)

    @property
    def url(self) -> str:
        """The address of the current tab, as far as it can be opened again; empty otherwise."""
        url = "" if self.session is None or self.session.lost.done() else self.session.page.url
        return url if url.startswith(("http://", "https://")) and len(url) <= _MAX_URL else ""

    async def describe_page(self) -> tuple[str, str]:
        """Address and title of the current tab; empty when they cannot be read."""
        if self.session is None or self.session.lost.done():
            return "", ""
        page = self.session.page
        try:
            # a page with a busy script answers nothing; the report must not wait for it
            async with asyncio.timeout(1):
                return page.url, await page.evaluate("document.title")
        except Exception:  # noqa: BLE001 - a page that just failed may fail here too; the address alone then has to do
            return page.url, ""

    async def close(self, *, keep_browser: bool = False) -> None:
        """Store the last pictures and end the session; a kept browser serves a later execution."""
        await self.store_pictures()
        await self.end_session(keep_browser=keep_browser)

    async def end_session(self, *, keep_browser: bool = False) -> None:
        """End the session at once, if there is one, and its browser unless that may be kept."""
        if self.session is not None and not self._is_ended:
            self._is_ended = True
            # it ends because we end it: nothing is lost
            self.session.lost.remove_done_callback(self._on_lost)
            await self.session.end(keep_browser=keep_browser)

    def lost_reason(self) -> BrowserLost | None:
        """Why the browser died; None while it runs."""
        if self.session is not None and self.session.lost.done():
            return BrowserLost(self.session.lost.result())
        return None

    def _on_lost(self, lost: "asyncio.Future[str]") -> None:
        if not lost.cancelled():
            self._signals.end(Stop(lost.result()))

    async def _save_download(self, content: bytes | Path, name: str, mime_type: str) -> FileInfo:
        self._downloads.on_browser_event("download.began", "")
        if isinstance(content, bytes):
            info = await self._files.save(name, mime_type, content)
        else:
            info = await self._files.take_over(name, mime_type, content)
        await self._downloads.add(info)
        return info

    def _on_event(self, type: str, message: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        self._downloads.on_browser_event(type, message)
        self._observe(type, message, data)
        self._events.add(type, message, None, data)


def _log_failure(storing: "asyncio.Task[None]") -> None:
    if not storing.cancelled() and (error := storing.exception()) is not None:
        _log.warning("a picture could not be stored", exc_info=error)

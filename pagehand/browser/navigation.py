"""What the tabs are loading: navigations under way, and requests still open."""

import asyncio
import contextlib
import time
from typing import Final
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Frame, Page, Request
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

_FLUSH_SECONDS: Final = 0.25
_DOUBT_SECONDS: Final = 1.0
_ABORTED: Final = "net::ERR_ABORTED"
_ENDLESS: Final = frozenset({"eventsource", "media", "websocket"})
_SAVE_SECONDS: Final = 2.0
_SCRIPTED: Final = frozenset({"fetch", "xhr"})
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class Navigations:
    """Listens to a context's requests; knows which tabs are on their way to another page."""

    def __init__(self, context: BrowserContext) -> None:
        """Starts listening."""
        self._leaving: dict[Page, Request] = {}
        self._loaded: set[Page] = set()
        self._unanswered: dict[Page, str] = {}
        self._open: dict[Request, float] = {}
        self._opening: set[Request] = set()
        self._fruitless = 0
        self._changed = asyncio.Event()
        context.on("request", self._began)
        context.on("requestfinished", self._finished)
        context.on("requestfailed", self._failed)
        context.on("framenavigated", self._arrived)

    async def settle(self, page: Page, timeout_seconds: float) -> None:
        """Wait until a navigation begun in `page` has its document; return at once without one."""
        # a click may have asked for a navigation that the browser has not begun yet
        if page not in self._leaving:
            await _flush(page)
        deadline = time.monotonic() + timeout_seconds
        while page in self._leaving and not page.is_closed():
            await self._next_change(deadline)
        if page not in self._loaded and not page.is_closed():
            await self._load(page, max(0.001, deadline - time.monotonic()))

    @property
    def is_opening(self) -> bool:
        """True while a new tab waits for its first document."""
        return bool(self._opening)

    def came_to_nothing(self, page: Page) -> bool:
        """True for a new tab whose first address gave no document: a download, an answer without content."""
        if page.url or not self._fruitless:
            return False
        self._fruitless -= 1
        return True

    def forget_failures(self) -> None:
        """From here on only what fails anew counts."""
        self._unanswered.clear()

    def failure(self, page: Page) -> str | None:
        """Why the document `page` was on its way to did not come, as Chromium puts it."""
        return self._unanswered.get(page)

    @property
    def is_busy(self) -> bool:
        """True while a request is open."""
        return bool(self._open)

    async def idle(self, seconds: float) -> None:
        """Give open requests this long to finish."""
        deadline = time.monotonic() + seconds
        # running out of time is one of the two ways this is meant to end
        with contextlib.suppress(TimeoutError):
            while self._open:
                await self._next_change(deadline)

    async def saved(self, page: Page) -> None:
        """Let `page` finish what it just began to send to its own site, such as a draft that saves itself.

        Pressing Publish while the draft is on its way can make two documents of one. People are too slow for
        that; what takes longer than a moment is not a save but a stream.
        """
        with contextlib.suppress(TimeoutError):
            while saves := [began for request, began in self._open.items() if _is_save(request, page)]:
                await self._next_change(max(saves) + _SAVE_SECONDS)

    async def _load(self, page: Page, seconds: float) -> None:
        """Wait for the document, once: Playwright takes several messages to say it again."""
        self._loaded.add(
            page
        )  # ahead of the wait, so that a page which moves on meanwhile is taken out again
        try:
            await _document(page, seconds)
        except BaseException:
            self._loaded.discard(page)
            raise

    async def _next_change(self, deadline: float) -> None:
        self._changed.clear()
        async with asyncio.timeout(deadline - time.monotonic()):
            await self._changed.wait()

    def _began(self, request: Request) -> None:
        if request.resource_type in _ENDLESS:
            return
        # also those of pictures: at the end of a run everything gets its chance to finish
        self._open[request] = time.monotonic()
        if not request.is_navigation_request():
            return
        try:
            frame = request.frame
        except PlaywrightError:
            # the first request of a tab that is still opening; the tab itself is waited for elsewhere
            self._opening.add(request)
            return
        if frame.parent_frame is None:
            self._leaving[frame.page] = request

    def _finished(self, request: Request) -> None:
        self._open.pop(request, None)
        self._opening.discard(request)
        self._changed.set()

    def _failed(self, request: Request) -> None:
        self._open.pop(request, None)
        if request in self._opening:
            self._opening.discard(request)
            self._fruitless += request.failure == _ABORTED
        for page, pending in list(self._leaving.items()):
            if pending == request:
                del self._leaving[page]
                # a download, an answer without content and a page that thought better of it end so too
                if request.failure and request.failure != _ABORTED:
                    self._unanswered[page] = request.failure
        self._changed.set()

    def _arrived(self, frame: Frame) -> None:
        if frame.parent_frame is None:
            self._leaving.pop(frame.page, None)
            self._loaded.discard(frame.page)
            self._changed.set()


def _is_save(request: Request, page: Page) -> bool:
    if request.resource_type not in _SCRIPTED or request.method in _READING:
        return False
    return urlsplit(request.url).netloc == urlsplit(page.url).netloc


async def _document(page: Page, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        left = deadline - time.monotonic()
        try:
            await page.wait_for_load_state(
                "domcontentloaded", timeout=max(1, min(left, _DOUBT_SECONDS) * 1000)
            )
        except PlaywrightTimeout:
            # of a page that begins a download while it is being read, Playwright never hears that it is there
            if await _says_it_is_read(page):
                return
            if left <= _DOUBT_SECONDS:
                raise
        else:
            return


async def _says_it_is_read(page: Page) -> bool:
    with contextlib.suppress(PlaywrightError, TimeoutError):
        state = await asyncio.wait_for(page.evaluate("document.readyState"), _FLUSH_SECONDS)
        return state != "loading"
    return False


async def _flush(page: Page) -> None:
    """Let the page run what the last input set off, so that a navigation it asked for has been heard of."""
    with contextlib.suppress(PlaywrightError, TimeoutError):
        await asyncio.wait_for(page.evaluate("0"), _FLUSH_SECONDS)

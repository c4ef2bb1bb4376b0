"""What the tabs are loading: opening an address, navigations, open requests, and when a page is quiet."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Final, Literal
from urllib.parse import urljoin, urlsplit

from playwright.async_api import BrowserContext, Frame, Page, Request
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pagehand.browser.provider import ConnectionErrors
from pagehand.errors import BlockFailed, Diagnosis, SiteDown
from pagehand.javascript import load_script
from pagehand.page.dom import is_page_lost

_ALLOWED: Final = ("http", "https", "data", "blob", "about")


_CLIENT_ERROR: Final = 400


_SERVER_ERROR: Final = 500


_FLUSH_SECONDS: Final = 0.25
_LOAD_STATE_SECONDS: Final = 1.0
_ABORTED: Final = "net::ERR_ABORTED"
_ENDLESS: Final = frozenset({"eventsource", "media", "websocket"})
_SAVE_SECONDS: Final = 2.0
_SCRIPTED: Final = frozenset({"fetch", "xhr"})
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_WAIT_FOR_STILLNESS: Final = load_script(__file__, "wait_for_stillness")
_ANSWER_SECONDS: Final = 5.0
_PAUSE_SECONDS: Final = 0.05


async def open_url(
    page: Page,
    url: str,
    connection_errors: ConnectionErrors,
    *,
    wait_until: Literal["load", "domcontentloaded", "networkidle"],
    referer: str | None,
    allow_error_status: bool,
    timeout_seconds: float,
) -> int | None:
    """Open an absolute URL in a tab; the status, or None for a download or an address without one."""
    since = connection_errors.mark()
    with connection_errors.explaining(url):
        try:
            response = await page.goto(
                url, wait_until=wait_until, referer=referer, timeout=max(1, timeout_seconds * 1000)
            )
        except PlaywrightError as error:
            # the address is a file: it is kept like any download that no block expects
            if "Download is starting" in error.message:
                return None
            raise
        if response is None:
            return None
        if error := connection_errors.error_of(response.url, since):
            raise error
        if not allow_error_status:
            check_status(response.status, response.url)
        return response.status


class Navigations:
    """Listens to a context's requests; knows which tabs are navigating to another page."""

    def __init__(self, context: BrowserContext) -> None:
        """Starts listening."""
        self._navigating: dict[Page, Request] = {}
        self._loaded: set[Page] = set()
        self._failures: dict[Page, str] = {}
        self._open: dict[Request, float] = {}
        """Open requests, and when each began."""
        self._opening: set[Request] = set()
        """First requests of tabs that are still opening."""
        self._aborted_openings = 0
        self._changed = asyncio.Event()
        context.on("request", self._began)
        context.on("requestfinished", self._finished)
        context.on("requestfailed", self._failed)
        context.on("framenavigated", self._frame_navigated)

    async def settle(
        self, page: Page, timeout_seconds: float, look: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        """Wait until a navigation begun in `page` has its document; return at once without one.

        `look` asks the page something, so that it has run its handlers of the last input.
        """
        # a click may have asked for a navigation that the browser has not begun yet
        if page not in self._navigating:
            with contextlib.suppress(PlaywrightError, TimeoutError):
                await asyncio.wait_for(page.evaluate("0") if look is None else look(), _FLUSH_SECONDS)
        deadline = time.monotonic() + timeout_seconds
        while page in self._navigating and not page.is_closed():
            await self._next_change(deadline)
        if page not in self._loaded and not page.is_closed():
            await self._wait_for_document(page, max(0.001, deadline - time.monotonic()))

    @property
    def is_opening(self) -> bool:
        """True while a new tab waits for its first document."""
        return bool(self._opening)

    def take_aborted_opening(self, page: Page) -> bool:
        """True for a new tab whose first address gave no document: a download, a response without content.

        Each such opening is counted for one tab only.
        """
        if page.url or not self._aborted_openings:
            return False
        self._aborted_openings -= 1
        return True

    def forget_failures(self) -> None:
        """Navigations that failed so far do not count any more."""
        self._failures.clear()

    def failure_of(self, page: Page) -> str | None:
        """Why the last navigation of `page` failed, as Chromium puts it."""
        return self._failures.get(page)

    @property
    def is_busy(self) -> bool:
        """True while a request is open."""
        return bool(self._open)

    async def wait_until_idle(self, seconds: float) -> None:
        """Give open requests this long to finish."""
        deadline = time.monotonic() + seconds
        # running out of time is one of the two ways this is meant to end
        with contextlib.suppress(TimeoutError):
            while self._open:
                await self._next_change(deadline)

    async def wait_for_saves(self, page: Page) -> None:
        """Let `page` finish what it just began to send to its own site, such as a draft that saves itself.

        Pressing Publish while the draft is being saved can make two documents of one. People are too slow for
        that; what takes longer than a moment is not a save but a stream.
        """
        with contextlib.suppress(TimeoutError):
            while saves := [began for request, began in self._open.items() if _is_save(request, page)]:
                await self._next_change(max(saves) + _SAVE_SECONDS)

    async def _wait_for_document(self, page: Page, seconds: float) -> None:
        """Wait for the document, once: Playwright takes several messages to say it again."""
        # added ahead of the wait: a page that navigates meanwhile is taken out again
        self._loaded.add(page)
        try:
            await _wait_for_document(page, seconds)
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
        # also those of pictures: at the end of a run all requests get time to finish
        self._open[request] = time.monotonic()
        if not request.is_navigation_request():
            return
        try:
            frame = request.frame
        except PlaywrightError:
            # the first request of a tab that is still opening; `ActionWatcher` waits for the tab itself
            self._opening.add(request)
            return
        if frame.parent_frame is None:
            self._navigating[frame.page] = request

    def _finished(self, request: Request) -> None:
        self._open.pop(request, None)
        self._opening.discard(request)
        self._changed.set()

    def _failed(self, request: Request) -> None:
        self._open.pop(request, None)
        if request in self._opening:
            self._opening.discard(request)
            self._aborted_openings += request.failure == _ABORTED
        for page, pending in list(self._navigating.items()):
            if pending == request:
                del self._navigating[page]
                # downloads, responses without content and navigations that the page itself stops end so too
                if request.failure and request.failure != _ABORTED:
                    self._failures[page] = request.failure
        self._changed.set()

    def _frame_navigated(self, frame: Frame) -> None:
        if frame.parent_frame is None:
            self._navigating.pop(frame.page, None)
            self._loaded.discard(frame.page)
            self._changed.set()


def _is_save(request: Request, page: Page) -> bool:
    if request.resource_type not in _SCRIPTED or request.method in _READING:
        return False
    return urlsplit(request.url).netloc == urlsplit(page.url).netloc


async def _wait_for_document(page: Page, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        left = deadline - time.monotonic()
        try:
            await page.wait_for_load_state(
                "domcontentloaded", timeout=max(1, min(left, _LOAD_STATE_SECONDS) * 1000)
            )
        except PlaywrightTimeout:
            # Playwright misses the event of a page that begins a download while it loads
            if await _has_loaded(page):
                return
            if left <= _LOAD_STATE_SECONDS:
                raise
        else:
            return


async def _has_loaded(page: Page) -> bool:
    with contextlib.suppress(PlaywrightError, TimeoutError):
        state = await asyncio.wait_for(page.evaluate("document.readyState"), _FLUSH_SECONDS)
        return state != "loading"
    return False


async def wait_until_quiet(
    current: Callable[[], Page], navigations: Navigations, still_seconds: float, *, timeout_seconds: float
) -> bool:
    """True once the current tab is quiet for `still_seconds`; False when the time is over first."""
    deadline = time.monotonic() + timeout_seconds
    while (left := deadline - time.monotonic()) > 0:
        await navigations.wait_until_idle(left)
        is_still = await wait_until_still(current(), still_seconds, deadline - time.monotonic())
        if is_still and not navigations.is_busy:
            return True
        await asyncio.sleep(_PAUSE_SECONDS)
    return False


async def wait_until_still(page: Page, still_seconds: float, timeout_seconds: float) -> bool:
    """True once the document has not changed for `still_seconds`; False when it keeps changing."""
    limits = [still_seconds * 1000, max(0.0, timeout_seconds) * 1000]
    try:
        async with asyncio.timeout(max(0.0, timeout_seconds) + _ANSWER_SECONDS):
            return bool(await page.evaluate(_WAIT_FOR_STILLNESS, limits))
    except TimeoutError:
        return False
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return False  # the page is being exchanged for another one


def absolute_url(url: str, base: str) -> str:
    """`url` as an absolute one, resolved against `base`; BlockFailed for schemes that are not allowed."""
    wanted = url.strip()
    try:
        scheme = urlsplit(wanted).scheme.lower()
        if not scheme and urlsplit(base).scheme in {"http", "https"}:
            wanted = urljoin(base, wanted)
            scheme = urlsplit(wanted).scheme.lower()
    except ValueError as error:
        raise BlockFailed(f"`{url}` is not a URL: {error}.") from error
    if not scheme:
        raise BlockFailed(
            f"`{url}` is not a whole URL, and there is no page yet that it could be relative to.",
            Diagnosis(
                expected="a URL such as `https://example.com/`", found=url, advice="Write it with `https://`."
            ),
        )
    if scheme not in _ALLOWED:
        raise BlockFailed(
            f"`{url}` cannot be opened: the scheme `{scheme}` is not allowed.",
            Diagnosis(expected="an address with http, https, data, blob or about", found=url),
        )
    return wanted


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL, as browsers write an origin."""
    parts = urlsplit(url.removeprefix("blob:"))
    return f"{parts.scheme}://{parts.netloc}"


def check_status(status: int, url: str) -> None:
    """Raise for a status of 400 and above: SiteDown for those of the server, BlockFailed for others."""
    if status >= _SERVER_ERROR:
        raise SiteDown(f"`{url}` answered with status {status}: the site has a problem.")
    if status >= _CLIENT_ERROR:
        raise BlockFailed(
            f"`{url}` answered with status {status}.",
            Diagnosis(
                expected="a page",
                found=f"status {status}",
                advice="Check the address, or set `allowErrorStatus` if the page is wanted all the same.",
            ),
        )

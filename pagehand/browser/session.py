"""One running browser as an execution uses it: from opening its context to closing the browser."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Final, Literal, Self

from playwright.async_api import BrowserContext, Download, ElementHandle, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator as Element

from pagehand.browser.actions import ActionWatcher, Press, before_press, before_press_at
from pagehand.browser.dialogs import Dialogs
from pagehand.browser.downloads import Downloads
from pagehand.browser.effects import SentRequests
from pagehand.browser.element_finder import ElementFinder
from pagehand.browser.errors import ODD_ANSWER, page_failure
from pagehand.browser.healing import Healer
from pagehand.browser.live_view.view import LiveView
from pagehand.browser.liveness import BrowserLiveness
from pagehand.browser.navigation import Navigations, absolute_url, open_url, origin_of, wait_until_quiet
from pagehand.browser.provider import ConnectionErrors, ProvidedBrowser, ProxyAddress, send, show_credentials
from pagehand.browser.screenshots import PageProblems, Screenshots
from pagehand.browser.scripts import Scripts, TypedSecrets
from pagehand.browser.session_options import SessionOptions
from pagehand.browser.tabs import Tabs
from pagehand.browser_session import Action, BrowserRequest, DialogRule, StartDownload
from pagehand.errors import BlockFailed, OurFault
from pagehand.records import FileInfo

_NAVIGATION_SECONDS: Final = 30.0
_SETTLE_SECONDS: Final = 2.0
_ANSWER_SECONDS: Final = 0.5
_PLACE_MS: Final = 200
_STORED_CODE: Final = "service_workers,cache_storage"


class BrowserSession:
    """The execution's browser; `BrowserPool.take` gives one out, `end` closes it for good."""

    def __init__(
        self, provided: ProvidedBrowser, context: BrowserContext, proxy: ProxyAddress | None
    ) -> None:
        """Use `open` instead, which also makes the context and its first tab."""
        self.provided = provided
        self.context = context
        """Playwright's context: cookies, and requests that carry them."""
        self.proxy = proxy
        """The proxy all of its traffic goes through."""
        self.keep: Callable[[], Awaitable[None]] | None = None
        """Keeps the browser for a later execution; None where it serves only this one."""
        self._options: SessionOptions | None = None
        self._connection_errors = (proxy and proxy.errors) or ConnectionErrors()
        self._liveness = BrowserLiveness(provided)
        self.tabs = Tabs(context, self.guard, self._report, limit=20)
        self.dialogs = Dialogs(self._report)
        self._navigations = Navigations(context)
        self._screenshots = Screenshots(context)
        self._actions = ActionWatcher(
            self._liveness,
            self.tabs,
            self.dialogs,
            self._navigations,
            self._connection_errors,
            self._screenshots.wait_until_taken,
        )
        self._sent = SentRequests(context, self._report)
        self.problems = PageProblems(context)
        self.holds_requests = False
        """True when nothing that may be an effect leaves the browser before it is recorded."""
        self._downloads = Downloads(provided.downloads, self._save, self._report)
        finder = ElementFinder(self.tabs, self.guard)
        # bound here instead of wrapped: finding is the hottest path, and its tracebacks the most read
        self.find, self.find_by_key, self.find_all = finder.find, finder.find_by_key, finder.find_all
        self.find_by_reference, self.describe = finder.find_by_reference, finder.describe
        self.take_snapshot = finder.take_snapshot
        # these three do nothing and make nothing before they are first used
        self.healing = Healer(lambda: self.page, self._navigations, self.guard)
        self.secrets = TypedSecrets(self.tabs)
        self.scripts = Scripts(provided.browser, self.tabs, self.secrets, self._screenshots, self.guard)
        self.live_view = LiveView(
            context, self.tabs, self.dialogs, self._screenshots, self._liveness, provided.downloads
        )

    @classmethod
    async def open(cls, provided: ProvidedBrowser, proxy: ProxyAddress | None = None) -> Self:
        """Make a context and open its first tab; the session has no execution yet."""
        context = await provided.browser.new_context(
            viewport={"width": 1280, "height": 800},
            locale="en-US",
            timezone_id="UTC",
            accept_downloads=True,
            proxy=proxy.settings() if proxy else None,
        )
        session = cls(provided, context, proxy)
        # before the first tab: no dialog, download or popup may go unnoticed
        session._listen()
        await asyncio.gather(session._screenshots.prepare(), session.tabs.prepare(), session.tabs.open())
        if provided.is_shared:
            channel = await context.new_cdp_session(session.page)
            target = (await send(channel, "Target.getTargetInfo"))["targetInfo"]
            session._actions.ignore_other_contexts(target["browserContextId"])
            session._sent.context_id = target["browserContextId"]
        if proxy is not None and proxy.ready_url is not None:
            await show_credentials(context, session.page, proxy)
        return session

    async def bind(self, options: SessionOptions) -> None:
        """Give the session to an execution."""
        self._options = options
        self.tabs.limit = options.max_tabs
        self._downloads.max_bytes = options.max_download_bytes
        self._downloads.check_room = options.check_room
        self.healing.thresholds = options.healing
        self._sent.record = options.before_send
        if self.proxy is not None and self.proxy.hold is not None:
            self.proxy.hold(self._sent.before_send)
            self.holds_requests = True
        if options.storage_state is not None:
            async with self.guard("restore cookies"):
                await self.context.set_storage_state(options.storage_state)
        # not before: if the browser dies here, the next one is opened with the same proxy
        if self.proxy is not None and (leave := self.proxy.leave) is not None:
            self._liveness.ended.add_done_callback(lambda _: leave())

    async def place_of(self, element: Element) -> list[float] | None:
        """Left, top, width and height of an element as shares of the window; None if it is not in it."""
        window = self.page.viewport_size
        try:
            box = await element.bounding_box(timeout=_PLACE_MS)
        except PlaywrightError:
            return None  # it is only to be marked in a picture
        if box is None or window is None:
            return None
        width, height = window["width"], window["height"]
        is_inside = -box["width"] < box["x"] < width and -box["height"] < box["y"] < height
        place = [box["x"] / width, box["y"] / height, box["width"] / width, box["height"] / height]
        return place if is_inside else None

    async def settle(self) -> None:
        """Give open requests and downloads up to two seconds; the engine asks at the end of a run."""
        if not self._liveness.is_over:
            await asyncio.gather(
                self._navigations.wait_until_idle(_SETTLE_SECONDS), self._downloads.settle(_SETTLE_SECONDS)
            )

    async def end(self, *, keep_browser: bool = False) -> None:
        """Let the page settle, then close it; the browser too, unless it may be kept and is sound."""
        close = self.provided.close
        try:
            await self.settle()
            if keep_browser and self.keep is not None and await self._is_sound():
                close = self.keep
        finally:
            # first, so that calls still waiting for the browser fail at once
            self._liveness.mark_lost("The browser session has ended.")
            try:
                await self.live_view.close()
            finally:
                await close()

    async def _is_sound(self) -> bool:
        """True when neither the browser nor its page has died or hangs."""
        if self._liveness.is_over:
            return False
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                await self.page.evaluate("1")
        except (PlaywrightError, TimeoutError):
            return False
        return not self._liveness.is_over

    @property
    def vendor_id(self) -> str:
        """The provider's name for this browser."""
        return self.provided.vendor_id

    @property
    def lost(self) -> "asyncio.Future[str]":
        """Resolves with the reason when the browser or its page dies, or the session has ended."""
        return self._liveness.lost

    async def answers(self) -> bool:
        """True when the browser answers a command within two seconds."""
        return await self._liveness.answers()

    @asynccontextmanager
    async def guard(self, action: str = "") -> AsyncGenerator[None]:
        """Around each use of the browser: errors become ours, and a lost browser ends the use at once."""
        async with self._liveness.guard(action):
            try:
                yield
            except ODD_ANSWER as error:
                if failure := await page_failure(error, lambda: self.page):
                    raise failure from error
                raise

    @property
    def page(self) -> Page:
        """The current tab."""
        return self.tabs.current

    async def goto(
        self,
        url: str,
        *,
        wait_until: Literal["load", "domcontentloaded", "networkidle"] = "load",
        referer: str | None = None,
        allow_error_status: bool = False,
        timeout_seconds: float = _NAVIGATION_SECONDS,
    ) -> int | None:
        """Open `url` (relative to the page allowed) in the current tab; the status."""
        address = absolute_url(url, self.page.url)
        await self.wait_for_screenshots()
        self._sent.leaving(self.page)
        self.dialogs.forget_rule()
        async with self.guard(f"open `{address}`"):
            return await open_url(
                self.page,
                address,
                self._connection_errors,
                wait_until=wait_until,
                referer=referer,
                allow_error_status=allow_error_status,
                timeout_seconds=timeout_seconds,
            )

    async def wait_until_quiet(self, still_seconds: float, *, timeout_seconds: float) -> bool:
        """Until no request is open and the page has not changed for a while; False when the time is over."""
        async with self.guard("wait for the page"):
            return await wait_until_quiet(
                lambda: self.page, self._navigations, still_seconds, timeout_seconds=timeout_seconds
            )

    def acting(
        self, dialog_rule: DialogRule | None = None, press: Press | None = None
    ) -> AbstractAsyncContextManager[Action]:
        """Record dialogs and new tabs while a block acts; on leaving, wait for a navigation that it began.

        A tab that the act opened becomes the current one.
        """
        return self._actions.watching(dialog_rule, press)

    def begin_press(self, press: Press | None) -> None:
        """What is sent from now on was caused by this press, or by other input without it."""
        is_sign_in = press is not None and press.signs_in
        self._sent.pressed(press.name if press else "", is_sign_in=is_sign_in, page=self.page)

    def forget_press(self) -> None:
        """What is sent from now on was not caused by a press."""
        self._sent.navigated()

    async def has_reported(self) -> bool:
        """True when the browser runs, and everything it has sent so far was reported."""
        # its answer comes after all that it has reported before
        return await self._liveness.answers()

    async def before_press(self, element: Element | ElementHandle, *, by_enter: bool = False) -> Press:
        """Look at a control that is about to be pressed, or in which Enter is about to be pressed."""
        return await before_press(self._sent, element, by_enter=by_enter)

    async def before_press_at(self, x: float, y: float) -> Press:
        """The same for a point of the window."""
        return await before_press_at(self._sent, self.page, x, y)

    async def download(
        self, start: StartDownload, *, timeout_seconds: float, file_name: str | None
    ) -> FileInfo:
        """Run `start` and keep the file whose download it begins, or that a tab then shows."""
        async with self.guard("download a file"):
            return await self._downloads.expect(
                start,
                lambda url: self.fetch_file(url, timeout_seconds=timeout_seconds, file_name=file_name),
                timeout_seconds=timeout_seconds,
                file_name=file_name,
            )

    async def fetch_file(self, url: str, *, timeout_seconds: float, file_name: str | None) -> FileInfo:
        """Download `url` with the browser's cookies and keep it."""
        address = absolute_url(url, self.page.url)
        async with self.guard(f"download `{address}`"):
            with self._connection_errors.explaining(address):
                tab = await self.tabs.open_unlisted()
                try:
                    channel = await self.context.new_cdp_session(tab)
                    return await self._downloads.fetch(
                        channel, address, timeout_seconds=timeout_seconds, file_name=file_name
                    )
                finally:
                    await tab.close()

    async def screenshot(self) -> bytes | None:
        """A JPEG of what the current tab shows; None when the browser gives none."""
        return None if self._liveness.is_over else await self._screenshots.take(self.page)

    def start_screenshot(self) -> "asyncio.Task[bytes | None]":
        """Take one meanwhile, of the tab that is current now; `acting` waits for it."""
        return self._screenshots.start(self.page)

    async def wait_for_screenshots(self) -> None:
        """Return once none is being taken; to await before the page is changed outside `acting`."""
        await self._screenshots.wait_until_taken()

    async def mask(self, element: Element | ElementHandle) -> None:
        """Hide the text of this field in every picture from now on."""
        async with self.guard("mask a field"):
            await self._screenshots.mask(element)

    async def hold_secret(self, field: ElementHandle, text: str) -> None:
        """Before `text`, a secret, is typed: mask the field, keep the workflow's JavaScript away."""
        async with self.guard("mask a field"):
            await self._screenshots.mask(field, is_secret=True)
        self.secrets.add(field, text)

    async def leave_scripted_pages(self, is_own_url: Callable[[str], bool]) -> None:
        """Before a sign-in: close all pages if JavaScript of the workflow has run on one of these addresses.

        Cookies and storage stay; what could run in the next page, service workers and caches, does not.
        """
        scripted = self.secrets.scripted_within(is_own_url)
        if not scripted:
            return
        await self.tabs.close("others")
        await self.tabs.open()
        await self.tabs.close("others")
        async with self.guard("leave the page"):
            channel = await self._screenshots.channel(self.page)
            for origin in {origin_of(url) for url in scripted}:
                await send(channel, "Storage.clearDataForOrigin", origin=origin, storageTypes=_STORED_CODE)
        self.secrets.scripted.difference_update(scripted)

    async def pdf(
        self,
        *,
        format: str = "A4",  # noqa: A002 - the block's own word
        landscape: bool = False,
        print_background: bool = True,
        scale: float = 1.0,
    ) -> bytes:
        """The current page as a PDF."""
        async with self.guard("print the page"):
            return await self.page.pdf(
                format=format, landscape=landscape, print_background=print_background, scale=scale
            )

    def limit_domains(self, domains: Sequence[str] | None) -> None:
        """Allow the browser only these domains; None allows all again."""
        if self.proxy is None or self.proxy.limit is None:
            raise BlockFailed(
                "`allowedDomains` needs the egress proxy, which this remote browser does not go through. "
                "The operator sets `PAGEHAND_EGRESS_PROXY_URL`."
            )
        self.proxy.limit(domains)

    def _listen(self) -> None:
        self.context.on("dialog", self.dialogs.opened)
        self.context.on("download", self._download_began)
        self.context.on("framenavigated", self._downloads.frame_navigated)
        self.context.on("page", self._downloads.page_opened)
        self.context.on("page", self._tab_opened)
        self._actions.listen(self.provided.control)
        self._sent.listen(self.provided.control)

    def _report(self, type_: str, message: str, data: Mapping[str, Any]) -> None:
        if self._options is not None:
            self._options.on_event(type_, message, data)

    async def _save(self, content: Path | bytes, name: str, mime_type: str) -> FileInfo:
        if self._options is None:
            raise OurFault("A file arrived in a browser that no execution has taken.")
        return await self._options.save_file(content, name, mime_type)

    def _tab_opened(self, page: Page) -> None:
        page.on("crash", self._crashed)
        self._actions.tab_opened()
        if self._navigations.take_aborted_opening(page):
            self.tabs.close_unlisted(page)
        else:
            self.tabs.add(page)

    def _download_began(self, download: Download) -> None:
        self._downloads.began(download)
        self.tabs.close_download_tab(download.page)

    def _crashed(self, page: Page) -> None:
        if page is self.page:
            self._liveness.mark_lost("The page crashed.")


OpenBrowser = Callable[[BrowserRequest], Awaitable[BrowserSession]]
"""Gives a browser, from the pool or freshly launched."""

"""One running browser as an execution sees it: the current tab, finding, acting, files, pictures."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from playwright.async_api import BrowserContext, Download, ElementHandle, Page, StorageState
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator as Element

from pagehand.browser import description, scripts
from pagehand.browser.acts import Action, Acts
from pagehand.browser.addresses import absolute_url, check_status
from pagehand.browser.by_words import WordFinder
from pagehand.browser.devtools import send
from pagehand.browser.dialogs import Dialogs, Report
from pagehand.browser.downloads import CheckRoom, Downloads, SaveFile, has_room
from pagehand.browser.effects import SentRequests
from pagehand.browser.find import Finder
from pagehand.browser.healing import Healer, Proposal, Thresholds
from pagehand.browser.live_view.view import LiveView
from pagehand.browser.liveness import BrowserLiveness
from pagehand.browser.navigation import Navigations
from pagehand.browser.picking import pick
from pagehand.browser.pointed_reading import reading_at
from pagehand.browser.press import Press, before_press, before_press_at
from pagehand.browser.provider import ProvidedBrowser
from pagehand.browser.proxy import Outbound, ProxyAddress, Unhindered, show_credentials
from pagehand.browser.screenshots import Pictures
from pagehand.browser.tabs import Tabs
from pagehand.browser_session import Found, PickedElement, Purpose
from pagehand.errors import BlockFailed, OurFault, SiteDown, TimedOut
from pagehand.page.phrases import Snapshot, TargetKind
from pagehand.records import FileInfo, Fingerprint
from pagehand.workflow.locator import Locator
from pagehand.workflow.recorded import RecordedAct

_NAVIGATION_SECONDS: Final = 30.0
_GRACE_SECONDS: Final = 2.0
_BREATH_SECONDS: Final = 0.05
_UNHINDERED: Final = Unhindered()


def _ignore(_type: str, _message: str, _data: Mapping[str, Any]) -> None:
    """Nobody wants to hear of it."""


@dataclass(slots=True, frozen=True)
class SessionOptions:
    """What an execution decides about its browser session."""

    save_file: SaveFile
    on_event: Report = _ignore
    proxy: ProxyAddress | None = None
    """A proxy instead of the one the browser was prepared with; costs a moment."""
    storage_state: StorageState | None = None
    max_tabs: int = 20
    max_download_bytes: int = 1_000_000_000
    check_room: CheckRoom = has_room
    """Fails when there is no room for a file of so many bytes; asked while it is still growing."""
    healing: Thresholds = field(default_factory=Thresholds)


class BrowserSession:
    """The execution's browser; `BrowserPool.take` hands one out, `end` throws it away."""

    def __init__(
        self, provided: ProvidedBrowser, context: BrowserContext, proxy: ProxyAddress | None
    ) -> None:
        """Use `open` instead, which also makes the context and its first tab."""
        self.provided = provided
        self.proxy = proxy
        """The proxy all of its traffic goes through."""
        self._outbound: Outbound = (proxy and proxy.outbound) or _UNHINDERED
        self._liveness = BrowserLiveness(provided)
        self._context = context
        self._options: SessionOptions | None = None
        self._tabs = Tabs(context, self._report, limit=20)
        self._dialogs = Dialogs(self._report)
        self._navigations = Navigations(context)
        self._acts = Acts(self._liveness, self._tabs, self._dialogs, self._navigations, self._outbound)
        self._sent = SentRequests(context, self._report)
        self._downloads = Downloads(provided.downloads, self._save, self._report)
        self._pictures = Pictures(context)
        self._finder = Finder(lambda: self._tabs.current)
        self._healer = Healer(lambda: self._tabs.current)
        self._words = WordFinder(lambda: self._tabs.current)
        self._blank = scripts.BlankPage(provided.browser)
        self.live_view = LiveView(
            context, self._tabs, self._dialogs, self._pictures, self._liveness.end, provided.downloads
        )
        """The browser for a person beside it; costs nothing while nobody watches."""

    @classmethod
    async def open(cls, provided: ProvidedBrowser, proxy: ProxyAddress | None = None) -> "BrowserSession":
        """Make a context and open its first tab; nobody owns it yet."""
        context = await provided.browser.new_context(
            viewport={"width": 1280, "height": 800},
            locale="en-US",
            timezone_id="UTC",
            accept_downloads=True,
            proxy=proxy.settings() if proxy else None,
        )
        session = cls(provided, context, proxy)
        session._listen()
        await asyncio.gather(session._pictures.prepare(), session._tabs.prepare(), session.new_tab())
        if provided.is_shared:
            channel = await context.new_cdp_session(session.page)
            target = (await send(channel, "Target.getTargetInfo"))["targetInfo"]
            session._acts.ignore_others(target["browserContextId"])
        if proxy is not None and proxy.ready_url is not None:
            await show_credentials(context, session.page, proxy)
        return session

    async def bind(self, options: SessionOptions) -> None:
        """Give the session to an execution."""
        self._options = options
        self._tabs.limit = options.max_tabs
        self._downloads.max_bytes = options.max_download_bytes
        self._downloads.check_room = options.check_room
        if options.storage_state is not None:
            async with self.guard("restore cookies"):
                await self._context.set_storage_state(options.storage_state)
        # not before: the proxy of a taker whose browser dies here is still needed for the next one
        if self.proxy is not None and (leave := self.proxy.leave) is not None:
            self._liveness.end.add_done_callback(lambda _: leave())

    async def answers(self) -> bool:
        """True when the browser answers a command within two seconds."""
        return await self._liveness.answers()

    @property
    def lost(self) -> "asyncio.Future[str]":
        """Resolves with the reason when the browser or its page dies, or the session has ended."""
        return self._liveness.lost

    @property
    def vendor_id(self) -> str:
        """The provider's name for this browser."""
        return self.provided.vendor_id

    @property
    def context(self) -> BrowserContext:
        """Playwright's context: cookies, and requests that carry them."""
        return self._context

    @property
    def page(self) -> Page:
        """The current tab."""
        return self._tabs.current

    @property
    def tabs(self) -> Sequence[Page]:
        """All open tabs, oldest first."""
        return self._tabs.all

    def guard(self, what: str = "") -> AbstractAsyncContextManager[None]:
        """Around whatever uses the browser: errors become ours, and a dead browser ends it at once."""
        return self._liveness.guard(what)

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
        page = self.page
        address = absolute_url(url, page.url)
        self._sent.navigated()
        self._dialogs.forget_wish()
        async with self.guard(f"open `{address}`"), self._explained(address):
            since = self._outbound.mark()
            try:
                answer = await page.goto(
                    address, wait_until=wait_until, referer=referer, timeout=max(1, timeout_seconds * 1000)
                )
            except PlaywrightError as error:
                # the address is a file: it is kept like any download that nobody waits for
                if "Download is starting" in error.message:
                    return None
                raise
            if answer is None:
                return None
            if trouble := self._outbound.trouble(answer.url, since):
                raise trouble
            if not allow_error_status:
                check_status(answer.status, answer.url)
            return answer.status

    async def new_tab(self) -> Page:
        """Open a blank tab and make it current."""
        async with self.guard("open a tab"):
            return await self._tabs.open()

    async def switch_to(self, tab: Page) -> None:
        """Make a tab the current one."""
        async with self.guard("switch to a tab"):
            await self._tabs.switch_to(tab)

    async def close_tabs(self, which: Literal["current", "others", "last"]) -> int:
        """Close tabs; how many. The current one's opener becomes current."""
        current = self.page
        chosen = {
            "current": [current],
            "others": [tab for tab in self.tabs if tab is not current],
            "last": [self.tabs[-1]],
        }[which]
        async with self.guard("close tabs"):
            return await self._tabs.close(chosen)

    async def find(
        self, locator: Locator, purpose: Purpose, *, kind: TargetKind = "anything", timeout_seconds: float
    ) -> Found:
        """Wait for the element that fits the purpose; `NotPresent` with a diagnosis when the time is over.

        `kind` is what words in the locator may mean; `NotClear` when they could mean several.
        """
        async with self.guard(f"find {locator}"):
            while True:
                async with self._tabs.looking():
                    if not locator.words:
                        return await self._finder.find(locator, purpose, timeout_seconds=timeout_seconds)
                    meant = await self._words.find(locator, purpose, kind, timeout_seconds=timeout_seconds)
                    return meant.found

    async def find_by_key(self, key: str, purpose: Purpose, *, timeout_seconds: float) -> Found:
        """The form field meant by `key`: its label, aria-label, placeholder, name or id."""
        async with self.guard(f"find the field `{key}`"):
            while True:
                async with self._tabs.looking():
                    return await self._finder.find(key, purpose, timeout_seconds=timeout_seconds)

    async def find_by_words(
        self, phrase: str, purpose: Purpose, *, kind: TargetKind = "control", timeout_seconds: float
    ) -> Found:
        """The one element that the words mean; `NotPresent` or `NotClear` when they do not lead to one."""
        return await self.find(Locator(words=phrase), purpose, kind=kind, timeout_seconds=timeout_seconds)

    async def locate_by_words(
        self, phrase: str, *, kind: TargetKind = "control", timeout_seconds: float
    ) -> Locator:
        """A locator that finds the element the words mean, and no other."""
        async with self.guard(f"find `{phrase}`"):
            wanted = Locator(words=phrase)
            return (await self._words.find(wanted, "see", kind, timeout_seconds=timeout_seconds)).locator

    async def word_snapshot(self) -> Snapshot:
        """The page as `pagehand.page.phrases` sees it, to resolve phrases against later."""
        async with self.guard("look at the page"):
            return await self._words.snapshot()

    async def find_all(
        self, locator: Locator, *, within: Element | None = None, one: bool = False
    ) -> list[Element]:
        """All that match right now, in the first frame that has any; empty when nothing does. Never waits.

        With `one`, words that could mean several elements are refused (`NotClear`).
        """
        async with self.guard(f"find {locator}"):
            while True:
                async with self._tabs.looking():
                    if locator.words:
                        return await self._words.find_all(locator, within, one=one)
                    return await self._finder.find_all(locator, within)

    async def remember(self, element: Element) -> Fingerprint | None:
        """What a found element is like, to find it again by; None when the page cannot say."""
        async with self.guard("look at an element"):
            return await self._healer.remember(element)

    async def is_another(self, element: Element, fingerprint: Fingerprint) -> bool:
        """True when a found element is plainly not the remembered one."""
        async with self.guard("look at an element"):
            return await self._healer.is_another(element, fingerprint)

    async def heal(self, fingerprint: Fingerprint, *, is_commit: bool) -> Proposal:
        """The remembered element on the page as it is now, once the page is quiet; or a refusal."""
        thresholds = self._options.healing if self._options is not None else Thresholds()
        async with self.guard("look for an element by what it was like"):
            await self._navigations.idle(_GRACE_SECONDS)
            await self._healer.wait_until_quiet()
            return await self._healer.heal(fingerprint, thresholds, is_commit=is_commit)

    async def pick(self, x: float, y: float, *, with_locators: bool = True) -> PickedElement | None:
        """The element at a point of the window, and the locators that lead to it."""
        async with self.guard("pick an element"):
            return await pick(self.page, x, y, with_locators=with_locators)

    async def reading_at(self, x: float, y: float) -> RecordedAct | None:
        """Reading the table or the text at a point of the window."""
        async with self.guard("look at an element"):
            return await reading_at(self.page, x, y)

    def acting(self, dialog: Mapping[str, Any] | None = None) -> AbstractAsyncContextManager[Action]:
        """Record dialogs and new tabs while a block acts; waits for a navigation that the act began.

        On leaving, a tab the act opened becomes the current one.
        """
        return self._acts.watching(dialog)

    async def demand_content(self) -> None:
        """Fail where the current tab is blank: whoever reads it would put out nothing."""
        async with self.guard("look at the page"):
            await self._tabs.demand_content()

    def answering(self, dialog: Mapping[str, Any] | None) -> AbstractContextManager[None]:
        """Answer dialogs that open within as `dialog` says."""
        return self._dialogs.answering(dialog, [])

    def demand_answers(self, because: Exception | None = None) -> None:
        """Fail if the page asked something that no block says how to answer; `because` is what followed."""
        self._dialogs.demand_answers(because)

    def forget_questions(self) -> None:
        """What the page asked so far does not matter: whoever acted has judged by other means."""
        self._dialogs.forget_questions()

    async def before_press(self, element: Element | ElementHandle, *, by_enter: bool = False) -> Press:
        """Look at a control that is about to be pressed, or in which Enter is about to be."""
        return await before_press(self._sent, element, by_enter=by_enter)

    async def before_press_at(self, x: float, y: float) -> Press:
        """The same for a point of the window."""
        return await before_press_at(self._sent, self.page, x, y)

    async def download(
        self, start: Callable[[], Awaitable[None]], *, timeout_seconds: float, file_name: str | None
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
        async with self.guard(f"download `{address}`"), self._explained(address):
            tab = await self._tabs.open_aside()
            try:
                channel = await self._context.new_cdp_session(tab)
                return await self._downloads.fetch(
                    channel, address, timeout_seconds=timeout_seconds, file_name=file_name
                )
            finally:
                await tab.close()

    async def mask(self, element: Element | ElementHandle) -> None:
        """Hide what stands in this field in every picture from now on."""
        async with self.guard("mask a field"):
            await self._pictures.mask(element)

    async def screenshot(self) -> bytes | None:
        """A JPEG of what the current tab shows; None when it cannot be pictured."""
        return None if self._liveness.is_over else await self._pictures.take(self.page)

    async def describe(self) -> str:
        """The current tab in words, each thing with a reference; what secret fields hold is not shown."""
        async with self.guard("describe the page"):
            return await description.describe(self.page)

    async def by_reference(self, reference: str) -> tuple[Found, Locator]:
        """The element that the latest description calls so, and a locator that leads to it alone."""
        async with self.guard(f"find `{reference}`"):
            return await description.by_reference(self.page, reference)

    def limit_to(self, domains: Sequence[str] | None) -> None:
        """Hold all traffic of the browser to these domains; None lets go of them."""
        if self.proxy is None or self.proxy.limit is None:
            raise BlockFailed(
                "`allowedDomains` needs the egress proxy, which this remote browser does not go through. "
                "The operator sets `PAGEHAND_EGRESS_PROXY_URL`."
            )
        self.proxy.limit(domains)

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

    async def run_in_page(self, function: str, argument: Any, *, timeout_seconds: float) -> Any:
        """Call a JavaScript function of one argument in the current page's top frame; its result, as JSON."""
        page = self.page
        async with self.guard("run JavaScript"):
            channel = await self._pictures.channel(page)
            try:
                return await scripts.call(page, function, [argument], timeout_seconds)
            except TimedOut:
                if not await scripts.stop(page, channel):
                    await self._tabs.replace(page)
                raise

    async def run_blank(self, function: str, arguments: Sequence[Any], *, timeout_seconds: float) -> Any:
        """Call a JavaScript function in a blank page without a network; its result, as JSON."""
        async with self.guard("run JavaScript"):
            return await self._blank.call(function, arguments, timeout_seconds)

    async def storage_state(self) -> StorageState:
        """Cookies and local storage as they are now."""
        async with self.guard("read cookies"):
            return await self._context.storage_state()

    async def wait_until_quiet(self, still_seconds: float, *, timeout_seconds: float) -> bool:
        """Until the page asks for nothing and has not changed for a while; False when it does not rest."""
        deadline = time.monotonic() + timeout_seconds
        async with self.guard("wait for the page"):
            while (left := deadline - time.monotonic()) > 0:
                await self._navigations.idle(left)
                still = await self._healer.wait_until_quiet(still_seconds, deadline - time.monotonic())
                if still and not self._navigations.is_busy:
                    return True
                await asyncio.sleep(_BREATH_SECONDS)
        return False

    async def settle(self) -> None:
        """Give open requests and downloads up to 2 s; the engine asks before it calls a run finished."""
        if not self._liveness.is_over:
            await asyncio.gather(
                self._navigations.idle(_GRACE_SECONDS), self._downloads.settle(_GRACE_SECONDS)
            )

    async def end(self) -> None:
        """Let the page settle, then throw the browser away; nothing of it is left."""
        try:
            await self.settle()
        finally:
            self._liveness.lose("The browser session has ended.")
            try:
                await self.live_view.close()
            finally:
                await self.provided.close()

    def _listen(self) -> None:
        self._context.on("dialog", self._dialogs.opened)
        self._context.on("download", self._download_began)
        self._context.on("framenavigated", self._downloads.arrived)
        self._context.on("page", self._downloads.opened)
        self._context.on("page", self._tab_appeared)
        self._acts.listen(self.provided.control)

    def _report(self, type_: str, message: str, data: Mapping[str, Any]) -> None:
        if self._options is not None:
            self._options.on_event(type_, message, data)

    async def _save(self, content: Path | bytes, name: str, mime_type: str) -> FileInfo:
        if self._options is None:
            raise OurFault("A file arrived in a browser that no execution has taken.")
        return await self._options.save_file(content, name, mime_type)

    @asynccontextmanager
    async def _explained(self, address: str) -> AsyncGenerator[None]:
        """A failure within is reported as the proxy saw it: closed by the operator, refused, not found."""
        since = self._outbound.mark()
        try:
            yield
        except (PlaywrightError, BlockFailed, SiteDown) as error:
            # after a redirect to another host only the newest trouble can be the cause
            trouble = self._outbound.trouble(address, since) or self._outbound.latest(since)
            if trouble is None:
                raise
            raise trouble from error

    def _tab_appeared(self, page: Page) -> None:
        page.on("crash", self._crashed)
        self._acts.tab_appeared(page)
        if self._navigations.came_to_nothing(page):
            self._tabs.turn_away(page)
        else:
            self._tabs.appeared(page)

    def _download_began(self, download: Download) -> None:
        self._downloads.began(download)
        self._tabs.drop_blank(download.page)

    def _crashed(self, page: Page) -> None:
        if page is self._tabs.current:
            self._liveness.lose("The page crashed.")

"""The running browser for a person who watches or drives it: its pictures, its tabs, and their input.

Nothing happens here while nobody watches: the first watcher starts it, the last one to leave stops it.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct, convert
from playwright.async_api import BrowserContext, CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.dialogs import Answer, Dialogs
from pagehand.browser.live_view.input import UserInput
from pagehand.browser.live_view.outside_page import DropdownLists, FileChoosers, Questions
from pagehand.browser.live_view.recorded_field import value_at
from pagehand.browser.live_view.recorder import Recorder
from pagehand.browser.live_view.screencast import Screencast
from pagehand.browser.liveness import BrowserLiveness
from pagehand.browser.picking import element_at, locate, pick
from pagehand.browser.provider import send
from pagehand.browser.screenshots import Screenshots
from pagehand.browser.tabs import Tabs
from pagehand.browser_session import PickedElement, Question, ScreencastFrame, Tab
from pagehand.errors import BlockFailed, BrowserLost
from pagehand.javascript import load_script
from pagehand.loop import spawn
from pagehand.page.dom import on_dom
from pagehand.workflow.recorded import RecordedAct

_TITLE_SECONDS: Final = 1.0
_TITLE_LENGTH: Final = 200


class TabList:
    """Numbers the tabs of a session; a number is never used again."""

    def __init__(self, tabs: Tabs, channel: Callable[[Page], Awaitable[CDPSession]]) -> None:
        """`channel` gives a tab's protocol channel."""
        self._tabs = tabs
        self._channel = channel
        self._numbers: dict[Page, int] = {}
        self._last_number = 0

    def number_new(self) -> list[Page]:
        """Give every new tab a number; the new ones."""
        new = [page for page in self._tabs.all if page not in self._numbers]
        for page in new:
            self._last_number += 1
            self._numbers[page] = self._last_number
        for page in self._numbers.keys() - set(self._tabs.all):
            del self._numbers[page]
        return new

    def page_of(self, number: int) -> Page | None:
        """The tab of that number; None when it is closed."""
        return next((page for page, own in self._numbers.items() if own == number), None)

    async def describe(self) -> tuple[Tab, ...]:
        """All tabs, oldest first."""
        return tuple([await self._describe(page) for page in self._tabs.all])

    async def _describe(self, page: Page) -> Tab:
        title = ""
        with suppress(PlaywrightError, TimeoutError):
            async with asyncio.timeout(_TITLE_SECONDS):
                # asked of the browser, because the page itself cannot answer while a dialog is open
                answer = await send(await self._channel(page), "Target.getTargetInfo")
                title = str(answer["targetInfo"]["title"])[:_TITLE_LENGTH]
        site = urlsplit(page.url).netloc.rpartition("@")[2]
        if "://" in title or title.startswith(f"{site}/"):
            title = ""  # Chromium gives the address of a page that has no title
        return Tab(self._numbers.get(page, 0), title, site, page is self._tabs.current)


_LOOK_SECONDS: Final = 0.2
_LAST_LOOK_SECONDS: Final = 6.0
"""How long what was typed last is waited for when the browser closes."""
_NAVIGATION_MS: Final = 30_000
_READABLE: Final = on_dom(load_script(__file__, "readable"))


class LiveView:
    """What a person sees of one browser session, and what they may do with it.

    Its parts are made when first needed: most runs are never watched.
    """

    def __init__(
        self,
        context: BrowserContext,
        tabs: Tabs,
        dialogs: Dialogs,
        screenshots: Screenshots,
        liveness: BrowserLiveness,
        folder: Path | None,
    ) -> None:
        """`folder` is where uploads go, when the browser has one on this machine."""
        self._context = context
        self._tabs = tabs
        self._dialogs = dialogs
        self._screenshots = screenshots
        self._liveness = liveness
        self._folder = folder
        self.tabs: tuple[Tab, ...] = ()
        self._wakers: list[Callable[[], None]] = []
        self._is_driven = False
        self._recorder: Recorder | None = None
        self._following: asyncio.Task[None] | None = None
        self._switched = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def input(self) -> UserInput:
        """Mouse and keyboard."""
        return self._input

    @property
    def choosers(self) -> FileChoosers:
        """File choosers."""
        return self._choosers

    @cached_property
    def _input(self) -> UserInput:
        return UserInput(self._input_channel)

    @cached_property
    def _choosers(self) -> FileChoosers:
        return FileChoosers(self._folder, self._wake)

    @cached_property
    def _screencast(self) -> Screencast:
        return Screencast(self._context, self._screenshots, self._wake)

    @cached_property
    def _questions(self) -> Questions:
        return Questions(self._dialogs, self._wake)

    @cached_property
    def _dropdown_lists(self) -> DropdownLists:
        return DropdownLists(self._channel)

    @cached_property
    def _tab_list(self) -> TabList:
        return TabList(self._tabs, self._channel)

    @property
    def frame(self) -> ScreencastFrame | None:
        """The newest picture of the current tab."""
        return self._screencast.frame

    @property
    def question(self) -> Question | None:
        """The dialog that waits for the person's answer."""
        return self._questions.current

    @asynccontextmanager
    async def watching(self, wake: Callable[[], None]) -> AsyncGenerator[None]:
        """Within, `wake` is called whenever there is something new to see."""
        self._wakers.append(wake)
        if self._following is None:
            self._following = asyncio.create_task(self._follow())
        try:
            yield
        finally:
            self._wakers.remove(wake)
            if not self._wakers:
                await self._stop_following()

    def drive(self) -> None:
        """A person has control: they answer dialogs and file choosers, and new tabs come to the front."""
        self._is_driven = True
        self._tab_list.number_new()
        self._questions.start_asking()
        self._prepare_tabs()

    def stop_driving(self) -> None:
        """The run has control again: what the person left unanswered is answered by the rules."""
        if not self._is_driven:
            return
        self._is_driven = False
        self._spawn(self._dropdown_lists.restore)
        self.input.release_all()
        self._questions.stop_asking()
        self.choosers.stop_listening()

    async def record(self, on_act: Callable[[RecordedAct], None], *, with_address: bool) -> None:
        """Report what the person does from now on, as acts that blocks can repeat."""
        await self.stop_recording()
        self._recorder = recorder = Recorder(lambda: self._tabs.current, on_act)
        recorder.begin(with_address=with_address)
        self.input.observer = recorder
        self.choosers.on_open = recorder.chooser_opened
        self._context.on("download", recorder.download_began)
        self._context.on("page", recorder.tab_opened)

    async def stop_recording(self) -> None:
        """Report no more acts."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            await self.input.idle()  # what was done before the recording ends belongs to it
            self.input.observer = None
            self.choosers.on_open = None
            self._context.remove_listener("download", recorder.download_began)
            self._context.remove_listener("page", recorder.tab_opened)
            await recorder.end()

    async def pick(self, x: float, y: float, *, with_locators: bool = True) -> PickedElement | None:
        """The element at a point of the window, and the locators that lead to it."""
        async with self._liveness.guard("pick an element"):
            if with_locators:
                await self.input.idle()  # the person points at the page as their last input leaves it
            page = self._tabs.current
            picked = await pick(page, x, y, with_locators=with_locators)
            if picked is None or not with_locators:
                return picked
            return replace(picked, value=await value_at(page, x, y))

    async def record_read_at(self, x: float, y: float) -> RecordedAct | None:
        """The act of reading the table or the text at a point of the window."""
        async with self._liveness.guard("look at an element"):
            await self.input.idle()
            return await record_read_at(self._tabs.current, x, y)

    def answer(self, question: int, *, accept: bool, text: str | None) -> None:
        """The person's answer to a dialog; one that comes too late is ignored."""
        self._questions.answer(question, Answer(accept, text))

    def switch_to(self, tab: int) -> None:
        """Make a tab the current one."""
        page = self._tab_list.page_of(tab)
        if page is not None:
            self._spawn(lambda: self._switch_to(page))

    def go_back(self) -> None:
        """Go to the previous page."""
        self._spawn(
            lambda: self._navigate(lambda page: page.go_back(timeout=_NAVIGATION_MS, wait_until="commit"))
        )

    def reload(self) -> None:
        """Load the page again."""
        self._spawn(
            lambda: self._navigate(lambda page: page.reload(timeout=_NAVIGATION_MS, wait_until="commit"))
        )

    async def close(self) -> None:
        """The browser is about to close."""
        self.stop_driving()
        with suppress(TimeoutError):  # a page that hangs must not keep the browser open
            async with asyncio.timeout(_LAST_LOOK_SECONDS):
                await self.stop_recording()
        await self._stop_following()
        for task in set(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if "_choosers" in vars(self):  # without choosers there are no uploads to remove
            await self.choosers.clean_up()

    async def _follow(self) -> None:
        """Keep up with which tab is current and what the tabs are called, until nobody watches."""
        while not self._liveness.is_over:
            self._switched.clear()
            with suppress(BrowserLost, BlockFailed, PlaywrightError):
                # a tab that closes meanwhile: the next round looks at what is there then
                await self._look()
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._switched.wait()

    async def _look(self) -> None:
        new = self._tab_list.number_new()
        if self._is_driven and new:
            self._prepare_tabs()
            await self._tabs.switch_to(new[-1])
        # every time: the run itself may have switched tabs
        await self._screencast.follow(self._tabs.current)
        tabs = await self._tab_list.describe()
        if tabs != self.tabs:
            self.tabs = tabs
            self._wake()

    def _prepare_tabs(self) -> None:
        """Make choosers and drop-down lists of all tabs usable for the person."""
        self.choosers.listen(self._tabs.all)
        self._spawn(lambda: self._dropdown_lists.draw_inside(self._tabs.all))

    async def _stop_following(self) -> None:
        following, self._following = self._following, None
        if following is not None:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
            await self._screencast.stop()

    async def _switch_to(self, page: Page) -> None:
        await self._tabs.switch_to(page)
        self._switched.set()

    async def _navigate(self, navigate: Callable[[Page], Awaitable[object]]) -> None:
        await self.input.idle()  # what was typed before belongs to the page before
        await navigate(self._tabs.current)
        if self._recorder is not None:
            self._recorder.moved()

    def _spawn(self, act: Callable[[], Awaitable[None]]) -> None:
        async def act_quietly() -> None:
            with suppress(BrowserLost, BlockFailed, PlaywrightError):
                # a page that does not load or a tab that is gone: the person sees it
                await self._screenshots.wait_until_taken()
                await act()

        spawn(self._tasks, act_quietly())

    async def _input_channel(self) -> CDPSession:
        """Where input goes, once a picture of the page as it was before is taken."""
        await self._screenshots.wait_until_taken()
        return await self._channel(self._tabs.current)

    async def _channel(self, page: Page) -> CDPSession:
        return await self._screenshots.channel(page)

    def _wake(self) -> None:
        for wake in self._wakers:
            wake()


class _Facts(Struct):
    name: str
    columns: list[str]
    """The headings of a table; empty for a text."""


async def record_read_at(page: Page, x: float, y: float) -> RecordedAct | None:
    """The table around the point with its columns, or the text there; None where nothing is."""
    found = await element_at(page, x, y)
    if found is None:
        return None
    frame, element = found
    handle = await element.evaluate_handle(_READABLE)
    target = (await handle.get_property("target")).as_element()
    facts = convert(await handle.evaluate("({name, columns}) => ({name, columns})"), _Facts)
    if target is None:
        return None
    locator, _ = await locate(page, frame, target)
    return RecordedAct(kind="read", locator=locator, name=facts.name, columns=facts.columns)

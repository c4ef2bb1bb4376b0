"""The running browser for a person beside it: what it shows, its tabs, and their input on it.

Nothing happens here while nobody watches: the first watcher starts it, the last one to go stops it.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.devtools import send
from pagehand.browser.dialogs import Answer, Dialogs
from pagehand.browser.live_view.dialogs import Questions
from pagehand.browser.live_view.dropdown_lists import Lists
from pagehand.browser.live_view.file_choosers import Choosers
from pagehand.browser.live_view.input import UserInput
from pagehand.browser.live_view.recorder import Recorder
from pagehand.browser.live_view.screencast import Screencast
from pagehand.browser.screenshots import Pictures
from pagehand.browser.tabs import Tabs
from pagehand.browser_session import Frame, Question, Tab
from pagehand.errors import BlockFailed, BrowserLost
from pagehand.workflow.recorded import RecordedAct

_LOOK_SECONDS: Final = 0.2
_TITLE_SECONDS: Final = 1.0
_MOVE_SECONDS: Final = 30.0
_TITLE_LENGTH: Final = 200


class LiveView:
    """What a person sees of one browser session, and what they may do with it."""

    def __init__(
        self,
        context: BrowserContext,
        tabs: Tabs,
        dialogs: Dialogs,
        pictures: Pictures,
        lost: "asyncio.Future[str]",
        folder: Path | None,
    ) -> None:
        """`folder` is where uploads go, when the browser has one on this machine."""
        self._context = context
        self._recorder: Recorder | None = None
        self._tabs = tabs
        self._lost = lost
        self._pictures = pictures
        self._screencast = Screencast(context, pictures, self._wake)
        self._questions = Questions(dialogs, self._wake)
        self.choosers = Choosers(folder, self._wake)
        self.input = UserInput(self._channel)
        self._lists = Lists(self._channel_of)
        self.tabs: tuple[Tab, ...] = ()
        self._wakers: list[Callable[[], None]] = []
        self._numbers: dict[Page, int] = {}
        self._last_number = 0
        self._is_driven = False
        self._following: asyncio.Task[None] | None = None
        self._chores: set[asyncio.Task[None]] = set()
        self._moved = asyncio.Event()

    @property
    def frame(self) -> Frame | None:
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
                await self._stop()

    def drive(self) -> None:
        """A person has control: dialogs and file choosers are theirs, and new tabs come to the front."""
        self._is_driven = True
        self._number_tabs()
        self._questions.ask_person()
        self.choosers.listen(self._tabs.all)
        self._do(lambda: self._lists.draw_in(self._tabs.all))

    def stop_driving(self) -> None:
        """The run has control again: what the person left unanswered is answered by the rules."""
        if not self._is_driven:
            return
        self._is_driven = False
        self._do(self._lists.restore)
        self.input.let_go()
        self._questions.stop_asking()
        self.choosers.stop_listening()

    async def record(self, on_act: Callable[[RecordedAct], None], *, with_address: bool) -> None:
        """Tell of what the person does from now on, as acts that blocks can do again."""
        await self.stop_recording()
        self._recorder = recorder = Recorder(lambda: self._tabs.current, on_act)
        await recorder.begin(with_address=with_address)
        self.input.observer = recorder
        self.choosers.on_open = recorder.chooser_opened
        self._context.on("download", recorder.download_began)
        self._context.on("page", recorder.tab_opened)

    async def stop_recording(self) -> None:
        """Tell of nothing more."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            self.input.observer = None
            self.choosers.on_open = None
            self._context.remove_listener("download", recorder.download_began)
            self._context.remove_listener("page", recorder.tab_opened)
            await recorder.end()

    def answer(self, question: int, *, accept: bool, text: str | None) -> None:
        """The person's word on a dialog; one that comes too late is ignored."""
        self._questions.answer(question, Answer(accept, text))

    def switch_to(self, tab: int) -> None:
        """Make a tab the current one."""
        page = next((page for page, number in self._numbers.items() if number == tab), None)
        if page is not None:
            self._do(lambda: self._switch(page))

    def go_back(self) -> None:
        """To the page before."""
        self._do(
            lambda: self._move(lambda page: page.go_back(timeout=_MOVE_SECONDS * 1000, wait_until="commit"))
        )

    def reload(self) -> None:
        """Load the page anew."""
        self._do(
            lambda: self._move(lambda page: page.reload(timeout=_MOVE_SECONDS * 1000, wait_until="commit"))
        )

    async def close(self) -> None:
        """The browser is about to go."""
        self.stop_driving()
        await self.stop_recording()
        await self._stop()
        for task in set(self._chores):
            task.cancel()
        await asyncio.gather(*self._chores, return_exceptions=True)
        await self.choosers.clean_up()

    async def _follow(self) -> None:
        """Keep up with which tab is current and what the tabs are called, until nobody watches."""
        while not self._lost.done():
            self._moved.clear()
            with suppress(BrowserLost, BlockFailed, PlaywrightError):
                # a tab that closes meanwhile: the next round looks at what is there then
                await self._look()
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._moved.wait()

    async def _look(self) -> None:
        appeared = self._number_tabs()
        if self._is_driven and appeared:
            self.choosers.listen(self._tabs.all)
            self._do(lambda: self._lists.draw_in(self._tabs.all))
            await self._tabs.switch_to(appeared[-1])
        await self._screencast.follow(self._tabs.current)
        tabs = [await self._describe(page) for page in self._tabs.all]
        if tuple(tabs) != self.tabs:
            self.tabs = tuple(tabs)
            self._wake()

    def _number_tabs(self) -> list[Page]:
        """Give every new tab a number; the new ones."""
        appeared = [page for page in self._tabs.all if page not in self._numbers]
        for page in appeared:
            self._last_number += 1
            self._numbers[page] = self._last_number
        for page in self._numbers.keys() - set(self._tabs.all):
            del self._numbers[page]
        return appeared

    async def _describe(self, page: Page) -> Tab:
        title = ""
        with suppress(PlaywrightError, TimeoutError):
            async with asyncio.timeout(_TITLE_SECONDS):
                # asked of the browser, because the page itself cannot answer while a dialog is open
                answer = await send(await self._channel_of(page), "Target.getTargetInfo")
                title = str(answer["targetInfo"]["title"])[:_TITLE_LENGTH]
        site = urlsplit(page.url).netloc.rpartition("@")[2]
        if "://" in title or title.startswith(f"{site}/"):
            title = ""  # a page without a title goes by its address
        return Tab(self._numbers.get(page, 0), title, site, page is self._tabs.current)

    async def _switch(self, page: Page) -> None:
        await self._tabs.switch_to(page)
        self._moved.set()

    async def _move(self, move: Callable[[Page], Awaitable[object]]) -> None:
        await move(self._tabs.current)
        if self._recorder is not None:
            self._recorder.moved()

    def _do(self, act: Callable[[], Awaitable[None]]) -> None:
        async def quietly() -> None:
            with suppress(BrowserLost, BlockFailed, PlaywrightError):
                # a page that does not load or a tab that is gone: the person sees it
                await act()

        task = asyncio.ensure_future(quietly())
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)

    async def _channel(self) -> CDPSession:
        return await self._channel_of(self._tabs.current)

    async def _channel_of(self, page: Page) -> CDPSession:
        return await self._pictures.channel(page)

    async def _stop(self) -> None:
        following, self._following = self._following, None
        if following is not None:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
            await self._screencast.stop()

    def _wake(self) -> None:
        for wake in self._wakers:
            wake()

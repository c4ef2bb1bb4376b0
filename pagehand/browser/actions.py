"""What an act on a page causes: dialogs, new tabs, a navigation, a page that fails to load."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from msgspec import Struct, convert
from playwright.async_api import CDPSession, ElementHandle, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator as Element

from pagehand.browser.dialogs import Dialogs
from pagehand.browser.effects import SentRequests
from pagehand.browser.liveness import BrowserLiveness
from pagehand.browser.navigation import Navigations
from pagehand.browser.provider import ConnectionErrors
from pagehand.browser.tabs import Tabs, has_closed
from pagehand.browser_session import Action, DialogRule, FormRejection
from pagehand.errors import SiteDown
from pagehand.javascript import load_script
from pagehand.page.dom import is_page_lost, on_dom
from pagehand.workflow.effect_words import promises_effect

_NAVIGATION_SECONDS: Final = 30.0
_POPUP_SECONDS: Final = 2.0
_DIALOG_SECONDS: Final = 2.0
_QUIET_SECONDS: Final = 0.3
_POLL_SECONDS: Final = 0.02
_LOOK_SECONDS: Final = 0.1
# what Playwright's log contains once the mouse or the keys have been used
_WAS_DONE: Final = ("performing click action", "performing dblclick action", ".press(")
_PRESS: Final = on_dom(load_script(__file__, "press"))
_NAME_LENGTH: Final = 80
_SUBMIT: Final = "Submit"
_ANSWER_SECONDS: Final = 1.0
# null where another document has taken the place of the one in which something was pressed
_REJECTION: Final = "() => window[Symbol.for('pagehand.press')]?.formRejection() ?? null"
_Ask = Callable[[str], Awaitable[Any]]


class ActionWatcher:
    """Watches a browser while a block acts in it, and waits for what the act began."""

    def __init__(
        self,
        liveness: BrowserLiveness,
        tabs: Tabs,
        dialogs: Dialogs,
        navigations: Navigations,
        connection_errors: ConnectionErrors,
        before_act: Callable[[], Awaitable[None]],
    ) -> None:
        """`before_act` returns once the page may change."""
        self._before_act = before_act
        self._liveness = liveness
        self._tabs = tabs
        self._dialogs = dialogs
        self._navigations = navigations
        self._connection_errors = connection_errors
        self._popups_announced = 0
        self._tabs_opened = 0
        self._context_id: str | None = None

    def listen(self, control: CDPSession) -> None:
        """Count the tabs that pages are about to open."""
        control.on("Target.targetCreated", self._target_created)

    def ignore_other_contexts(self, context_id: str) -> None:
        """Count the tabs of this browser context alone: other sessions share the browser."""
        self._context_id = context_id

    def tab_opened(self) -> None:
        """A tab has opened, by a page or by us."""
        self._tabs_opened += 1

    @asynccontextmanager
    async def watching(
        self, dialog_rule: DialogRule | None, press: "Press | None" = None
    ) -> AsyncGenerator[Action]:
        """Record dialogs and new tabs within; on leaving, a tab the act opened becomes the current one."""
        await self._before_act()
        # before the act: pressing Publish while a draft is being saved can make two documents of one
        await self._navigations.wait_for_saves(self._tabs.current)
        action, page, since = Action(), self._tabs.current, self._connection_errors.mark()
        # what failed before was not caused by this act
        self._navigations.forget_failures()
        with self._dialogs.answering(dialog_rule, action.dialogs), self._tabs.recording(action.opened):
            try:
                yield action
            except PlaywrightError as error:
                if not await self._has_closed_its_tab(page, error):
                    raise
            async with self._liveness.guard("wait for the page"):
                await self._settle(page, action, press)
                if dialog_rule is not None:
                    await self._wait_for_dialog(action)
                self._raise_if_not_loaded(since)

    async def _has_closed_its_tab(self, page: Page, error: PlaywrightError) -> bool:
        """True when the act itself closed its tab, as choosing something in a look-up window does."""
        if not is_page_lost(error) or not any(sign in error.message for sign in _WAS_DONE):
            return False
        return await has_closed(page) and await self._liveness.answers()

    async def _settle(self, page: Page, action: Action, press: "Press | None") -> None:
        await self._wait_for_popups()
        for tab in action.opened:
            if tab in self._tabs.all:
                await self._tabs.switch_to(tab)
        for tab in {page, self._tabs.current}:
            try:
                look = _acted_on(action, press) if tab is page else None
                await self._navigations.settle(tab, _NAVIGATION_SECONDS, look)
            except PlaywrightError:
                # a window that closes itself when its work is done has nothing left to wait for
                if not tab.is_closed() or self._liveness.is_over:
                    raise

    async def _wait_for_popups(self) -> None:
        """Wait for tabs that pages began to open: the browser announces them before the act returns."""
        began = time.monotonic()
        while self._tabs_opened - self._tabs.opened_by_us < self._popups_announced:
            # a tab appears once its site answers, which may take long
            limit = _NAVIGATION_SECONDS if self._navigations.is_opening else _POPUP_SECONDS
            self._tabs.arrived.clear()
            try:
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._tabs.arrived.wait()
            except TimeoutError:
                if time.monotonic() < began + limit:
                    continue
                # it was closed before it was ready, or Chromium refused its address
                self._popups_announced = self._tabs_opened - self._tabs.opened_by_us
                return

    async def _wait_for_dialog(self, action: Action) -> None:
        """A block with a rule for dialogs expects one: it may come after a request or a pause."""
        began = time.monotonic()
        quiet_at = began + _QUIET_SECONDS
        while not action.dialogs and time.monotonic() < began + _DIALOG_SECONDS:
            if self._navigations.is_busy:
                quiet_at = time.monotonic() + _QUIET_SECONDS
            elif time.monotonic() > quiet_at:
                return
            await asyncio.sleep(_POLL_SECONDS)

    def _raise_if_not_loaded(self, since: int) -> None:
        """Fail when the act led to a page that could not be reached."""
        page, errors = self._tabs.current, self._connection_errors
        # the error page does not say which address failed
        is_error_page = page.url.startswith("chrome-error:")
        if error := errors.latest(since) if is_error_page else errors.error_of(page.url, since):
            raise error
        if reason := self._navigations.failure_of(page):
            raise SiteDown(f"The page that this led to did not come: `{reason}`.")

    def _target_created(self, event: dict[str, Any]) -> None:
        target = event["targetInfo"]
        is_ours = self._context_id in (None, target.get("browserContextId"))
        if target["type"] == "page" and target.get("openerId") and is_ours:
            self._popups_announced += 1


class _Control(Struct, rename="camel"):
    """What `press.js` finds out about the control."""

    name: str = ""
    signs_in: bool = False
    """True when its form is a sign-in form."""


class _Rejection(Struct, rename="camel"):
    """What `press.js` answers afterwards about a form that was not submitted."""

    field: str
    message: str
    is_sure: bool


class Press:
    """One press, from just before it to just after it."""

    def __init__(self, sent: SentRequests, ask: _Ask, control: _Control | None) -> None:
        """`ask` evaluates a function of nothing in the control's document; there may be no control."""
        self._sent = sent
        self._ask = ask
        self._is_watched = control is not None
        self._answer: _Rejection | None = None
        self._sent_before = sent.sent
        control = control or _Control()
        self.name = control.name[:_NAME_LENGTH]
        # some forms want a password once more for what they do
        self.signs_in = control.signs_in and (self.name == _SUBMIT or not promises_effect(self.name))

    async def look(self) -> None:
        """Ask the document, once it has handled the press, whether its form was held back."""
        if self._is_watched:
            self._answer = convert(await self._ask(_REJECTION), _Rejection | None)
            self._is_watched = False
        else:
            await self._ask("() => 0")

    async def form_rejection(self) -> FormRejection | None:
        """Why the form was not submitted; None when it was, or when there is none."""
        if self._is_watched:
            # the page has moved on, or is too busy with what the press began
            with suppress(PlaywrightError, TimeoutError):
                async with asyncio.timeout(_ANSWER_SECONDS):
                    await self.look()
        found = self._answer
        # something was sent after all, by a script of the page
        if found is None or (not found.is_sure and self._sent.sent > self._sent_before):
            return None
        return FormRejection(found.field[:_NAME_LENGTH], found.message)


async def before_press(sent: SentRequests, element: Element | ElementHandle, *, by_enter: bool) -> Press:
    """Look at the control that is about to be pressed, or in which Enter is about to be pressed."""
    if isinstance(element, ElementHandle):
        look = f"(element, byEnter) => ({_PRESS})([element, byEnter])"
        return await _press(sent, element.evaluate(look, by_enter), element.evaluate)
    # one message, where `evaluate` takes three; an element that went away is an empty list
    look = f"([element], byEnter) => ({_PRESS})([element, byEnter])"
    return await _press(sent, element.evaluate_all(look, by_enter), element.evaluate_all)


async def before_press_at(sent: SentRequests, page: Page, x: float, y: float) -> Press:
    """The same for a point of the window."""
    return await _press(sent, page.evaluate(f"point => ({_PRESS})([point, false])", [x, y]), page.evaluate)


async def _press(sent: SentRequests, looking: Awaitable[Any], ask: _Ask) -> Press:
    try:
        return Press(sent, ask, convert(await looking, _Control | None))
    except PlaywrightError:
        return Press(sent, ask, None)  # it went away: the press itself waits for it and reports it


def _acted_on(action: Action, press: Press | None) -> Callable[[], Awaitable[None]] | None:
    """What shows that the page has handled the input of an act; None where nothing does yet."""
    return _nothing if action.is_answered else press.look if press is not None else None


async def _nothing() -> None:
    """The page has shown it already."""

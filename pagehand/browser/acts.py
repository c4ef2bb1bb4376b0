"""What an act on a page sets off: dialogs, new tabs, a navigation, a page that does not come."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.dialogs import Dialogs
from pagehand.browser.liveness import BrowserLiveness
from pagehand.browser.navigation import Navigations
from pagehand.browser.proxy import Outbound
from pagehand.browser.tabs import Tabs, is_soon_closed
from pagehand.browser_session import Action
from pagehand.errors import SiteDown
from pagehand.page.page_loss import is_page_lost

_NAVIGATION_SECONDS: Final = 30.0
_POPUP_SECONDS: Final = 2.0
_DIALOG_SECONDS: Final = 2.0
_QUESTION_SECONDS: Final = 0.3
_POLL_SECONDS: Final = 0.02
_LOOK_SECONDS: Final = 0.1
# what Playwright's log says once the mouse or the keys have been used
_WAS_DONE: Final = ("performing click action", "performing dblclick action", ".press(")


class Acts:
    """Watches a browser while somebody acts in it, and waits for what the act began."""

    def __init__(
        self,
        liveness: BrowserLiveness,
        tabs: Tabs,
        dialogs: Dialogs,
        navigations: Navigations,
        outbound: Outbound,
    ) -> None:
        self._liveness = liveness
        self._tabs = tabs
        self._dialogs = dialogs
        self._navigations = navigations
        self._outbound = outbound
        self._popups_begun = 0
        self._popups_seen = 0
        self._context_id: str | None = None

    def listen(self, control: CDPSession) -> None:
        """Hear of tabs that are about to open."""
        control.on("Target.targetCreated", self._target_created)

    def ignore_others(self, context_id: str) -> None:
        """Count the tabs of this browser context alone: others have theirs in the same browser."""
        self._context_id = context_id

    def tab_appeared(self, _page: Page) -> None:
        """One of them is there."""
        self._popups_seen += 1

    @asynccontextmanager
    async def watching(self, dialog: Mapping[str, Any] | None) -> AsyncGenerator[Action]:
        """Record dialogs and new tabs within; on leaving, a tab the act opened becomes the current one."""
        # before the act: a draft on its way and a press of Publish can make two documents of one
        await self._navigations.saved(self._tabs.current)
        action, page, since = Action(), self._tabs.current, self._outbound.mark()
        # what failed before is not what this act led to
        self._navigations.forget_failures()
        with self._dialogs.answering(dialog, action.dialogs), self._tabs.noting(action.opened):
            try:
                yield action
            except PlaywrightError as error:
                if not await self._closed_by_act(page, error):
                    raise
            async with self._liveness.guard("wait for the page"):
                await self._settle(page, action)
                if dialog is not None:
                    await self._await_dialog(action)
                self._check_arrival(since)

    async def _closed_by_act(self, page: Page, error: PlaywrightError) -> bool:
        """True when a window closed itself because of what was done in it, as look-up windows do."""
        if not is_page_lost(error) or not any(sign in error.message for sign in _WAS_DONE):
            return False
        return await is_soon_closed(page) and await self._liveness.answers()

    async def _settle(self, page: Page, action: Action) -> None:
        await self._await_popups()
        for tab in action.opened:
            if tab in self._tabs.all:
                await self._tabs.switch_to(tab)
        for tab in {page, self._tabs.current}:
            try:
                await self._navigations.settle(tab, _NAVIGATION_SECONDS)
            except PlaywrightError:
                # a window that closes itself when its work is done has nothing left to wait for
                if not tab.is_closed() or self._liveness.is_over:
                    raise

    async def _await_dialog(self, action: Action) -> None:
        """A block that says how to answer a question expects one: it may come after a request or a pause."""
        began = time.monotonic()
        quiet_at = began + _QUESTION_SECONDS
        while not action.dialogs and time.monotonic() < began + _DIALOG_SECONDS:
            if self._navigations.is_busy:
                quiet_at = time.monotonic() + _QUESTION_SECONDS
            elif time.monotonic() > quiet_at:
                return
            await asyncio.sleep(_POLL_SECONDS)

    async def _await_popups(self) -> None:
        """A tab that is about to open has been announced before the act returns; let it come."""
        began = time.monotonic()
        while self._popups_seen - self._tabs.own < self._popups_begun:
            # a site that takes its time to answer holds its tab back
            patience = _NAVIGATION_SECONDS if self._navigations.is_opening else _POPUP_SECONDS
            self._tabs.arrived.clear()
            try:
                async with asyncio.timeout(_LOOK_SECONDS):
                    await self._tabs.arrived.wait()
            except TimeoutError:
                if time.monotonic() < began + patience:
                    continue
                # it was closed before it was ready, or Chromium refused its address
                self._popups_begun = self._popups_seen - self._tabs.own
                return

    def _check_arrival(self, since: int) -> None:
        """Refuse a page that an act led to and that could not be reached."""
        page, outbound = self._tabs.current, self._outbound
        # the error page does not say which address it stands for
        is_error_page = page.url.startswith("chrome-error:")
        if trouble := outbound.latest(since) if is_error_page else outbound.trouble(page.url, since):
            raise trouble
        if reason := self._navigations.failure(page):
            raise SiteDown(f"The page that this led to did not come: `{reason}`.")

    def _target_created(self, event: dict[str, Any]) -> None:
        target = event["targetInfo"]
        is_ours = self._context_id in (None, target.get("browserContextId"))
        if target["type"] == "page" and target.get("openerId") and is_ours:
            self._popups_begun += 1

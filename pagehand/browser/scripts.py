"""JavaScript of a workflow: in the page with the page's rights, or in a blank page with none."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from typing import Any, Final

from playwright.async_api import Browser, BrowserContext, CDPSession, Frame, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.devtools import send
from pagehand.browser.liveness import Guard
from pagehand.browser.screenshots import Screenshots
from pagehand.browser.tabs import Tabs
from pagehand.browser.typed_secrets import TypedSecrets
from pagehand.errors import BlockFailed, LimitReached, TimedOut
from pagehand.javascript import load_script
from pagehand.page.dom import is_page_lost

_ANSWER_SECONDS: Final = 1.0
# nothing listens there: a request that gets past the offline switch ends here
_NOWHERE: Final = "http://127.0.0.1:1"

_CALL: Final = load_script(__file__, "call_with_json")


class Scripts:
    """Runs JavaScript functions for the blocks of one session."""

    def __init__(
        self, browser: Browser, tabs: Tabs, secrets: TypedSecrets, screenshots: Screenshots, guard: Guard
    ) -> None:
        """`screenshots` has the protocol channel of each tab."""
        self._browser = browser
        self._tabs = tabs
        self._secrets = secrets
        self._screenshots = screenshots
        self._guard = guard

    async def run_in_page(self, function: str, argument: Any, *, timeout_seconds: float) -> Any:
        """Call a JavaScript function of one argument in the current page's top frame; its result, as JSON.

        The function is the workflow's: it is refused while a field holds a typed secret.
        """
        page = self._tabs.current
        async with self._guard("run JavaScript"):
            # before the call: a page whose script hangs can no longer open one
            channel = await self._screenshots.channel(page)
            try:
                async with self._apart_from_secrets(page, timeout_seconds):
                    return await _call(page, function, [argument], timeout_seconds)
            except TimedOut:
                if not await _stop(page, channel):
                    await self._tabs.replace(page)
                raise

    @asynccontextmanager
    async def _apart_from_secrets(self, page: Page, timeout_seconds: float) -> AsyncGenerator[None]:
        def navigated(frame: Frame) -> None:
            # the page may be replaced before the function is called: then it runs in the new one
            if frame is page.main_frame:
                self._secrets.scripted.add(frame.url)

        page.on("framenavigated", navigated)
        try:
            async with _limit(timeout_seconds):
                await self._secrets.raise_if_held()
                await self._secrets.note_script(page)
            yield
        finally:
            page.remove_listener("framenavigated", navigated)

    async def run_in_blank_page(
        self, function: str, arguments: Sequence[Any], *, timeout_seconds: float
    ) -> Any:
        """Call a JavaScript function in a blank page without a network; its result, as JSON."""
        async with self._guard("run JavaScript"):
            return await self._blank_page.call(function, arguments, timeout_seconds)

    @cached_property
    def _blank_page(self) -> "_BlankPage":
        return _BlankPage(self._browser)


class _BlankPage:
    """A page without a network, opened when first needed and closed when a script hangs in it."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._context: BrowserContext | None = None
        self._page: Page | None = None

    async def call(self, function: str, arguments: Sequence[Any], timeout_seconds: float) -> Any:
        page = await self._open()
        try:
            return await _call(page, function, arguments, timeout_seconds)
        except TimedOut:
            await self._close()
            raise

    async def _open(self) -> Page:
        if self._page is None or self._page.is_closed():
            self._context = await self._browser.new_context(
                offline=True,
                service_workers="block",
                accept_downloads=False,
                proxy={"server": _NOWHERE, "bypass": "<-loopback>"},
            )
            self._page = await self._context.new_page()
        return self._page

    async def _close(self) -> None:
        context, self._context, self._page = self._context, None, None
        if context is not None:
            with contextlib.suppress(PlaywrightError, TimeoutError):
                await asyncio.wait_for(context.close(), _ANSWER_SECONDS)


async def _call(page: Page, function: str, arguments: Sequence[Any], timeout_seconds: float) -> Any:
    """What the function returns, as JSON; TimedOut when it does not end, BlockFailed when it throws."""
    try:
        async with _limit(timeout_seconds):
            text: str = await page.evaluate(
                f"given => ({_CALL})(({function.strip().rstrip(';')}), given)", list(arguments)
            )
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        raise BlockFailed(f"The JavaScript failed: {_message_of(error)}") from error
    try:
        return json.loads(text)
    except RecursionError:
        raise LimitReached("The JavaScript returned JSON that is nested too deep.") from None


@asynccontextmanager
async def _limit(seconds: float) -> AsyncGenerator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise TimedOut(f"The JavaScript did not finish within {seconds:g} s.") from None


def _message_of(error: PlaywrightError) -> str:
    line = error.message.split("\n", 1)[0]
    return re.sub(r"^Page\.evaluate: ", "", line)


async def _stop(page: Page, channel: CDPSession) -> bool:
    """Interrupt a script that does not end; False when the page still does not answer."""
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            await send(channel, "Runtime.terminateExecution")
            await page.evaluate("0")
    except (PlaywrightError, TimeoutError):
        return False
    return True

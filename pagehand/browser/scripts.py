"""A user's JavaScript: in the page with the page's powers, or in a blank page with none."""

import asyncio
import contextlib
import json
import re
from collections.abc import Sequence
from typing import Any, Final

from playwright.async_api import Browser, BrowserContext, CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.devtools import send
from pagehand.errors import BlockFailed, LimitReached, TimedOut
from pagehand.javascript import load_script
from pagehand.page.page_loss import is_page_lost

_ANSWER_SECONDS: Final = 1.0
# nothing listens there: whatever the offline switch might let through ends here
_NOWHERE: Final = "http://127.0.0.1:1"

_CALL: Final = load_script(__file__, "call_with_json")


async def call(page: Page, function: str, arguments: Sequence[Any], timeout_seconds: float) -> Any:
    """What the function returns, as JSON; TimedOut when it does not, BlockFailed when it throws."""
    try:
        async with asyncio.timeout(timeout_seconds):
            text: str = await page.evaluate(
                f"given => ({_CALL})(({function.strip().rstrip(';')}), given)", list(arguments)
            )
    except TimeoutError:
        raise TimedOut(f"The JavaScript did not finish within {timeout_seconds:g} s.") from None
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        raise BlockFailed(f"The JavaScript failed: {_own_words(error)}") from error
    try:
        return json.loads(text)
    except RecursionError:
        raise LimitReached("The JavaScript returned JSON that is nested too deep.") from None


async def stop(page: Page, channel: CDPSession) -> bool:
    """Interrupt a script that does not end; False when the page does not come back."""
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            await send(channel, "Runtime.terminateExecution")
            await page.evaluate("0")
    except (PlaywrightError, TimeoutError):
        return False
    return True


class BlankPage:
    """A page without a network, made when first needed and thrown away when a script hangs in it."""

    def __init__(self, browser: Browser) -> None:
        """Nothing opens before the first call."""
        self._browser = browser
        self._context: BrowserContext | None = None
        self._page: Page | None = None

    async def call(self, function: str, arguments: Sequence[Any], timeout_seconds: float) -> Any:
        """Call a JavaScript function with JSON arguments."""
        page = await self._open()
        try:
            return await call(page, function, arguments, timeout_seconds)
        except TimedOut:
            await self.close()
            raise

    async def close(self) -> None:
        """Throw the page away."""
        context, self._context, self._page = self._context, None, None
        if context is not None:
            with contextlib.suppress(PlaywrightError, TimeoutError):
                await asyncio.wait_for(context.close(), _ANSWER_SECONDS)

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


def _own_words(error: PlaywrightError) -> str:
    line = error.message.split("\n", 1)[0]
    return re.sub(r"^Page\.evaluate: ", "", line)

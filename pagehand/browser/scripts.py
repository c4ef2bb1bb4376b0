"""JavaScript of a workflow: in the page with the page's rights, or in a blank page with none."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from typing import Any, Final
from urllib.parse import unquote_plus

from playwright.async_api import Browser, BrowserContext, CDPSession, ElementHandle, Frame, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.liveness import Guard
from pagehand.browser.provider import send
from pagehand.browser.screenshots import Screenshots
from pagehand.browser.tabs import Tabs
from pagehand.errors import BlockFailed, Diagnosis, LimitReached, TimedOut
from pagehand.javascript import load_script
from pagehand.page.dom import is_page_lost

_CLEAR_SECONDS: Final = 2.0


_UNLIKELY_BY_CHANCE: Final = 6
"""Shorter texts may be in other fields and addresses by chance."""


_FIELDS: Final = load_script(__file__, "typed_secrets")


class TypedSecrets:
    """The fields of a session that hold secrets, and where JavaScript of the workflow has run.

    The JavaScript is refused while a field holds a secret that was typed, and where it has run, no secret is
    typed: it can change its page, other tabs and frames of the same origin, and the origin's service worker.
    Redaction is no protection from it, because it can send a secret in any form.
    """

    def __init__(self, tabs: Tabs) -> None:
        self._tabs = tabs
        self._fields: list[tuple[ElementHandle, str]] = []
        self._texts: set[str] = set()
        self.scripted: set[str] = set()
        """The addresses on which JavaScript of the workflow has run."""

    @property
    def may_be_held(self) -> bool:
        """False when no field can hold a secret."""
        return bool(self._fields)

    def add(self, field: ElementHandle, text: str) -> None:
        """`text`, a secret, is about to be typed into `field`."""
        self._fields.append((field, text))
        if len(text) >= _UNLIKELY_BY_CHANCE:
            self._texts.add(text)

    async def clear(self) -> None:
        """Empty the fields that hold secrets; one whose page does not answer still counts as holding one."""
        try:
            async with asyncio.timeout(_CLEAR_SECONDS):
                await self._read(clear=True)
        except TimeoutError:
            return

    async def raise_if_held(self) -> None:
        """`BlockFailed` while a field, or the address of a page, holds a secret."""
        urls = [frame.url for page in self._tabs.all for frame in page.frames]
        if any(text in unquote_plus(url) for text in self._texts for url in urls):
            raise _refusal("the address of an open page holds")
        if await self._read(clear=False):
            raise _refusal("a field of the page holds")
        # whatever the page shows from now on, the script that runs now can wait for
        self._fields.clear()

    async def note_script(self, page: Page) -> None:
        """JavaScript of the workflow is about to run in `page`."""
        self.scripted.add(page.url)
        if not page.url.startswith("http"):
            # a blank page has the origin of the page that opened it
            self.scripted.add(str(await page.evaluate("() => self.origin")))

    def scripted_within(self, is_own_url: Callable[[str], bool]) -> list[str]:
        """The addresses among these on which JavaScript of the workflow has run."""
        return [url for url in self.scripted if is_own_url(url.removeprefix("blob:"))]

    async def _read(self, *, clear: bool) -> bool:
        """Whether a field still holds a secret; forgets fields whose document is gone."""
        held = await asyncio.gather(*(_holds(field, text, clear=clear) for field, text in self._fields))
        self._fields = [known for known, is_held in zip(self._fields, held, strict=True) if is_held]
        return bool(self._fields)


async def _holds(field: ElementHandle, text: str, *, clear: bool) -> bool:
    try:
        own, *others = await field.evaluate(_FIELDS, clear)
    except PlaywrightError:
        return False  # the document is gone, and with it the field
    is_elsewhere = len(text) >= _UNLIKELY_BY_CHANCE and any(text in other for other in others)
    # the field itself may hold the secret in another form, such as in capitals
    return bool(own) or is_elsewhere


def _refusal(where: str) -> BlockFailed:
    return BlockFailed(
        f"The JavaScript was not run: {where} a secret of a login, which a script could read.",
        Diagnosis(
            expected="a page without a typed secret",
            found=f"{where} a secret that was typed",
            advice="Send the form, open another page or empty the field first. A sign-in by `loginId` or a "
            "Login block empties what it typed, so JavaScript can follow it.",
        ),
    )


_ANSWER_SECONDS: Final = 1.0
# nothing listens there: a request that gets past the offline switch ends here
_NOWHERE: Final = "http://127.0.0.1:1"

_CALL: Final = load_script(__file__, "call_with_json")
_LEFT: Final = "Execution context was destroyed"
_WAITS: Final = re.compile(r"\b(?:async|await|then|Promise)\b")


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
        # one that waits for nothing has run to its end, and has left the page with its result
        if _LEFT in error.message and not _WAITS.search(function):
            return None
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

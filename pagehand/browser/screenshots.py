"""What is kept of pages for the events of a block: screenshots, and what pages complained about."""

import asyncio
import base64
import json
from collections.abc import Callable
from typing import Final

import structlog
from playwright.async_api import (
    BrowserContext,
    CDPSession,
    ConsoleMessage,
    ElementHandle,
    Page,
    Request,
    Response,
)
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator as Element

from pagehand.browser.effects import short_address
from pagehand.browser.provider import send
from pagehand.javascript import load_script
from pagehand.loop import spawn
from pagehand.records import Json

_MOST: Final = 20
"""How many of each are kept for one block."""
_MOST_SEEN: Final = 500
"""After so many messages nobody listens until the next block: a page may write them without end."""
_SHOWN_LENGTH: Final = 300
_SEARCHED_LENGTH: Final = 20_000
"""Of each message, before it is cut: half a secret would not be recognized."""
_REASON_LENGTH: Final = 80
_FIRST_ERROR_STATUS: Final = 400
_ABORTED: Final = "net::ERR_ABORTED"
"""A navigation ends requests of the page before; that is no failure."""
_SECONDS: Final = 5.0
_QUALITY: Final = 60
# Chromium refuses for a moment while one page replaces another
_PAUSES: Final = (0.02, 0.1, 0.3, 0.0)
_log = structlog.get_logger(__name__)

# Runs in every document: password fields stay masked when a page turns them into text, and fields that we
# masked are masked again when the page renders them again.
_MASK_KEEPER: Final = load_script(__file__, "mask_keeper")


class Screenshots:
    """Takes screenshots of tabs, over one protocol channel per tab."""

    def __init__(self, context: BrowserContext) -> None:
        """Nothing is opened before the first screenshot."""
        self._context = context
        self._channels: dict[Page, CDPSession] = {}
        self._signatures: set[str] = set()
        self._being_taken: set[asyncio.Task[bytes | None]] = set()

    async def prepare(self) -> None:
        """Install the masking of secret fields in every document."""
        await self._context.add_init_script(f"({_MASK_KEEPER})(null)")

    def start(self, page: Page) -> "asyncio.Task[bytes | None]":
        """Take a screenshot meanwhile; whatever changes the page must `wait_until_taken` first."""
        return spawn(self._being_taken, self.take(page))

    async def wait_until_taken(self) -> None:
        """Return once no screenshot is being taken: the page may change now."""
        while self._being_taken:
            await asyncio.wait(self._being_taken)

    async def take(self, page: Page) -> bytes | None:
        """A JPEG of what the tab shows; None when the browser gives none, and the log says why."""
        try:
            async with asyncio.timeout(_SECONDS):
                for pause in _PAUSES:
                    try:
                        return await self._capture(page)
                    except PlaywrightError as error:
                        if page.is_closed():
                            break
                        _log.debug("the browser refused a picture for now", reason=error.message)
                    await asyncio.sleep(pause)
        except TimeoutError:
            _log.warning("a page did not draw itself in time for a picture", seconds=_SECONDS)
        return None

    async def _capture(self, page: Page) -> bytes:
        channel = await self.channel(page)
        shot = await send(
            channel, "Page.captureScreenshot", format="jpeg", quality=_QUALITY, optimizeForSpeed=True
        )
        return base64.b64decode(shot["data"])

    async def mask(self, element: Element | ElementHandle, *, is_secret: bool = False) -> None:
        """Hide the text of this field from now on, also after the page is rendered or loaded again.

        Of a secret, blocks read only stars, and nothing can be copied out of the field.
        """
        signature = await _masked(element, is_secret=is_secret)
        if signature is not None and signature not in self._signatures:
            self._signatures.add(signature)
            await self._context.add_init_script(f"({_MASK_KEEPER})({json.dumps(signature)})")

    async def channel(self, page: Page) -> CDPSession:
        """The tab's protocol channel, opened on first use; others use it too."""
        if page not in self._channels:
            self._channels[page] = await self._context.new_cdp_session(page)
            page.once("close", self._forget)
        return self._channels[page]

    def _forget(self, page: Page) -> None:
        self._channels.pop(page, None)


async def _masked(element: Element | ElementHandle, *, is_secret: bool) -> str | None:
    """Mask the field; how it is recognized when the page draws it again."""
    if not isinstance(element, ElementHandle):
        # one message instead of three
        found: list[str | None] = await element.evaluate_all(
            f"(found, isSecret) => found.map((element) => ({_MASK_KEEPER})(element, isSecret))", is_secret
        )
        if found:
            return found[0]
    # it is being drawn again: this waits for it
    return await element.evaluate(_MASK_KEEPER, is_secret)


class PageProblems:
    """Listens to a context; `take` gives what was noted since the last time."""

    def __init__(self, context: BrowserContext) -> None:
        """Starts listening."""
        self._context = context
        self._messages: list[str] = []
        self._requests: list[str] = []
        self._seen = 0
        context.on("requestfailed", self._failed)
        context.on("response", self._answered)
        context.on("console", self._written)

    def take(self, hide: Callable[[str], str]) -> Json:
        """What was noted, for the event of a block; empty if nothing was. `hide` takes secrets out."""
        console = [hide(message)[:_SHOWN_LENGTH] for message in self._messages]
        facts = {"console": console, "failedRequests": self._requests}
        if self._seen >= _MOST_SEEN:
            self._context.on("console", self._written)
        self._messages, self._requests, self._seen = [], [], 0
        return {name: lines for name, lines in facts.items() if lines}

    def _written(self, message: ConsoleMessage) -> None:
        self._seen += 1
        if self._seen == _MOST_SEEN:
            self._context.remove_listener("console", self._written)
        if message.type in ("error", "warning") and len(self._messages) < _MOST:
            self._messages.append(f"{message.type}: {message.text[:_SEARCHED_LENGTH]}")

    def _failed(self, request: Request) -> None:
        if request.failure != _ABORTED:
            self._add(request, request.failure or "failed")

    def _answered(self, response: Response) -> None:
        if response.status >= _FIRST_ERROR_STATUS:
            self._add(response.request, f"{response.status} {response.status_text[:_REASON_LENGTH]}".strip())

    def _add(self, request: Request, problem: str) -> None:
        if len(self._requests) < _MOST:
            # without the query: it may hold what nobody should read in an event
            self._requests.append(f"{request.method} {short_address(request.url)}: {problem}")

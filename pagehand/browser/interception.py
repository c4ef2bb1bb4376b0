"""The bytes of files: taken on their way into a tab, or read from the disk of a browser elsewhere."""

import asyncio
import base64
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser, CDPSession, Page

from pagehand.browser.errors import net_error
from pagehand.browser.provider import send
from pagehand.javascript import load_script

_CHUNK_BYTES: Final = 1 << 20
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


@dataclass(slots=True, frozen=True)
class InterceptedResponse:
    """A response whose body is still to be read."""

    channel: CDPSession
    request_id: str
    url: str
    status: int
    headers: dict[str, str]

    async def read(self) -> AsyncIterator[bytes]:
        """The body, in chunks."""
        answer = await send(self.channel, "Fetch.takeResponseBodyAsStream", requestId=self.request_id)
        stream = answer["stream"]
        while True:
            chunk = await send(self.channel, "IO.read", handle=stream, size=_CHUNK_BYTES)
            content: str = chunk["data"]
            yield base64.b64decode(content) if chunk.get("base64Encoded") else content.encode()
            if chunk["eof"]:
                break
        await send(self.channel, "IO.close", handle=stream)


@asynccontextmanager
async def intercept(channel: CDPSession, url: str) -> AsyncGenerator[InterceptedResponse]:
    """Open `url` in the tab of `channel` and stop before the tab gets to see the response.

    A navigation carries the cookies, the proxy and the redirects of a visitor, and Chromium gives the
    body as a stream, so a large file is never held in memory.
    """
    paused: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    channel.on("Fetch.requestPaused", paused.put_nowait)
    await send(channel, "Network.setBypassServiceWorker", bypass=True)
    pattern = {"urlPattern": "*", "resourceType": "Document", "requestStage": "Response"}
    await send(channel, "Fetch.enable", patterns=[pattern])
    navigating = asyncio.ensure_future(send(channel, "Page.navigate", url=url))
    try:
        yield await _final_response(channel, paused, url)
    finally:
        navigating.cancel()
        await asyncio.gather(navigating, return_exceptions=True)


async def _final_response(
    channel: CDPSession, paused: asyncio.Queue[dict[str, Any]], url: str
) -> InterceptedResponse:
    """The first response that is not a redirect."""
    while True:
        event = await paused.get()
        if "responseErrorReason" in event:
            raise net_error(_error_code(event["responseErrorReason"]), url)
        status = event["responseStatusCode"]
        headers = {header["name"].lower(): header["value"] for header in event["responseHeaders"]}
        # a browser shows the body of a redirect without a location: no other response would come
        if status not in _REDIRECTS or "location" not in headers:
            return InterceptedResponse(channel, event["requestId"], event["request"]["url"], status, headers)
        await send(channel, "Fetch.continueRequest", requestId=event["requestId"])


def _error_code(reason: str) -> str:
    """`ConnectionRefused` as Chromium writes it elsewhere: `ERR_CONNECTION_REFUSED`."""
    words = "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in reason)
    return f"ERR{words.upper()}"


_READ: Final = load_script(__file__, "read_chosen_file")


_READ_BYTES: Final = 1_000_000


class RemoteFile:
    """One file on the browser's machine.

    The protocol has no command that reads a file. But a file field accepts any path of the browser's machine,
    and a blank page of ours may read the file in its field.
    """

    def __init__(self, page: Page) -> None:
        self._page = page

    async def size(self) -> int:
        """Its bytes, counted; Playwright's Error when it does not exist."""
        return (await self._page.evaluate(_READ, [0, 1]))["size"]

    async def read(self) -> AsyncGenerator[bytes]:
        """Its bytes in chunks."""
        start, size = 0, 1
        while start < size:
            part = await self._page.evaluate(_READ, [start, start + _READ_BYTES])
            size = part["size"]
            yield base64.b64decode(part["base64"])
            start += _READ_BYTES


@asynccontextmanager
async def remote_file(browser: Browser, path: Path) -> AsyncGenerator[RemoteFile]:
    """The file at `path` of the browser's machine, opened in a context without any site."""
    # a separate context: pages of the execution must not see the file
    context = await browser.new_context()
    try:
        page = await context.new_page()
        await page.set_content("<input type=file>")
        channel = await context.new_cdp_session(page)
        root = (await send(channel, "DOM.getDocument"))["root"]["nodeId"]
        field = (await send(channel, "DOM.querySelector", nodeId=root, selector="input"))["nodeId"]
        await send(channel, "DOM.setFileInputFiles", nodeId=field, files=[path.as_posix()])
        yield RemoteFile(page)
    finally:
        await context.close()

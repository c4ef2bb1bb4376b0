"""Files on the disk of a browser that runs on another machine, read through its debugging connection.

The protocol has no command that reads a file. But a file field accepts any path of the browser's machine, and
a blank page of ours may read the file in its field.
"""

import base64
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, Page

from pagehand.browser.devtools import send
from pagehand.javascript import load_script

_READ: Final = load_script(__file__, "read_chosen_file")
_CHUNK_BYTES: Final = 1_000_000


class RemoteFile:
    """One file on the browser's machine."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def size(self) -> int:
        """Its bytes, counted; Playwright's Error when it does not exist."""
        return (await self._page.evaluate(_READ, [0, 1]))["size"]

    async def read(self) -> AsyncGenerator[bytes]:
        """Its bytes in chunks."""
        start, size = 0, 1
        while start < size:
            part = await self._page.evaluate(_READ, [start, start + _CHUNK_BYTES])
            size = part["size"]
            yield base64.b64decode(part["base64"])
            start += _CHUNK_BYTES


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

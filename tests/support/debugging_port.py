"""A Chromium with a debugging port, not started by Pagehand."""

import asyncio
import json
import os
import shutil
import signal
import tempfile
import urllib.request
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pagehand.browser.installation import require_browser
from pagehand.settings import Settings

_START_SECONDS = 60


@dataclass
class DebuggedBrowser:
    """Where it listens."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def web_socket(self) -> str:
        return (await self._ask("/json/version"))["webSocketDebuggerUrl"]

    async def tabs(self) -> list[str]:
        """The addresses of all open tabs."""
        return [tab["url"] for tab in await self._ask("/json/list") if tab["type"] == "page"]

    async def _ask(self, path: str) -> Any:
        def read() -> Any:
            with urllib.request.urlopen(f"{self.url}{path}", timeout=20) as answer:  # noqa: S310 - loopback
                return json.load(answer)

        return await asyncio.to_thread(read)


@asynccontextmanager
async def debugged_browser(*before: str) -> AsyncGenerator[DebuggedBrowser]:
    """One browser, ended with the block; `before` is a command that runs it, with its own as arguments."""
    installed = await require_browser(Settings(browser_install=False))
    profile = Path(tempfile.mkdtemp(prefix="debugged-", dir="/var/tmp"))
    flags = ["--headless", "--no-first-run", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    process = await asyncio.create_subprocess_exec(
        *before,
        installed.path,
        *flags,
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield DebuggedBrowser(await _port(profile / "DevToolsActivePort"))
    finally:
        # Debian's browser is started by a shell script, which does not take it along
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        shutil.rmtree(profile, ignore_errors=True)


async def _port(path: Path) -> int:
    async with asyncio.timeout(_START_SECONDS):
        while not (written := await asyncio.to_thread(_text_of, path)):  # noqa: ASYNC110 - a file has no event
            await asyncio.sleep(0.05)
    return int(written.splitlines()[0])


def _text_of(path: Path) -> str:
    return path.read_text() if path.exists() else ""

"""One Chromium for many tests: to launch one costs more than most of them do."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar

from playwright.async_api import BrowserContext
from playwright.async_api import Error as PlaywrightError

from pagehand.browser import BrowserSession, LocalProvider, SessionOptions
from pagehand.browser.provider import LaunchOptions, ProvidedBrowser, send
from pagehand.records import FileInfo
from pagehand.settings import Settings

_Session = TypeVar("_Session", bound=BrowserSession)


async def refuse_file(content: Path | bytes, name: str, mime_type: str) -> FileInfo:
    """For sessions in which nothing is to be downloaded."""
    raise AssertionError(f"`{name}` ({mime_type}) was downloaded and nobody expects it: {content!r}")


class SharedBrowser:
    """Creates sessions that share one browser, each with its own context."""

    def __init__(self) -> None:
        self._provider = LocalProvider(Settings(browser_install=False))
        self._browser: ProvidedBrowser | None = None

    async def take(
        self, options: SessionOptions | None = None, kind: type[_Session] = BrowserSession
    ) -> _Session:
        """A session as the pool would give it; its end closes its context and leaves the browser."""
        browser = await self._living()
        control = await browser.browser.new_browser_cdp_session()
        await send(control, "Target.setDiscoverTargets", discover=True, filter=[{"type": "page"}])

        async def close() -> None:
            await session.context.close()
            await control.detach()

        session = await kind.open(replace(browser, control=control, close=close))
        await session.bind(options or SessionOptions(save_file=refuse_file))
        return session

    async def context(self, **options: Any) -> BrowserContext:
        """A plain browser context for pages we only look at; close it when done."""
        return await (await self._living()).browser.new_context(**options)

    async def _living(self) -> ProvidedBrowser:
        if self._browser is None or not await _answers(self._browser):
            self._browser = await self._provider.launch(LaunchOptions())
        return self._browser

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._provider.close()


async def _answers(browser: ProvidedBrowser) -> bool:
    """False after a test that killed it, or the driver."""
    try:
        async with asyncio.timeout(10):
            await send(browser.control, "Browser.getVersion")
    except (PlaywrightError, TimeoutError):
        return False
    return True

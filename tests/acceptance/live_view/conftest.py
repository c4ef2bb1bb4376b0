"""The person's own browser, and the page it opens."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import Browser

from pagehand.browser import LaunchOptions, LocalProvider
from pagehand.settings import Settings
from support.console import build_with_tools


@pytest.fixture(scope="module")
async def browser(anyio_backend: str) -> AsyncGenerator[Browser]:
    """The person's own browser."""
    assert anyio_backend == "asyncio"
    await asyncio.to_thread(build_with_tools)
    provider = LocalProvider(Settings(browser_install=False))
    yield (await provider.launch(LaunchOptions())).browser
    await provider.close()

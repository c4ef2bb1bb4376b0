"""The person's own browser."""

from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import Browser

from pagehand.browser import LaunchOptions, LocalProvider
from pagehand.settings import Settings


@pytest.fixture(scope="module")
async def browser(anyio_backend: str) -> AsyncGenerator[Browser]:
    """The person's own browser."""
    assert anyio_backend == "asyncio"
    provider = LocalProvider(Settings(browser_install=False))
    yield (await provider.launch(LaunchOptions())).browser
    await provider.close()

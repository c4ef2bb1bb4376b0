"""What every test may count on."""

from collections.abc import AsyncGenerator, Generator

import pytest

from support.shared_browser import SharedBrowser
from support.site import Site, serving


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
async def shared(anyio_backend: str) -> AsyncGenerator[SharedBrowser]:
    assert anyio_backend == "asyncio"
    async with SharedBrowser() as browser:
        yield browser


@pytest.fixture
def site() -> Generator[Site]:
    with serving() as running:
        yield running

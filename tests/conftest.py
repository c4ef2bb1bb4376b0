"""What every test may count on."""

from collections.abc import Generator

import pytest

from support.site import Site, serving


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def site() -> Generator[Site]:
    with serving() as running:
        yield running

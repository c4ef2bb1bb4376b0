"""What every test may count on."""

import gc
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from pagehand.testing import standstills
from support import service_log
from support.portal import Portal, PortalWithCode, serve_portal
from support.postgres import postgres_server
from support.shared_browser import SharedBrowser
from support.site import Site, serving
from support.webservice import WebService, web_service

_HERE = Path(__file__).parent
_SLOW_FOLDERS = {"applications", "faults", "miniwob", "widgets", "workers"}
_LONGEST_FOLDERS = ("workers", "faults")


def pytest_configure(config: pytest.Config) -> None:
    """Watch for standstills of the machine, once for all workers."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        until_the_end = ExitStack()
        until_the_end.enter_context(standstills.watched())
        config.add_cleanup(until_the_end.close)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what starts applications or many processes; other slow tests carry the mark themselves.

    The tests that take minutes run first: begun last, one would keep the others' processors idle.
    """
    for item in items:
        if _folder(item.path) in _SLOW_FOLDERS:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: _folder(item.path) not in _LONGEST_FOLDERS)


@cache
def _folder(path: Path) -> str:
    return path.relative_to(_HERE).parts[0]


@pytest.fixture(autouse=True)
def no_fault_of_a_service(request: pytest.FixtureRequest) -> Generator[None]:
    """Fail a test in which a service answered 500, logged an error or held its loop, unless provoked."""
    yield
    assert gc.isenabled(), "garbage would be kept in all later tests"
    faults = service_log.new_faults()
    if request.node.get_closest_marker("provokes_faults") is None:
        assert not faults, "a service had faults of its own:\n" + "\n".join(faults)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
async def shared(anyio_backend: str) -> AsyncGenerator[SharedBrowser]:
    assert anyio_backend == "asyncio"
    async with SharedBrowser() as browser:
        yield browser


@pytest.fixture(scope="session")
def postgres_url() -> Generator[str]:
    """A PostgreSQL server, for all tests of this process that want one."""
    with postgres_server() as url:
        yield url


@pytest.fixture
def site() -> Generator[Site]:
    with serving() as running:
        yield running


@pytest.fixture
def plain() -> Generator[Portal]:
    """A site that asks for a user name and a password."""
    with serve_portal(Portal()) as portal:
        yield portal


@pytest.fixture
def guarded() -> Generator[PortalWithCode]:
    """A site that asks for a code as well."""
    with serve_portal(PortalWithCode()) as portal:
        assert isinstance(portal, PortalWithCode)
        yield portal


@pytest.fixture
def partner() -> Generator[WebService]:
    """A service that blocks call."""
    with web_service() as running:
        yield running

"""The console in a real Chromium: one service per test file, and one browser shared by all of them.

A test takes `console` and opens pages: `page = await console.open("/executions", width=390, theme="dark")`.
It prepares what it looks at with `api`. A file that needs another service defines its own `service` fixture.
"""

from collections.abc import AsyncGenerator, Iterator

import pytest
from playwright.async_api import expect

from support.console import Console, build_with_tools
from support.service import Api, RunningService
from support.shared_browser import SharedBrowser

expect.set_options(timeout=30_000)
"""A slow machine with other work beside it: what is expected may come late; 5 s are the default."""


@pytest.fixture(scope="session")
def bundle() -> None:
    """The console, built from the sources as they are, with axe-core beside it."""
    build_with_tools()


@pytest.fixture(scope="module")
def service(bundle: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service without the demo, which needs no key."""
    del bundle
    running = RunningService(tmp_path_factory.mktemp("console") / "data").start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def api(service: RunningService) -> Api:
    """The same service by its API, to prepare what a test looks at."""
    return service.api()


@pytest.fixture
async def console(shared: SharedBrowser, service: RunningService) -> AsyncGenerator[Console]:
    """Opens pages; the test fails when one of them wrote an error that the test did not expect."""
    opened = Console(shared, service.url)
    yield opened
    await opened.close()
    assert opened.errors == []

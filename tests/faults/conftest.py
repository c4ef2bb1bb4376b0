"""Services that tests break."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.service import Api, RunningService


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One for tests that must not break it, with small limits."""
    running = RunningService(
        tmp_path_factory.mktemp("faults") / "data",
        PAGEHAND_CONCURRENCY="2",
        PAGEHAND_MAX_PAUSED="4",
        PAGEHAND_MAX_OUTPUT_BYTES="2000000",
        PAGEHAND_MAX_VALUE_BYTES="100000",
        PAGEHAND_MAX_EVENTS="200",
        PAGEHAND_BROWSER_POOL="1",
    ).start()
    yield running
    running.stop()


@pytest.fixture
def api(service: RunningService) -> Api:
    return service.api()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"

"""Services that tests break."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.postgres import new_database
from support.service import Api, RunningService
from support.workers import Fleet, SingleServiceFleet


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


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """One service on SQLite."""
    made = SingleServiceFleet(tmp_path_factory.mktemp("alone"), PAGEHAND_CONCURRENCY="3")
    try:
        made.node()
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[Fleet]:
    """An API node and a worker on PostgreSQL."""
    with new_database(postgres_url) as database:
        made = Fleet(tmp_path_factory.mktemp("workers"), database, PAGEHAND_CONCURRENCY="3")
        try:
            made.node()
            made.worker()
            yield made
        finally:
            made.stop()


@pytest.fixture(scope="module", params=["alone", "workers"])
def both(request: pytest.FixtureRequest) -> Fleet:
    """The service in each of its two forms; tests leave it working."""
    return request.getfixturevalue(request.param)

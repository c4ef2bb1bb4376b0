"""A service that is started once for all acceptance tests."""

from collections.abc import Iterator

import pytest

from support.service import QUEUE_LIMIT, Api, RunningService


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    running = RunningService(tmp_path_factory.mktemp("service") / "data").start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def api(service: RunningService) -> Api:
    """A caller without a key: the organization `default`."""
    return service.api()


@pytest.fixture(scope="session")
def other(service: RunningService) -> Api:
    """A caller of another organization."""
    return service.api(service.new_key("other"))


@pytest.fixture(scope="session")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that demands keys, runs nothing, and has a short queue and file URLs that last a second."""
    running = RunningService(
        tmp_path_factory.mktemp("locked") / "data",
        "--no-worker",
        PAGEHAND_REQUIRE_KEY="1",
        PAGEHAND_FILE_URL_SECONDS="1",
        PAGEHAND_MAX_QUEUED=str(QUEUE_LIMIT),
    ).start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def keyed(locked: RunningService) -> Api:
    """A caller of the locked service, with a key."""
    return locked.api(locked.new_key("keyed"))

"""A service that is started once for all acceptance tests."""

from collections.abc import Iterator

import pytest

from support.service import Api, RunningService


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

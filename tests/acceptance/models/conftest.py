"""A service whose model answers by a script."""

from collections.abc import Iterator

import pytest

from support.model import ScriptedModel, scripted_model
from support.service import Api, RunningService


@pytest.fixture(scope="session")
def shared_model() -> Iterator[ScriptedModel]:
    with scripted_model() as running:
        yield running


@pytest.fixture(scope="session")
def smart_service(
    tmp_path_factory: pytest.TempPathFactory, shared_model: ScriptedModel
) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("smart") / "data"
    running = RunningService(folder, **shared_model.env, PAGEHAND_HEAL_AFTER_SECONDS="1").start()
    yield running
    running.stop()


@pytest.fixture
def model(shared_model: ScriptedModel) -> ScriptedModel:
    """The service's model, with nothing asked of it yet."""
    shared_model.requests.clear()
    shared_model.script = None
    return shared_model


@pytest.fixture
def smart(smart_service: RunningService) -> Api:
    """A client of the service with the model."""
    return smart_service.api()

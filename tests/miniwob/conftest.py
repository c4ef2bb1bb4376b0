"""The MiniWoB++ pages on loopback, and one running service for all tasks."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.http_server import serving_folder
from support.service import Api, RunningService


@pytest.fixture(scope="session")
def folder() -> Path:
    """Where the installed package keeps its pages."""
    package = importlib.util.find_spec("miniwob")
    assert package is not None
    assert package.submodule_search_locations is not None
    return Path(package.submodule_search_locations[0]) / "html"


@pytest.fixture(scope="session")
def pages(folder: Path) -> Iterator[str]:
    """Address of the folder that holds the tasks' pages."""
    with serving_folder(folder) as address:
        yield f"{address}/miniwob"


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A client of a running service."""
    # pictures have tests of their own; here they would cost a fifth of the time
    running = RunningService(tmp_path_factory.mktemp("miniwob") / "data", PAGEHAND_SCREENSHOTS="0").start()
    yield running.api()
    running.stop()

"""The MiniWoB++ pages on loopback, and one running service for all tasks."""

import functools
import http.server
import importlib.util
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.service import Api, RunningService


class Pages(http.server.SimpleHTTPRequestHandler):
    """Serves the installed package's files and says nothing about it."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own word
        del format, args


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
    handler = functools.partial(Pages, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/miniwob"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A client of a running service."""
    # pictures have tests of their own; here they would cost a fifth of the time
    running = RunningService(tmp_path_factory.mktemp("miniwob") / "data", PAGEHAND_SCREENSHOTS="0").start()
    yield running.api()
    running.stop()

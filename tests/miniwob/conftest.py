"""The MiniWoB++ pages on loopback, and one running service for all tasks."""

import functools
import http.server
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

START_SECONDS = 60


class Pages(http.server.SimpleHTTPRequestHandler):
    """Serves the installed package's files and says nothing about it."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own word
        del format, args


@pytest.fixture(scope="session")
def pages() -> Iterator[str]:
    """Address of the folder that holds the tasks' pages."""
    package = importlib.util.find_spec("miniwob")
    assert package is not None
    assert package.submodule_search_locations is not None
    folder = Path(package.submodule_search_locations[0]) / "html"
    handler = functools.partial(Pages, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/miniwob"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A client of a service of our own, started as a user starts it."""
    folder = tmp_path_factory.mktemp("service")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "pagehand",
        "serve",
        "--port",
        str(port),
        "--data-dir",
        str(folder),
        "--no-demo",
    ]
    environment = os.environ | {"PAGEHAND_EGRESS_ALLOW": "127.0.0.1:*"}
    log = folder / "service.log"
    with (
        log.open("wb") as output,
        subprocess.Popen(command, env=environment, stdout=output, stderr=output) as process,  # noqa: S603 - our own
    ):
        try:
            with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client:
                wait_until_ready(client, process, log)
                yield client
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def wait_until_ready(client: httpx2.Client, process: "subprocess.Popen[bytes]", log: Path) -> None:
    """Ask until the service answers; show its log if it never does."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            if client.get("/healthz").is_success:
                return
        except httpx2.TransportError:
            time.sleep(0.05)
    pytest.fail(f"the service did not start:\n{log.read_text(errors='replace')[-4000:]}")

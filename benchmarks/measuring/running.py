"""A real `pagehand serve` on a free loopback port and a fresh data folder."""

import http.client
import json
import os
import signal
import socket
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from measuring import processes
from pagehand.browser.installation import find_browser
from pagehand.settings import Settings

Json = dict[str, Any]
_START_SECONDS = 240


class Client:
    """Posts JSON over one connection that stays open."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)

    def reconnect(self) -> None:
        """Use a fresh connection from now on; the server closes those on which nothing happens."""
        self._connection.close()

    def post_bytes(self, path: str, body: bytes) -> bytes:
        """The answer as it came; anything but 200 is an error."""
        self._connection.request("POST", path, body, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status != http.client.OK:
            raise RuntimeError(f"{path}: {answer.status} {content[:500].decode(errors='replace')}")
        return content

    def post(self, path: str, fields: Json) -> Json:
        """The answer's JSON."""
        return json.loads(self.post_bytes(path, json.dumps(fields).encode()))

    def create(self, name: str, blocks: list[Json]) -> str:
        """Make a workflow; its id."""
        return self.post("/workflows/create", {"name": name, "blocks": blocks})["workflow"]["id"]

    def execute(self, workflow_id: str) -> Json:
        """Run a workflow to its end, which must be a good one."""
        execution = self.post("/workflows/executeSync", {"workflowId": workflow_id})["execution"]
        if execution["status"] != "Completed":
            raise RuntimeError(execution["errorAnalysis"])
        return execution

    def timed(self, workflow_id: str, times: int, *, rests: bool = False) -> list[float]:
        """Milliseconds from order to result, for each run; with rests, nothing else goes on meanwhile."""
        took: list[float] = []
        for _ in range(times):
            if rests:
                processes.wait_until_quiet()
            self.reconnect()
            began = time.perf_counter()
            self.execute(workflow_id)
            took.append((time.perf_counter() - began) * 1000)
        return took


class Service:
    """The running service."""

    def __init__(self, folder: Path, **env: str) -> None:
        self.port = free_port()
        self.folder = folder
        self._env = {**os.environ, "PAGEHAND_EGRESS_ALLOW": "127.0.0.1:*", **env}
        self.log_path = folder.parent / f"{folder.name}.log"
        self._log = self.log_path.open("ab")
        arguments = ["-m", "pagehand", "serve", "--no-demo", "--port", str(self.port)]
        self.process = processes.start([*arguments, "--data-dir", str(folder)], env=self._env, log=self._log)

    def wait_until_it_answers(self) -> None:
        """Ask for /healthz until there is an answer."""
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"the service ended: {Path(self._log.name).read_text()[-2000:]}")
            with suppress(OSError):
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", "/healthz")
                if connection.getresponse().status == http.client.OK:
                    return
            time.sleep(0.005)
        raise RuntimeError("the service does not answer")

    def client(self) -> Client:
        """A client with its own connection."""
        return Client(self.port)

    def stop(self) -> None:
        """As an operator would."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self._log.close()


@contextmanager
def running(**env: str) -> Generator[Service]:
    """A service that has answered and is idle, its browsers up."""
    with tempfile.TemporaryDirectory() as folder:
        service = Service(Path(folder) / "data", **env)
        try:
            service.wait_until_it_answers()
            processes.wait_until_quiet()
            yield service
        finally:
            service.stop()


def browser_path() -> str:
    """The Chromium that the service would take."""
    found = find_browser(Settings())
    if found is None:
        raise RuntimeError("no browser: run `pagehand doctor --install`")
    return str(found.path)


def free_port() -> int:
    """A free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]

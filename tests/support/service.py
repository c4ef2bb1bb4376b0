"""A real `pagehand serve` in a separate process, and a client for it."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2

from support import service_log

Json = dict[str, Any]
FINAL = ("Completed", "Failed")
QUEUE_LIMIT = 3
"""How many may wait in the service with the short queue."""
_START_SECONDS = 120


class Api:
    """Posts JSON to a service; `call` demands success, `post` takes any answer."""

    def __init__(self, url: str, key: str | None = None) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.http = httpx2.Client(base_url=url, headers=headers, timeout=120)

    def post(self, path: str, fields: Any = None, **more: Any) -> httpx2.Response:
        return self.http.post(path, json={} if fields is None else fields, **more)

    def call(self, path: str, fields: Any = None, **more: Any) -> Json:
        answer = self.post(path, fields, **more)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:500]}"
        return answer.json()

    def create(self, name: str, *blocks: Json, **more: Any) -> Json:
        return self.call("/workflows/create", {"name": name, "blocks": list(blocks), **more})["workflow"]

    def run(self, *blocks: Json, params: Json | None = None, **more: Any) -> Json:
        """Make a workflow of these blocks and run it to its end."""
        workflow = self.create("test", *blocks)
        fields = {"workflowId": workflow["id"], "params": params or {}, **more}
        return self.call("/workflows/executeSync", fields)["execution"]

    def start(self, workflow_id: str, params: Json | None = None, **more: Any) -> Json:
        fields = {"workflowId": workflow_id, "params": params or {}, **more}
        return self.call("/workflows/execute", fields)["execution"]

    def get(self, execution_id: str) -> Json:
        return self.call("/executions/get", {"id": execution_id})["execution"]

    def events(self, execution_id: str) -> list[Json]:
        return self.call("/executions/events", {"id": execution_id})["events"]

    def wait_for(self, execution_id: str, *statuses: str, seconds: float = 180) -> Json:
        """The execution once it has one of the statuses."""
        end = time.monotonic() + seconds
        while True:
            execution = self.get(execution_id)
            if execution["status"] in statuses:
                return execution
            assert time.monotonic() < end, f"still {execution['status']} after {seconds} s, not {statuses}"
            time.sleep(0.05)

    def wait_for_code(self, execution_id: str) -> Json:
        """The execution once its sign-in waits for a code."""
        execution = self.wait_for(execution_id, "Paused", *FINAL)
        assert execution["authentications"][-1]["status"] == "WaitingForCode", execution
        return execution


class RunningService:
    """One service on a data folder; it can be killed and started again."""

    python = sys.executable
    """Of the environment that Pagehand is installed in."""

    def __init__(self, data_dir: Path, *options: str, **env: str) -> None:
        self.data_dir = data_dir
        self._options = options
        self._env = {**os.environ, "PAGEHAND_EGRESS_ALLOW": "127.0.0.1:*", **env}
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = data_dir.parent / f"{data_dir.name}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.pids: list[int] = []
        """Of all processes that it has had."""
        self._clients: list[Api] = []

    def start(self) -> "RunningService":
        self.begin()
        self.until_healthy()
        return self

    def begin(self) -> None:
        """Start it without waiting for it."""
        command = [self.python, "-m", "pagehand", "serve", "--no-demo"]
        command += ["--port", str(self.port), "--data-dir", str(self.data_dir), *self._options]
        service_log.watch(self.log)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, env=self._env, stdout=log, stderr=log)  # noqa: S603 - our own command
        self.pids.append(self.process.pid)

    def until_healthy(self) -> None:
        end = time.monotonic() + _START_SECONDS
        while self.until_answering("/healthz").status_code != 200:
            assert time.monotonic() < end, f"never healthy: {self.log.read_text()[-2000:]}"
            time.sleep(0.05)

    def until_answering(self, path: str) -> httpx2.Response:
        """The first answer, whatever it is."""
        end = time.monotonic() + _START_SECONDS
        while time.monotonic() < end:
            assert self._process.poll() is None, f"the service ended at start: {self.log.read_text()[-2000:]}"
            with contextlib.suppress(httpx2.TransportError):
                return httpx2.get(f"{self.url}{path}", timeout=2)
            time.sleep(0.05)
        raise AssertionError(f"no answer from the service: {self.log.read_text()[-2000:]}")

    def api(self, key: str | None = None) -> Api:
        client = Api(self.url, key)
        self._clients.append(client)
        return client

    def new_key(self, organization: str) -> str:
        command = [sys.executable, "-m", "pagehand", "keys", "create", "--organization", organization]
        command += ["--data-dir", str(self.data_dir), *database_option(self._options)]
        made = subprocess.run(command, env=self._env, capture_output=True, text=True, check=True)  # noqa: S603 - our own command
        return made.stdout.strip()

    def kill(self) -> None:
        """As a crash would: no warning, and the children are left to notice by themselves."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> int:
        """As an operator would; the exit status."""
        for client in self._clients:
            client.http.close()
        self.ask_to_stop()
        return self._process.wait(60)

    def ask_to_stop(self) -> None:
        """Without waiting for it."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def children(self) -> dict[int, str]:
        """Pid and command line of every process below the service."""
        return {pid: command for pid, command in processes_below(self._process.pid) if command}

    @property
    def _process(self) -> "subprocess.Popen[bytes]":
        assert self.process is not None
        return self.process


def database_option(options: tuple[str, ...]) -> list[str]:
    if "--database" not in options:
        return []
    at = options.index("--database")
    return list(options[at : at + 2])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def command_line(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def processes_below(root: int) -> list[tuple[int, str]]:
    """Pid and command line of every process that a process has started, or one of those."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
    found: list[tuple[int, str]] = []
    todo = [root]
    while todo:
        parent = todo.pop()
        children = [pid for pid, its_parent in parents.items() if its_parent == parent]
        found += [(pid, command_line(pid)) for pid in children]
        todo += children
    return found

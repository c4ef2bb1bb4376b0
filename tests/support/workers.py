"""Several processes of the service on one PostgreSQL: API nodes and workers."""

import base64
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from support import service_log
from support.service import RunningService

_START_SECONDS = 120


class RunningWorker:
    """One `pagehand worker` in a separate process."""

    def __init__(self, folder: Path, database: str, env: dict[str, str]) -> None:
        self._command = [sys.executable, "-m", "pagehand", "worker", "--database", database]
        self._command += ["--data-dir", str(folder)]
        self._env = {**os.environ, "PAGEHAND_EGRESS_ALLOW": "127.0.0.1:*", **env}
        self.log = folder.parent / f"{folder.name}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.pids: list[int] = []
        """Of all processes that it has had."""

    def start(self) -> "RunningWorker":
        """Start it and wait until it takes work."""
        self.begin()
        end = time.monotonic() + _START_SECONDS
        while b"is ready" not in self.log.read_bytes():
            assert self.running.poll() is None, f"the worker ended: {self.log.read_text()[-2000:]}"
            assert time.monotonic() < end, f"never ready: {self.log.read_text()[-2000:]}"
            time.sleep(0.05)
        return self

    def begin(self) -> None:
        """Start it without waiting for it."""
        service_log.watch(self.log)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(self._command, env=self._env, stdout=log, stderr=log)  # noqa: S603 - our own command
        self.pids.append(self.process.pid)

    @property
    def running(self) -> "subprocess.Popen[bytes]":
        """Its process."""
        assert self.process is not None
        return self.process

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.running.send_signal(number)

    def kill(self) -> None:
        """As a crash would."""
        self.running.kill()
        self.running.wait()

    def stop(self) -> int:
        """As an operator would; the exit status."""
        if self.running.poll() is None:
            self.running.send_signal(signal.SIGTERM)
        return self.running.wait(60)


class Fleet:
    """API nodes and workers that share a database, a key and a folder for files."""

    def __init__(self, folder: Path, database: str, **env: str) -> None:
        self.folder = folder
        self.database = database
        self.env = {
            "PAGEHAND_MASTER_KEY": base64.b64encode(bytes(range(32))).decode(),
            "PAGEHAND_FILES": f"file://{folder / 'files'}",
            "PAGEHAND_CONCURRENCY": "2",
            "PAGEHAND_BROWSER_POOL": "0",
            **env,
        }
        self.nodes: list[RunningService] = []
        self.workers: list[RunningWorker] = []

    def node(self, *options: str) -> RunningService:
        """One more API node, ready."""
        folder = self.folder / f"node{len(self.nodes)}"
        made = RunningService(folder, "--database", self.database, "--no-worker", *options, **self.env)
        self.nodes.append(made)
        return made.start()

    def worker(self, **env: str) -> RunningWorker:
        """One more worker, ready."""
        made = RunningWorker(self.folder / f"worker{len(self.workers)}", self.database, {**self.env, **env})
        self.workers.append(made)
        return made.start()

    def stop(self) -> None:
        """End all that live."""
        for worker in self.workers:
            if worker.process is not None and worker.process.poll() is None:
                worker.kill()
        for node in self.nodes:
            if node.process is not None:
                node.stop()  # a dead one still has clients to close


class SingleServiceFleet(Fleet):
    """One service that does everything, on SQLite: a fleet of one node, which runs what it accepts."""

    def __init__(self, folder: Path, **env: str) -> None:
        super().__init__(folder, "", **env)

    def node(self, *options: str) -> RunningService:
        """The service, ready."""
        assert not self.nodes, "there is one process, or workers"
        made = RunningService(self.folder / "alone", *options, **self.env)
        self.nodes.append(made)
        return made.start()

    def worker(self, **env: str) -> RunningWorker:  # noqa: ARG002 - as a fleet's
        """There is none."""
        raise AssertionError("workers share a PostgreSQL")

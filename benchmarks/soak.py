"""Mixed work with faults for a long time: memory, open files and processes must stay where they were.

    python benchmarks/soak.py [--minutes 30] [--seed 1]

Visits, forms, loops, code, files, batches that are cancelled, clients that leave, hostile requests; browsers
and sandbox workers are killed in between. Once a minute everything rests and is counted; the slope of the
second half is what the service loses per hour.
"""

import argparse
import contextlib
import os
import random
import signal
import socket
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from measuring import flows, processes
from measuring.report import Figure, publish
from measuring.running import Service, running
from measuring.site import serving

_FINAL: Final = ("Completed", "Failed")
_WORKERS: Final = 3
_REST_SECONDS: Final = 15.0


@dataclass(slots=True)
class Sample:
    """What the service holds while nothing is to do."""

    minute: float
    memory_mb: float
    files: int
    processes: int


class Soak:
    """Keeps a service busy in every way there is."""

    def __init__(self, service: Service, site: str, number: int) -> None:
        self._service = service
        self._random = random.Random(number)
        self._resting = threading.Event()
        self._over = threading.Event()
        client = service.client()
        self._flows = {
            "visit": client.create("visit", flows.visit(site)),
            "form": client.create("form", flows.form(site)),
            "loop": client.create("loop", [_loop(200)]),
            "missing": client.create("missing", [*flows.visit(site), _click("No such thing")]),
            "code": client.create("code", [_transform("{'n': sum(range(2000))}")]),
            "endless": client.create("endless", [_loop(10_000_000)]),
        }
        self.done: Counter[str] = Counter()
        self.troubles: list[str] = []

    def work(self) -> None:
        """Do one thing after the other until it is over."""
        ways: list[Callable[[], None]] = [
            lambda: self._run("visit"),
            lambda: self._run("form"),
            lambda: self._run("loop"),
            lambda: self._run("missing"),
            lambda: self._run("code"),
            self._cancel_a_batch,
            self._cancel_an_endless_loop,
            self._leave,
            self._send_nonsense,
            self._upload,
            self._kill_a_child,
        ]
        while not self._over.is_set():
            if self._resting.is_set():
                time.sleep(0.2)
                continue
            way = self._random.choice(ways)
            try:
                way()
            except (OSError, RuntimeError, KeyError) as trouble:
                self.troubles.append(repr(trouble)[:300])
                time.sleep(0.5)

    @contextlib.contextmanager
    def busy(self) -> Generator[None]:
        """Several at once, until the context is left."""
        threads = [threading.Thread(target=self.work) for _ in range(_WORKERS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._over.set()
            for thread in threads:
                thread.join()

    def sample(self, minute: float) -> Sample:
        """Wait until nothing runs, and count."""
        self._resting.set()
        self._wait_until_all_is_done()
        time.sleep(_REST_SECONDS)
        root = self._service.process.pid
        found = Sample(
            minute,
            _private_mb(root),
            len(list(Path(f"/proc/{root}/fd").iterdir())),
            1 + len(processes.below(root)),
        )
        self._resting.clear()
        return found

    def _wait_until_all_is_done(self) -> None:
        client, end = self._service.client(), time.monotonic() + 120
        while time.monotonic() < end:
            counts = [
                client.post("/executions/list", {"status": item, "limit": 1})["total"] for item in _OPEN
            ]
            if not any(counts):
                return
            time.sleep(0.5)
        self.troubles.append("executions did not end within two minutes")

    def _run(self, name: str) -> None:
        answer = self._service.client().post("/workflows/executeSync", {"workflowId": self._flows[name]})
        status = answer["execution"]["status"]
        if status not in _FINAL:
            raise RuntimeError(f"{name} ended as {status}")
        self.done[f"{name} {status}"] += 1

    def _cancel_a_batch(self) -> None:
        client = self._service.client()
        rows = [{"n": number} for number in range(100)]
        batch = client.post(
            "/batches/create", {"name": "soak", "workflowId": self._flows["loop"], "rows": rows}
        )
        with contextlib.suppress(RuntimeError):  # all of it may be over already
            client.post("/batches/cancel", {"id": batch["batch"]["id"]})
        self.done["batch"] += 1

    def _cancel_an_endless_loop(self) -> None:
        client = self._service.client()
        started = client.post("/workflows/execute", {"workflowId": self._flows["endless"]})["execution"]
        time.sleep(self._random.random() * 2)
        client.post("/executions/cancel", {"id": started["id"]})
        self.done["endless loop"] += 1

    def _leave(self) -> None:
        """Ask for a run and go away before it ends."""
        body = b'{"workflowId": "%s"}' % self._flows["visit"].encode()
        head = b"POST /workflows/executeSync HTTP/1.1\r\nhost: 127.0.0.1:%d\r\n" % self._service.port
        head += b"content-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
        with contextlib.closing(_connected(self._service.port)) as client:
            client.sendall(head + body)
            time.sleep(0.1)
        self.done["left"] += 1

    def _send_nonsense(self) -> None:
        for sent in (
            b"\x00\xff" * 100,
            b"GET / HTTP/1.1\r\nx: " + b"a" * 100_000,
            b"POST /executions/list HT",
        ):
            with contextlib.suppress(OSError), contextlib.closing(_connected(self._service.port)) as client:
                client.sendall(sent)
        with contextlib.suppress(RuntimeError):
            self._service.client().post_bytes("/executions/list", b'{"search": [' + b"[]," * 100_000 + b"1]}")
        self.done["nonsense"] += 1

    def _upload(self) -> None:
        client = self._service.client()
        file = client.post("/files/upload", {"name": "a.txt", "contentBase64": "QUJD" * 10_000})["file"]
        client.post("/files/delete", {"id": file["id"]})
        self.done["upload"] += 1

    def _kill_a_child(self) -> None:
        if self._random.random() < 0.8:
            return
        children = [pid for pid in processes.below(self._service.process.pid) if _is_expendable(pid)]
        if children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._random.choice(children), signal.SIGKILL)
            self.done["killed"] += 1


_OPEN: Final = ("Enqueued", "InProgress", "Paused")


def _connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def _is_expendable(pid: int) -> bool:
    """A browser or a worker of the sandbox; Playwright's driver is another test's."""
    with contextlib.suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        return b"--remote-debugging-pipe" in command or command.endswith(b"monty\0")
    return False


def _private_mb(pid: int) -> float:
    """Memory that only this process has: what it would give back."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1000


def _loop(rounds: int) -> dict[str, Any]:
    data = {"over": {"times": rounds}, "maxIterations": rounds}
    return {"type": "LoopV2", "data": data, "sequenceData": {"sequence": []}}


def _click(text: str) -> dict[str, Any]:
    return {"type": "Mouse", "locator": {"text": text}, "data": {"timeoutMs": 1000}}


def _transform(code: str) -> dict[str, Any]:
    return {"type": "Transform", "data": {"input": 1, "code": code}}


def slope_per_hour(samples: list[Sample], value: Callable[[Sample], float]) -> float:
    """How much is lost per hour, by the second half: the first is what caches take."""
    later = samples[len(samples) // 2 :]
    if len(later) < 2:
        return 0.0
    return (
        statistics.linear_regression([item.minute for item in later], [value(item) for item in later]).slope
        * 60
    )


def main() -> None:
    """Work, rest, count; the exit status is 1 when something was lost."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    with serving() as site, running(PAGEHAND_CONCURRENCY="3") as service:
        soak, samples = Soak(service, site, asked.seed), list[Sample]()
        began = time.monotonic()
        with soak.busy():
            while (minute := (time.monotonic() - began) / 60) < asked.minutes:
                time.sleep(min(45, asked.minutes * 60 / 6))
                samples.append(soak.sample(minute))
                print(samples[-1], dict(soak.done), flush=True)
    first = statistics.median(sample.memory_mb for sample in samples[: max(1, len(samples) // 4)])
    last = samples[-1]
    figures = [
        Figure("things done", soak.done.total()),
        Figure("memory at first", first, "MB"),
        Figure("memory at the end", last.memory_mb, "MB", at_most=max(1.5 * first, first + 60)),
        Figure(
            "memory per hour, second half", slope_per_hour(samples, lambda sample: sample.memory_mb), "MB/h"
        ),
        Figure("open files at the end, against the beginning", last.files - samples[0].files, at_most=10),
        Figure(
            "processes at the end, against the beginning", last.processes - samples[0].processes, at_most=5
        ),
        Figure("requests that failed", len(soak.troubles), at_most=0.01 * soak.done.total() + 3),
    ]
    details = {
        "done": dict(soak.done),
        "troubles": soak.troubles[:20],
        "samples": [str(sample) for sample in samples],
    }
    publish("soak", f"{asked.minutes:g} minutes of mixed work with faults", figures, **details)
    for trouble in soak.troubles[:10]:
        print(trouble)
    sys.exit(0 if all(figure.is_met is not False for figure in figures) else 1)


if __name__ == "__main__":
    main()

"""Several workers on one PostgreSQL: hand-over, a long queue beside another organization, and more workers.

    python benchmarks/workers.py [--runs 100] [--queued 10000] [--executions 300]

The processes are real ones: an API node, workers, and PostgreSQL. The workflow waits for nothing and needs no
browser, so what is measured is the way through the queue. Moments are the service's own,
`metadata.acceptedAt` and `startTime`. CPU time is that of all processes, PostgreSQL's included, against one
`pagehand serve` on SQLite.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from measuring import processes
from measuring.report import TIMES, Figure, publish

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.postgres import new_database, postgres_server
from support.service import FINAL, Api, Json, RunningService
from support.workers import Fleet

NOTHING_TO_DO: Json = {"type": "Wait", "data": {"durationMs": 0}}
_WORKERS = (1, 2, 4)
_LONGEST_SECONDS = 3600.0


@dataclass
class Beside:
    """What a second organization sees while the first has many waiting."""

    accepted_ms: list[float] = field(default_factory=list[float])
    started_ms: list[float] = field(default_factory=list[float])
    read_ms: list[float] = field(default_factory=list[float])
    listed_ms: list[float] = field(default_factory=list[float])


@contextmanager
def fleet(server: str, workers: int) -> Generator[Fleet]:
    """An API node and workers on a new database."""
    with tempfile.TemporaryDirectory(prefix="pagehand-bench-") as folder, new_database(server) as database:
        made = Fleet(Path(folder), database)
        try:
            made.node()
            for _ in range(workers):
                made.worker()
            yield made
        finally:
            made.stop()


@contextmanager
def alone() -> Generator[Api]:
    """One service that does everything, on SQLite."""
    with tempfile.TemporaryDirectory(prefix="pagehand-bench-") as folder:
        env = {"PAGEHAND_CONCURRENCY": "2", "PAGEHAND_BROWSER_POOL": "0"}
        service = RunningService(Path(folder) / "alone", **env).start()
        try:
            yield service.api()
        finally:
            service.stop()


def handed_over(api: Api, runs: int) -> list[float]:
    """Milliseconds from accepted to started, of executions that are waited for one after the other."""
    workflow = api.create("Nothing", NOTHING_TO_DO)["id"]
    ended = [
        api.call("/workflows/executeSync", {"workflowId": workflow})["execution"] for _ in range(runs + 5)
    ]
    return [_delay_ms(execution) for execution in ended[5:]]  # the first ones find everything cold


def drained(first: Api, second: Api, queued: int) -> tuple[float, Beside]:
    """Seconds until so many of one organization are done, and what another saw meanwhile."""
    batch = _batch(first, queued)
    own = second.create("Nothing", NOTHING_TO_DO)["id"]
    began, seen = time.monotonic(), Beside()
    while not _is_done(first, batch):
        with _timed(seen.accepted_ms):
            execution = second.start(own)["id"]
        with _timed(seen.read_ms):
            second.get(execution)
        with _timed(seen.listed_ms):
            second.call("/executions/list", {"limit": 100})
        seen.started_ms.append(_delay_ms(second.wait_for(execution, *FINAL, seconds=600)))
        if time.monotonic() - began > _LONGEST_SECONDS:
            raise RuntimeError("the queue does not drain")
    return time.monotonic() - began, seen


def throughput(api: Api, executions: int) -> tuple[float, float]:
    """Executions per second, and CPU milliseconds for each."""
    handed_over(api, 5)
    processes.wait_until_quiet()
    cpu, began = processes.cpu_seconds(), time.monotonic()
    batch = _batch(api, executions)
    while not _is_done(api, batch):
        time.sleep(0.1)
    seconds = time.monotonic() - began
    return executions / seconds, (processes.cpu_seconds() - cpu) * 1000 / executions


@contextmanager
def _timed(times: list[float]) -> Generator[None]:
    began = time.perf_counter()
    yield
    times.append((time.perf_counter() - began) * 1000)


def _batch(api: Api, rows: int) -> str:
    workflow = api.create("Nothing", NOTHING_TO_DO)["id"]
    fields: Json = {"name": "Many", "workflowId": workflow, "rows": [{} for _ in range(rows)]}
    return api.call("/batches/create", fields)["batch"]["id"]


def _is_done(api: Api, batch: str) -> bool:
    return api.call("/batches/get", {"id": batch})["batch"]["status"] == "finished"


def _delay_ms(execution: Json) -> float:
    return _ms(execution["startTime"]) - _ms(execution["metadata"]["acceptedAt"])


def _ms(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp() * 1000


def _p99(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=100)[-1]


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--queued", type=int, default=10_000)
    parser.add_argument("--executions", type=int, default=300)
    given = parser.parse_args()
    processes.adopt_orphans()
    speed, cpu = dict[int, float](), dict[int, float]()
    load = os.getloadavg()[0]
    with postgres_server() as server:
        for workers in _WORKERS:
            with fleet(server, workers) as running:
                speed[workers], cpu[workers] = throughput(running.nodes[0].api(), given.executions)
        with alone() as api:
            own_speed, own_cpu = throughput(api, given.executions)
        with fleet(server, 2) as running:
            node = running.nodes[0]
            first, second = (node.api(node.new_key(name)) for name in ("first", "second"))
            waits = handed_over(first, given.runs)
            seconds, seen = drained(first, second, given.queued)
    figures = [
        Figure("load average of the machine before", load),
        Figure("accepted → started by another process, p50", statistics.median(waits), "ms", 50),
        Figure("accepted → started by another process, p99", _p99(waits), "ms"),
        Figure(f"{given.queued:,} queued are done, two workers", seconds, "s"),
        Figure("… a second organization: accepted → started, longest", max(seen.started_ms), "ms", 2000),
        Figure("… a second organization: accepted → started, p50", statistics.median(seen.started_ms), "ms"),
        Figure("… a second organization: asked → accepted, p50", statistics.median(seen.accepted_ms), "ms"),
        Figure("… a second organization: asked → accepted, p99", _p99(seen.accepted_ms), "ms", 100),
        Figure("… a second organization: executions/get, p99", _p99(seen.read_ms), "ms"),
        Figure("… a second organization: executions/list, page of 100, p99", _p99(seen.listed_ms), "ms"),
        *(Figure(f"executions per second, workers: {count}", speed[count]) for count in _WORKERS),
        Figure("executions per second, one service alone on SQLite", own_speed),
        *(Figure(f"CPU per execution, workers: {count}", cpu[count], "ms") for count in _WORKERS),
        Figure("CPU per execution, one service alone on SQLite", own_cpu, "ms"),
        *(
            Figure(f"CPU per execution against alone, workers: {count}", cpu[count] / own_cpu, TIMES)
            for count in _WORKERS
        ),
    ]
    publish("workers", "Several workers on one PostgreSQL", figures, samples=len(seen.started_ms))


if __name__ == "__main__":
    main()

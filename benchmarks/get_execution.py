"""executions/get, requests per CPU-second, against a bare endpoint that returns the same bytes.

    python benchmarks/get_execution.py [--requests 12000] [--rounds 6]

Both are served by uvicorn with the same settings. Beside a small execution a large one is asked for.
"""

import argparse
import json
import time
from collections.abc import Callable

from measuring import processes, running
from measuring.endpoint import Endpoint
from measuring.report import TIMES, Figure, publish

ITEMS = 300
SMALL: list[dict[str, object]] = [{"type": "Wait", "data": {"durationMs": 0}}]
LARGE: list[dict[str, object]] = [
    {
        "type": "Transform",
        "data": {
            "input": ITEMS,
            "code": '[{"order": n, "customer": "Halcyon", "sum": n * 1.5} for n in range(input)]',
        },
    }
]


class Load:
    """Requests to one server, and what they cost it."""

    def __init__(self, client: running.Client, body: bytes) -> None:
        self._client = client
        self._body = body
        self.cpu = 0.0
        self.wall = 0.0
        self.count = 0

    def send(self, count: int) -> None:
        """Ask this often, one after the other."""
        self._client.reconnect()
        cpu, began = processes.cpu_seconds(), time.perf_counter()
        for _ in range(count):
            self._client.post_bytes("/executions/get", self._body)
        self.cpu += processes.cpu_seconds() - cpu
        self.wall += time.perf_counter() - began
        self.count += count

    @property
    def per_cpu_second(self) -> float:
        """Requests for one second of CPU time."""
        return self.count / self.cpu


def compare(
    service: running.Service, blocks: list[dict[str, object]], measure: Callable[[Load, Load], None]
) -> tuple[int, Load, Load]:
    """Size of the answer, and both servers' loads."""
    client = service.client()
    execution = client.execute(client.create("Answer", blocks))
    body = json.dumps({"id": execution["id"]}).encode()
    answer = client.post_bytes("/executions/get", body)
    with Endpoint(answer) as endpoint:
        ours, bare = Load(client, body), Load(running.Client(endpoint.port), body)
        measure(ours, bare)
    return len(answer), ours, bare


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=12000)
    parser.add_argument("--rounds", type=int, default=6)
    given = parser.parse_args()
    processes.adopt_orphans()

    def measure(ours: Load, bare: Load) -> None:
        for _ in range(given.rounds):
            ours.send(given.requests // given.rounds)
            bare.send(given.requests // given.rounds)

    figures: list[Figure] = []
    with running.running(PAGEHAND_BROWSER_POOL="0") as service:
        for name, blocks, wanted in (("small", SMALL, 0.6), ("large", LARGE, None)):
            size, ours, bare = compare(service, blocks, measure)
            label = f"{name} ({size / 1000:.1f} kB)"
            ratio = ours.per_cpu_second / bare.per_cpu_second
            figures += [
                Figure(f"{label}, against a bare endpoint", ratio, TIMES, at_least=wanted),
                Figure(f"{label}, requests per CPU-second", ours.per_cpu_second),
                Figure(f"{label}, the bare endpoint's", bare.per_cpu_second),
            ]
    publish("get_execution", "executions/get, requests per CPU-second", figures)


if __name__ == "__main__":
    main()

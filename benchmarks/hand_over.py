"""From accepting an execution to starting its first block, with a browser ready.

    python benchmarks/hand_over.py [--runs 100]

The moments are the service's own: `metadata.acceptedAt`, `startTime` and the first `block.started` event, in
whole milliseconds. What the client waits for in all is given beside them.
"""

import argparse
import statistics
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from measuring import flows, processes, running, site
from measuring.report import Figure, publish

NOTHING_TO_DO: list[flows.Block] = [{"type": "Wait", "data": {"durationMs": 0}}]


class Moments:
    """Milliseconds after the acceptance, for every run of one workflow."""

    def __init__(self) -> None:
        self.claimed: list[float] = []
        self.block_started: list[float] = []
        self.answered: list[float] = []

    def run(self, client: running.Client, workflow_id: str) -> None:
        """Run once and note what happened when."""
        began = time.perf_counter()
        execution = client.execute(workflow_id)
        self.answered.append((time.perf_counter() - began) * 1000)
        events: list[dict[str, Any]] = client.post("/executions/events", {"id": execution["id"]})["events"]
        first = next(event for event in events if event["type"] == "block.started")
        accepted = _ms(execution["metadata"]["acceptedAt"])
        self.claimed.append(_ms(execution["startTime"]) - accepted)
        self.block_started.append(_ms(first["at"]) - accepted)


def p95(values: Sequence[float]) -> float:
    """The value that one in twenty exceeds."""
    return statistics.quantiles(values, n=20)[-1]


def _ms(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp() * 1000


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    given = parser.parse_args()
    processes.adopt_orphans()
    moments = {"no page": Moments(), "page": Moments()}
    with site.serving() as address, running.running() as service:
        client = service.client()
        without = client.create("Nothing", NOTHING_TO_DO)
        with_page = client.create("One page", flows.visit(address))
        for run in range(given.runs):
            moments["no page"].run(client, without)
            if run % 5 == 0:
                moments["page"].run(client, with_page)
                time.sleep(0.5)  # the pool is warm again before the next one
    figures: list[Figure] = []
    for name, seen in moments.items():
        figures += [
            Figure(f"{name}: accepted → first block, p50", statistics.median(seen.block_started), "ms", 15),
            Figure(f"{name}: accepted → first block, p95", p95(seen.block_started), "ms"),
            Figure(f"{name}: accepted → claimed, p50", statistics.median(seen.claimed), "ms"),
            Figure(f"{name}: sent → answered, p50", statistics.median(seen.answered), "ms"),
        ]
    details = {name: {"block_started_ms": seen.block_started} for name, seen in moments.items()}
    publish("hand_over", "Hand-over to a worker", figures, runs=details)


if __name__ == "__main__":
    main()

"""Executions per minute with two at once, against a bare Playwright loop with two at once.

    python benchmarks/throughput.py [--runs 16] [--rounds 3]

The loop does what an execution does: a browser for each visit, thrown away afterwards. A second
loop, for comparison, keeps one browser for all visits.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from measuring import flows, processes, running, site
from measuring.bare import Bare, BrowserUse
from measuring.report import TIMES, Figure, publish

AT_ONCE = 2
Loop = Callable[[BrowserUse], object]


class Rates:
    """Runs per minute and CPU time of each way, measured in turns."""

    def __init__(self, runs: int) -> None:
        self._runs = runs
        self._per_minute: dict[str, list[float]] = {}
        self._cpu: dict[str, list[float]] = {}

    def measure(self, name: str, run: Callable[[], object]) -> None:
        """Do all runs and note how long they took."""
        cpu, began = processes.cpu_seconds(), time.perf_counter()
        run()
        self._per_minute.setdefault(name, []).append(self._runs * 60 / (time.perf_counter() - began))
        processes.wait_until_quiet()
        self._cpu.setdefault(name, []).append(processes.cpu_seconds() - cpu)

    def per_minute(self) -> dict[str, float]:
        """The median of each way."""
        return {name: statistics.median(rates) for name, rates in self._per_minute.items()}

    def cpu_ms(self) -> dict[str, float]:
        """CPU time of one run of each way."""
        return {name: statistics.mean(cpu) * 1000 / self._runs for name, cpu in self._cpu.items()}


def run_executions(service: running.Service, workflow_id: str, runs: int) -> None:
    """Keep two executions going until all have run."""

    def run_half(_: int) -> None:
        service.client().timed(workflow_id, runs // AT_ONCE)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(run_half, range(AT_ONCE)))


def run_round(
    rates: Rates, name: str, runs: int, service: running.Service, workflow_id: str, loop: Loop
) -> None:
    """The service and both loops, one after the other."""
    rates.measure(f"{name} service", lambda: run_executions(service, workflow_id, runs))
    rates.measure(f"{name} launched", lambda: loop("launched"))
    rates.measure(f"{name} open", lambda: loop("open"))


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    runs: int = given.runs // AT_ONCE * AT_ONCE
    processes.adopt_orphans()
    rates = Rates(runs)
    with site.serving() as address, running.running(PAGEHAND_CONCURRENCY=str(AT_ONCE)) as service:
        client = service.client()
        workflows = {"visit": flows.visit(address), "form": flows.form(address)}
        ids = {name: client.create(name, blocks) for name, blocks in workflows.items()}
        bare = Bare(running.browser_path())

        def loop(flow: str, browser: BrowserUse) -> list[float]:
            return bare.run(flow, address, runs, browser=browser, at_once=AT_ONCE)

        for name in ids:
            loop(name, "open")
        for _ in range(given.rounds):
            for name, workflow_id in ids.items():
                run_round(rates, name, runs, service, workflow_id, partial(loop, name))
        bare.close()
    rate, cpu = rates.per_minute(), rates.cpu_ms()
    figures: list[Figure] = []
    for name, label in (("visit", "one page"), ("form", "a form of 12 blocks")):
        mine = rate[f"{name} service"]
        figures += [
            Figure(f"{label}, against a loop", mine / rate[f"{name} launched"], TIMES, at_least=0.8),
            Figure(f"{label}, against a loop in one browser", mine / rate[f"{name} open"], TIMES),
            Figure(f"{label}, executions per minute", mine),
        ]
    publish(
        "throughput",
        "Executions per minute, two at once",
        figures,
        per_minute=rate,
        cpu_ms_per_run=cpu,
        runs=runs,
    )


if __name__ == "__main__":
    main()

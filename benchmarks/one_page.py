"""One page visited, from the order to the finished execution, against scripts that launch their own browser.

    python benchmarks/one_page.py [--times 10] [--rounds 3]

The script is compared twice: as somebody would run it (a process with a Playwright driver of its own), and
with process and driver already up, which leaves the browser's launch and the visit.
CPU time is taken from executions one after the other, wall time from executions with a rest before each.
"""

import argparse
import time

from measuring import flows, processes, running, site
from measuring.bare import Bare
from measuring.report import TIMES, Figure, publish


def run_script(address: str) -> float:
    """Milliseconds that the script takes as a separate process."""
    began = time.perf_counter()
    process = processes.start(["-m", "measuring.script", running.browser_path(), f"{address}/"])
    output, _ = process.communicate(timeout=60)
    if site.TITLE not in output:
        raise RuntimeError(f"the script output {output!r}")
    return (time.perf_counter() - began) * 1000


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    processes.adopt_orphans()
    costs = processes.Costs()
    with site.serving() as address, running.running() as service:
        client = service.client()
        workflow = client.create("One page", flows.visit(address))
        client.execute(workflow)
        bare = Bare(running.browser_path())
        bare.run("visit", address, 1, browser="launched")
        processes.wait_until_quiet()
        for _ in range(given.rounds):
            costs.measure("service", lambda: client.timed(workflow, given.times))
            costs.measure("alone", lambda: client.timed(workflow, given.times, rests=True))
            costs.measure("warm", lambda: bare.run("visit", address, given.times, browser="launched"))
            costs.measure("script", lambda: [run_script(address) for _ in range(given.times)])
        bare.close()
    wall, cpu = costs.wall_ms(), costs.cpu_ms()
    publish(
        "one_page",
        "One page visited, submit → finished",
        [
            Figure("wall, against a script", wall["alone"] / wall["script"], TIMES, at_most=0.7),
            Figure("CPU, against a script", cpu["service"] / cpu["script"], TIMES, at_most=1.2),
            Figure("wall, against a script whose driver is up", wall["alone"] / wall["warm"], TIMES),
            Figure("CPU, against a script whose driver is up", cpu["service"] / cpu["warm"], TIMES),
            Figure("wall of an execution, p50", wall["alone"], "ms"),
            Figure("CPU of an execution", cpu["service"], "ms"),
        ],
        wall_p50_ms=wall,
        cpu_ms=cpu,
    )


if __name__ == "__main__":
    main()

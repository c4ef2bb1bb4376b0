"""A form flow of twelve blocks over executeSync, against the same Playwright calls on a browser that is open.

    python benchmarks/form_flow.py [--times 8] [--rounds 3]

Pictures are taken by the service; bare Playwright is measured with them and without. The service throws each
browser away and launches its successor meanwhile. What that costs is known from bare Playwright, which is
measured with a browser that stays and with one for each flow, and is taken off the service's CPU time.
CPU time is taken from executions one after the other, wall time from executions with a rest before each.
"""

import argparse

from measuring import flows, processes, running, site
from measuring.bare import Bare
from measuring.report import TIMES, Figure, publish


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    processes.adopt_orphans()
    costs = processes.Costs()
    with site.serving() as address, running.running() as service:
        client = service.client()
        workflow = client.create("Form", flows.form(address))
        outputs = client.execute(workflow)["response"]
        if site.FILLED not in outputs.values():
            raise RuntimeError(f"the outputs of the workflow are {outputs}")
        bare = Bare(running.browser_path())
        bare.run("form", address, 2, browser="open")
        processes.wait_until_quiet()
        for _ in range(given.rounds):
            costs.measure("service", lambda: client.timed(workflow, given.times))
            costs.measure("alone", lambda: client.timed(workflow, given.times, rests=True))
            costs.measure("open", lambda: bare.run("form", address, given.times, browser="open"))
            costs.measure("pictured", lambda: bare.run("pictured_form", address, given.times, browser="open"))
            costs.measure("ahead", lambda: bare.run("form", address, given.times, browser="ahead"))
        bare.close()
    wall, cpu = costs.wall_ms(), costs.cpu_ms()
    launch = cpu["ahead"] - cpu["open"]
    own = cpu["service"] - launch
    publish(
        "form_flow",
        "A form of 12 blocks, submit → finished, against the same calls of bare Playwright",
        [
            Figure("wall, pictures on both sides", wall["alone"] / wall["pictured"], TIMES, at_most=1.3),
            Figure("CPU, pictures on both sides, no launch", own / cpu["pictured"], TIMES, at_most=1.4),
            Figure("wall, pictures on our side only", wall["alone"] / wall["open"], TIMES, at_most=1.3),
            Figure("CPU, pictures on our side only, no launch", own / cpu["open"], TIMES, at_most=1.4),
            Figure("CPU, a browser for each flow on both sides", cpu["service"] / cpu["ahead"], TIMES),
            Figure("CPU, a browser for each execution only", cpu["service"] / cpu["open"], TIMES),
            Figure("wall of an execution, p50", wall["alone"], "ms"),
            Figure("CPU of an execution", cpu["service"], "ms"),
            Figure("CPU of launching and closing a browser", launch, "ms"),
        ],
        wall_p50_ms=wall,
        cpu_ms=cpu,
    )


if __name__ == "__main__":
    main()

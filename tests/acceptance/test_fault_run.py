"""The quick pass of the fault program: a service alone is killed while it works, and keeps its promises.

`benchmarks/faults.py` is the whole of it, with workers, browsers and PostgreSQL; docs/reliability.md says
what is run where.
"""

from pathlib import Path

from support.fault_run import FaultRun
from support.random_faults import RandomFaults
from support.token_recorder import token_recorder
from support.workers import SingleServiceFleet


def test_a_service_that_is_killed_loses_nothing_and_does_nothing_twice(tmp_path: Path) -> None:
    fleet = SingleServiceFleet(tmp_path)
    try:
        fleet.node()
        with token_recorder() as book:
            faults = RandomFaults(fleet, 2, 0.7, with_browsers=False)
            outcome = FaultRun(fleet, book, 2, faults).run(8, patience_seconds=120)
        assert outcome.problems == []
        assert outcome.accepted == 8
        assert outcome.faults["kill_node"] > 0
    finally:
        fleet.stop()

"""Two API nodes and three workers on a real PostgreSQL, while they are killed, frozen and cut off.

    python benchmarks/faults.py [--executions 1000] [--seed 1] [--every 5]

One in ten posts by a form in a browser. A worker stands still for a minute and the database is away for half
of one; workers, browsers and nodes are killed and connections cut, in an order that the seed decides. Prints
how many executions were lost, stuck, done twice or changed after their end and how many browsers were left,
and ends with status 1 when there was one.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.fault_run import FaultRun, Outcome, ledger
from support.postgres import new_database, postgres_server
from support.workers import Fleet


def main() -> int:
    """Run the faults; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two faults")
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--workers", type=int, default=3)
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="pagehand-faults-") as folder,
        postgres_server() as server,
        new_database(server) as database,
        ledger() as book,
    ):
        fleet = Fleet(Path(folder), database)
        try:
            for _ in range(asked.nodes):
                fleet.node()
            for _ in range(asked.workers):
                fleet.worker()
            faults = FaultRun(fleet, book, asked.seed, asked.every, is_thorough=True)
            outcome = faults.run(asked.executions, 600)
        finally:
            fleet.stop()
    _show(asked.seed, outcome)
    return 1 if outcome.problems else 0


def _show(seed: int, outcome: Outcome) -> None:
    print(
        f"seed {seed}: {outcome.accepted} accepted, {outcome.faults.total()} faults, {outcome.seconds:.0f} s"
    )
    for fault, times in sorted(outcome.faults.items()):
        print(f"  {fault}: {times}")
    print(f"  completed {outcome.completed}, failed {dict(outcome.failed)}")
    print(
        f"  lost {len(outcome.lost)}, stuck {len(outcome.stuck)}, doubled {len(outcome.doubled)}, "
        f"late {len(outcome.late)}, orphans {len(outcome.orphans)}"
    )
    for problem in outcome.problems:
        print(f"  BROKEN: {problem}")
    print(
        "every promise was kept" if not outcome.problems else f"{len(outcome.problems)} promises were broken"
    )


if __name__ == "__main__":
    sys.exit(main())

"""Two API nodes and three workers on a real PostgreSQL, while they are killed, frozen and cut off.

    python benchmarks/faults.py [--executions 1000] [--seed 1] [--every 5] [--alone]

One in ten posts by a form in a browser. A worker stands still for a minute and the database is away for half
of one; workers, browsers, nodes and PostgreSQL's server are killed and connections cut, in an order that the
seed decides. With `--alone` it is one service on SQLite, which is killed again and again, and its browsers.
Prints how many executions were lost, stuck, done twice or changed after their end and how many browsers were
left, and ends with status 1 when there was one.
"""

import argparse
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.fault_run import FaultRun, Outcome, ledger
from support.postgres import OwnServer, new_database, own_server
from support.workers import Alone, Fleet


def main() -> int:
    """Run the faults; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two faults")
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--alone", action="store_true", help="one service on SQLite")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pagehand-faults-") as folder, ledger() as book:
        running = _alone(Path(folder)) if asked.alone else _shared(Path(folder), asked.nodes, asked.workers)
        with running as (fleet, server):
            faults = FaultRun(fleet, book, asked.seed, asked.every, server=server, is_thorough=True)
            outcome = faults.run(asked.executions, 600)
    _show(asked.seed, outcome)
    return 1 if outcome.problems else 0


@contextmanager
def _alone(folder: Path) -> Generator[tuple[Fleet, None]]:
    fleet = Alone(folder)
    try:
        fleet.node()
        yield fleet, None
    finally:
        fleet.stop()


@contextmanager
def _shared(folder: Path, nodes: int, workers: int) -> Generator[tuple[Fleet, OwnServer]]:
    with own_server() as server, new_database(server.url) as database:
        fleet = Fleet(folder, database)
        try:
            for _ in range(nodes):
                fleet.node()
            for _ in range(workers):
                fleet.worker()
            yield fleet, server
        finally:
            fleet.stop()


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

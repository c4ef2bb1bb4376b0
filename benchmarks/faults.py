"""Two API nodes and three workers on a real PostgreSQL, while they are killed, frozen and cut off.

    python benchmarks/faults.py [--executions 1000] [--seed 1] [--every 5] [--alone]

One in ten posts by a form in a browser; one of the workers rents its browsers from a vendor. A worker is
frozen for a minute; the database is unavailable for half a minute while a worker, a node and a browser are
killed; workers, browsers, nodes and the PostgreSQL server are killed and connections cut, in an order that
the seed determines. With `--alone` a single service on SQLite and its browsers are killed again and again.
Prints how many executions were lost, stuck, done twice or changed after their end, how many outputs and
pictures cannot be read, and what ended processes left behind. Exits with status 1 if there was any, or if the
run was over before every fault had happened.
"""

import argparse
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.browser_vendors import Vendors, vendors_of_a_browser
from support.fault_run import FaultRun, Outcome
from support.postgres import PostgresServer, new_database, start_postgres
from support.random_faults import RandomFaults
from support.token_recorder import token_recorder
from support.workers import Fleet, SingleServiceFleet


@dataclass(frozen=True)
class _Target:
    """The processes to break."""

    fleet: Fleet
    server: PostgresServer | None = None
    vendor: Vendors | None = None


def main() -> int:
    """Run the faults; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two faults")
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--workers", type=int, default=3, help="the last of them rents its browsers")
    parser.add_argument("--alone", action="store_true", help="one service on SQLite")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pagehand-faults-") as folder, token_recorder() as recorder:
        running = (
            _single_service(Path(folder))
            if arguments.alone
            else _shared_database(Path(folder), arguments.nodes, arguments.workers)
        )
        with running as target:
            fleet = target.fleet
            faults = RandomFaults(
                fleet, arguments.seed, arguments.every, server=target.server, is_thorough=True
            )
            outcome = FaultRun(fleet, recorder, arguments.seed, faults, target.vendor).run(
                arguments.executions, 600
            )
    _show(arguments.seed, outcome)
    return 1 if outcome.problems or outcome.missing else 0


@contextmanager
def _single_service(folder: Path) -> Generator[_Target]:
    fleet = SingleServiceFleet(folder)
    try:
        fleet.node()
        yield _Target(fleet)
    finally:
        fleet.stop()


@contextmanager
def _shared_database(folder: Path, nodes: int, workers: int) -> Generator[_Target]:
    with start_postgres() as server, new_database(server.url) as database, vendors_of_a_browser() as vendor:
        fleet = Fleet(folder, database)
        rents = {"PAGEHAND_BROWSER_PROVIDER": "steel", "PAGEHAND_BROWSER_KEY": "key"}
        try:
            for _ in range(nodes):
                fleet.node()
            for _ in range(workers - 1):
                fleet.worker()
            fleet.worker(**rents, PAGEHAND_BROWSER_URL=vendor.url)
            yield _Target(fleet, server, vendor)
        finally:
            fleet.stop()


def _show(seed: int, outcome: Outcome) -> None:
    print(
        f"seed {seed}: {outcome.accepted} accepted, {outcome.faults.total()} faults, {outcome.seconds:.0f} s"
    )
    for fault, times in sorted(outcome.faults.items()):
        print(f"  {fault}: {times}")
    print(f"  completed {outcome.completed}, failed {dict(outcome.failed)}")
    print(f"  pictures read again {outcome.pictures}, browsers rented {outcome.rented}")
    print(
        f"  lost {len(outcome.lost)}, stuck {len(outcome.stuck)}, doubled {len(outcome.doubled)}, "
        f"late {len(outcome.late)}, unreadable {len(outcome.unreadable)}, orphans {len(outcome.orphans)}"
    )
    for problem in outcome.problems:
        print(f"  BROKEN: {problem}")
    if outcome.missing:
        print(f"  over before {', '.join(outcome.missing)} happened: use more executions")
    print(
        "all guarantees held" if not outcome.problems else f"{len(outcome.problems)} guarantees were broken"
    )


if __name__ == "__main__":
    sys.exit(main())

"""Faults that strike a fleet one after the other, in an order that a seed decides."""

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import psycopg

from support.leftovers import browsers_of
from support.postgres import PostgresServer, database_unavailable
from support.service import RunningService
from support.workers import Fleet, RunningWorker

_FREEZE_SECONDS = 60.0
_AWAY_SECONDS = 30.0
_BROWSER_SECONDS = 10.0
"""How long to wait for a browser that can be killed: only one execution in ten has one."""

Fault = Callable[[], bool]
"""Breaks something; False when there was nothing to break."""


class RandomFaults:
    """Kills, freezes and cuts off what a fleet is made of."""

    def __init__(
        self,
        fleet: Fleet,
        seed: int,
        every_seconds: float,
        *,
        server: PostgresServer | None = None,
        is_thorough: bool = False,
        with_browsers: bool = True,
    ) -> None:
        """A thorough run strikes with every fault once, the two long ones too, before chance decides.

        `server` is the database's, if it may be killed.
        """
        self.with_browsers = with_browsers
        self._fleet = fleet
        self._server = server
        self._random = random.Random(seed)  # noqa: S311 - to be repeatable, not to be secret
        self._every_seconds = every_seconds
        self._possible = self._all_possible()
        self._planned = [*self._long_ones(), *self._possible] if is_thorough else []
        self._random.shuffle(self._planned)
        self._standing_still: set[RunningWorker] = set()
        """Those that must not be killed before they are thawed."""
        self._thawing: list[threading.Thread] = []
        self._is_away = False
        self.struck: Counter[str] = Counter()

    @property
    def missing(self) -> list[str]:
        """What a thorough run should have seen and has not: it was over too soon."""
        return [_name(fault) for fault in self._planned]

    def strike_until(self, is_over: threading.Event) -> None:
        """One fault after the other; returns when it is over and all that stood still is thawed."""
        while not is_over.wait(self._every_seconds):
            self._strike(self._planned.pop() if self._planned else self._random.choice(self._possible))
        for thread in self._thawing:
            thread.join()

    def _strike(self, fault: Fault) -> None:
        if fault():
            self.struck[_name(fault)] += 1

    def _all_possible(self) -> list[Fault]:
        """What can go wrong with what there is."""
        faults: list[Fault] = [self._kill_node, *([self._kill_browser] if self.with_browsers else [])]
        if self._fleet.workers:
            faults += [self._kill_worker, self._freeze_worker]
        if self._fleet.database:
            faults += [self._cut_connections, self._close_database]
        if self._server is not None:
            faults.append(self._kill_database)
        return faults

    def _long_ones(self) -> list[Fault]:
        return [self._freeze_for_a_minute, self._close_for_half_a_minute] if self._fleet.workers else []

    def _kill_database(self) -> bool:
        """Kill the database's server and start it again on its data after a while."""
        assert self._server is not None
        self._server.kill()
        time.sleep(self._random.uniform(0, 5))
        self._server.start()
        return True

    def _kill_worker(self) -> bool:
        worker = self._any_worker()
        if worker is None:
            return False
        worker.kill()
        self._start(worker)
        return True

    def _kill_node(self) -> bool:
        node = self._random.choice(self._fleet.nodes)
        node.kill()
        self._start(node)
        return True

    def _start(self, process: RunningWorker | RunningService) -> None:
        """Start it again; while the database is away it would never be ready."""
        if self._is_away:
            process.begin()
        else:
            process.start()

    def _kill_browser(self) -> bool:
        """Kill one browser; False when there is none for a while."""
        end = time.monotonic() + _BROWSER_SECONDS
        while not (found := sorted(browsers_of(self._fleet.folder))):
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        with suppress(ProcessLookupError):
            os.kill(self._random.choice(found), signal.SIGKILL)
        return True

    def _freeze_worker(self) -> bool:
        return self._freeze(self._random.choice((2.0, 45.0)))

    def _freeze_for_a_minute(self) -> bool:
        return self._freeze(_FREEZE_SECONDS)

    def _freeze(self, seconds: float) -> bool:
        """Let one worker stand still, while other things break."""
        worker = self._any_worker()
        if worker is None:
            return False
        self._standing_still.add(worker)
        worker.send(signal.SIGSTOP)

        def thaw() -> None:
            time.sleep(seconds)
            worker.send(signal.SIGCONT)
            self._standing_still.discard(worker)

        self._thawing.append(threading.Thread(target=thaw))
        self._thawing[-1].start()
        return True

    def _any_worker(self) -> RunningWorker | None:
        """A worker that is not frozen: one that is killed while frozen is never resumed."""
        moving = [worker for worker in self._fleet.workers if worker not in self._standing_still]
        return self._random.choice(moving) if moving else None

    def _close_database(self) -> bool:
        with database_unavailable(self._fleet.database):
            time.sleep(self._random.uniform(1, 6))
        return True

    def _close_for_half_a_minute(self) -> bool:
        """The database is away, and meanwhile a worker, a node and a browser are killed."""
        meanwhile = [self._kill_worker, self._kill_node, self._kill_browser]
        self._random.shuffle(meanwhile)
        with database_unavailable(self._fleet.database):
            end, self._is_away = time.monotonic() + _AWAY_SECONDS, True
            for fault in meanwhile:
                time.sleep(min(self._every_seconds, 5))
                self._strike(fault)
            time.sleep(max(0.0, end - time.monotonic()))
        self._is_away = False
        return True

    def _cut_connections(self) -> bool:
        address = self._fleet.database.replace("postgresql+psycopg://", "postgresql://", 1)
        cut = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(cut)
        return True


def _name(fault: Fault) -> str:
    return fault.__name__.strip("_")

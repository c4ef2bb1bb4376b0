"""Executions under faults, and whether everything that was promised came true.

A driver submits executions with a token each to several API nodes. They post their token to a ledger, some by
an API block and some by a form in a browser, which is an effect that must not be doubled. Meanwhile processes
are killed, frozen and cut off, in an order that the seed decides. The checker then compares what was
accepted, the rows, the ledger, and the processes that are left.
"""

import contextlib
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx2
import psycopg

from support.blocks import click, navigate, wait
from support.postgres import OwnServer, away
from support.service import FINAL, Api, Json, RunningService
from support.workers import Fleet, RunningWorker

_BROWSER_EVERY = 10
"""One in so many executions posts its token by a form in a browser."""
_LATE_SECONDS = 2.0
"""An effect that comes later than this after its execution's end was done by a worker that had lost it."""
_ORPHAN_SECONDS = 60.0
_FORM = b"<!doctype html><title>Ledger</title><form method=post><button>Pay</button></form>"


Fault = Callable[[], bool]
"""Breaks something; False when there was nothing to break."""


class Ledger:
    """Counts tokens that executions post to it, and when each came last."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.seen: Counter[str] = Counter()
        self.last: dict[str, float] = {}


@contextmanager
def ledger() -> Generator[Ledger]:
    """A ledger on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            token = self.path.strip("/")
            made.last[token] = time.time()
            made.seen[token] += 1
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self._answer(b"")

        def do_GET(self) -> None:
            self._answer(_FORM)

        def _answer(self, content: bytes) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's own word
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made = Ledger(f"http://127.0.0.1:{server.server_address[1]}")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield made
        server.shutdown()


@dataclass
class Outcome:
    """What a run of faults came to; `problems` is empty when every promise was kept."""

    accepted: int = 0
    completed: int = 0
    failed: Counter[str] = field(default_factory=Counter[str])
    faults: Counter[str] = field(default_factory=Counter[str])
    seconds: float = 0
    lost: list[str] = field(default_factory=list[str])
    """Accepted and gone, or Completed without their effect."""
    stuck: list[str] = field(default_factory=list[str])
    """Never ended."""
    doubled: list[str] = field(default_factory=list[str])
    """Their effect happened twice."""
    late: list[str] = field(default_factory=list[str])
    """Had an effect or a change after their end."""
    orphans: list[str] = field(default_factory=list[str])
    """Browser processes that were left when all had ended."""

    @property
    def problems(self) -> list[str]:
        """Everything that was promised and did not come true."""
        return [*self.lost, *self.stuck, *self.doubled, *self.late, *self.orphans]


class FaultRun:
    """One run: so many executions, one fault every few seconds, all by a seed."""

    def __init__(
        self,
        fleet: Fleet,
        book: Ledger,
        seed: int,
        every_seconds: float,
        *,
        server: OwnServer | None = None,
        is_thorough: bool = False,
    ) -> None:
        """A thorough run freezes a worker for a minute and takes the database away for half of one, too.

        `server` is the database's, if it may be killed.
        """
        self._fleet = fleet
        self._server = server
        self._book = book
        self._seed = seed
        self._random = random.Random(seed)  # noqa: S311 - to be repeatable, not to be secret
        self._every_seconds = every_seconds
        self._is_thorough = is_thorough
        self._is_over = threading.Event()
        self._thawing: list[threading.Thread] = []
        self.outcome = Outcome()

    def run(self, executions: int, patience_seconds: float) -> Outcome:
        """Submit, break, wait, check."""
        began = time.monotonic()
        workflows = self._workflows()
        with ThreadPoolExecutor(5) as pool:
            breaking = pool.submit(self._break_things)
            try:
                tokens = [f"token{number}" for number in range(executions)]
                accepted = pool.map(partial(self._submit, workflows), range(executions), tokens)
                ids = dict(zip(tokens, accepted, strict=True))
                self.outcome.accepted = len(ids)
                ended = self._until_ended(ids, {}, executions * 9 // 10, patience_seconds)
            finally:
                self._is_over.set()
            breaking.result()
            for thread in self._thawing:
                thread.join()
            ended = self._until_ended(ids, ended, executions, patience_seconds)
        self._check(ids, ended)
        self._look_for_orphans()
        self.outcome.seconds = time.monotonic() - began
        return self.outcome

    def _workflows(self) -> tuple[str, str]:
        """By an API block, and by a form in a browser."""
        api, url = self._fleet.nodes[0].api(), f"{self._book.url}/{{{{params.token}}}}"
        before, after = wait("{{params.before}}", "before"), wait("{{params.after}}", "after")
        post = {"type": "API", "data": {"method": "POST", "route": url, "saveAs": "posted"}}
        plain = api.create("posts", before, post, after)["id"]
        return plain, api.create("clicks", before, navigate(url), click("button", "Pay"), after)["id"]

    def _submit(self, workflows: tuple[str, str], number: int, token: str) -> str:
        """Ask until a node has accepted it; the key makes that one execution, whoever is asked."""
        chance = random.Random(f"{self._seed} {token}")  # noqa: S311 - as above
        params = {"token": token, "before": chance.randint(0, 300), "after": chance.randint(0, 300)}
        fields = {"workflowId": workflows[number % _BROWSER_EVERY == 0], "params": params}
        headers = {"Idempotency-Key": token}
        accepted = self._ask(lambda api: api.call("/workflows/execute", fields, headers=headers))
        return accepted["execution"]["id"]

    def _ask(self, question: Callable[[Api], Json]) -> Json:
        end = time.monotonic() + 180
        while True:
            try:
                return question(random.choice(self._fleet.nodes).api())  # noqa: S311 - any of them will do
            except (httpx2.TransportError, AssertionError):
                assert time.monotonic() < end, "no node answers"
                time.sleep(0.2)

    def _break_things(self) -> None:
        """First what a thorough run must see, then one fault after the other by chance."""
        faults = self._possible()
        demanded = [*self._long_ones(), *faults]
        self._random.shuffle(demanded)
        planned = demanded if self._is_thorough else []
        while not self._is_over.wait(self._every_seconds):
            fault = planned.pop() if planned else self._random.choice(faults)
            if fault():
                self.outcome.faults[fault.__name__.strip("_")] += 1

    def _possible(self) -> list[Fault]:
        """What can go wrong with what there is."""
        faults: list[Fault] = [self._kill_browser, self._kill_node]
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
        worker = self._random.choice(self._fleet.workers)
        worker.kill()
        worker.start()
        return True

    def _kill_browser(self) -> bool:
        """Kill one process of one browser; False when there is none."""
        found = sorted(browsers_of(self._fleet.folder))
        for pid in found[:1]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return bool(found)

    def _freeze_worker(self) -> bool:
        self._freeze(self._random.choice((2.0, 45.0)))
        return True

    def _freeze_for_a_minute(self) -> bool:
        self._freeze(60.0)
        return True

    def _freeze(self, seconds: float) -> None:
        """Let one worker stand still, while other things break."""
        worker: RunningWorker = self._random.choice(self._fleet.workers)
        process = worker.running
        process.send_signal(signal.SIGSTOP)

        def thaw() -> None:
            time.sleep(seconds)
            process.send_signal(signal.SIGCONT)  # says nothing to one that was killed meanwhile

        self._thawing.append(threading.Thread(target=thaw))
        self._thawing[-1].start()

    def _kill_node(self) -> bool:
        node: RunningService = self._random.choice(self._fleet.nodes)
        node.kill()
        node.start()
        return True

    def _close_database(self) -> bool:
        self._close(self._random.uniform(1, 6))
        return True

    def _close_for_half_a_minute(self) -> bool:
        self._close(30)
        return True

    def _close(self, seconds: float) -> None:
        with away(self._fleet.database):
            time.sleep(seconds)

    def _cut_connections(self) -> bool:
        address = self._fleet.database.replace("postgresql+psycopg://", "postgresql://", 1)
        cut = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(cut)
        return True

    def _until_ended(
        self, ids: dict[str, str], ended: dict[str, Json], wanted: int, patience_seconds: float
    ) -> dict[str, Json]:
        """The finished ones, once there are so many or patience is over."""
        end, ended = time.monotonic() + patience_seconds, dict(ended)
        while len(ended) < wanted and time.monotonic() < end:
            for token, execution_id in ids.items():
                if token not in ended:
                    found = self._get(execution_id)
                    if found["status"] not in FINAL:
                        break  # those that were accepted later have hardly ended yet
                    ended[token] = found
            time.sleep(0.5)
        return ended | self._sweep(ids, ended) if len(ended) < wanted else ended

    def _sweep(self, ids: dict[str, str], ended: dict[str, Json]) -> dict[str, Json]:
        """All that have ended among those that were not seen to."""
        found = {token: self._get(one) for token, one in ids.items() if token not in ended}
        return {token: one for token, one in found.items() if one["status"] in FINAL}

    def _get(self, execution_id: str) -> Json:
        return self._ask(lambda api: {"execution": api.get(execution_id)})["execution"]

    def _check(self, ids: dict[str, str], ended: dict[str, Json]) -> None:
        if len(set(ids.values())) != len(ids):
            self.outcome.lost.append("two tokens have the same execution")
        for token, execution_id in ids.items():
            final = ended.get(token)
            if final is None:
                self.outcome.stuck.append(f"{execution_id} never ended")
            else:
                self._check_one(token, final)
        unknown = self._book.seen.keys() - ids.keys()
        self.outcome.doubled += [f"{token} was posted and never accepted" for token in unknown]

    def _check_one(self, token: str, final: Json) -> None:
        outcome, posted, name = self.outcome, self._book.seen[token], final["id"]
        if final["status"] == "Completed":
            outcome.completed += 1
            if not posted:
                outcome.lost.append(f"{name} is Completed and its token was never posted")
        else:
            outcome.failed[final["failure"]["code"]] += 1
        if posted > 1:
            outcome.doubled.append(f"{name} is {final['status']} and its token was posted {posted} times")
        end = datetime.fromisoformat(final["endTime"]).timestamp()
        if posted and self._book.last[token] > end + _LATE_SECONDS:
            outcome.late.append(
                f"{name} had ended {self._book.last[token] - end:.1f} s before its token came"
            )
        now = self._get(name)
        kept = ("status", "endTime", "attempts", "response")
        changed = [column for column in kept if now[column] != final[column]]
        if changed:
            outcome.late.append(f"{name} was changed after its end: {', '.join(changed)}")

    def _look_for_orphans(self) -> None:
        """All have ended: no browser is needed any more."""
        end = time.monotonic() + _ORPHAN_SECONDS
        while (left := browsers_of(self._fleet.folder)) and time.monotonic() < end:
            time.sleep(0.5)
        self.outcome.orphans += [f"process {pid} is left: {name}" for pid, name in sorted(left.items())]


def browsers_of(folder: Path) -> dict[int, str]:
    """The browser processes that processes of a fleet have started, by what they inherited from it."""
    mark, found = f"PAGEHAND_FILES=file://{folder}".encode(), dict[int, str]()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if _is_browser(words) and mark in (process / "environ").read_bytes():
                found[int(process.name)] = words[0].decode()
        except OSError:
            continue  # it has ended, or is somebody else's
    return found


def _is_browser(words: Sequence[bytes]) -> bool:
    """A browser's main process; those below it end with it."""
    name = words[0].rpartition(b"/")[2]
    return b"chrom" in name and not any(one.startswith(b"--type=") for one in words)

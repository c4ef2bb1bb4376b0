"""Executions under faults, and whether everything that was promised came true.

A driver submits executions with a token each to several API nodes. They post their token to a ledger, which
is an effect that must not be doubled. Meanwhile processes are killed, frozen and cut off, in an order that
the seed decides. The checker then compares what was accepted, the rows, and the ledger.
"""

import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import psycopg

from support.postgres import away
from support.service import FINAL, Api, Json, RunningService
from support.workers import Fleet, RunningWorker


class Ledger:
    """Counts tokens that executions post to it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.seen: Counter[str] = Counter()


@contextmanager
def ledger() -> Generator[Ledger]:
    """A ledger on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            made.seen[self.path.strip("/")] += 1
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

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
    problems: list[str] = field(default_factory=list[str])


class FaultRun:
    """One run: so many executions, one fault every few seconds, all by a seed."""

    def __init__(self, fleet: Fleet, book: Ledger, seed: int, every_seconds: float) -> None:
        self._fleet = fleet
        self._book = book
        self._random = random.Random(seed)  # noqa: S311 - to be repeatable, not to be secret
        self._every_seconds = every_seconds
        self._is_over = threading.Event()
        self.outcome = Outcome()

    def run(self, executions: int, patience_seconds: float) -> Outcome:
        """Submit, break, wait, check."""
        began = time.monotonic()
        workflow = self._workflow()
        with ThreadPoolExecutor(5) as pool:
            breaking = pool.submit(self._break_things)
            try:
                tokens = [f"token{number}" for number in range(executions)]
                accepted = pool.map(partial(self._submit, workflow), tokens)
                ids = dict(zip(tokens, accepted, strict=True))
                self.outcome.accepted = len(ids)
                self._is_over.wait(self._every_seconds)
            finally:
                self._is_over.set()
            breaking.result()
            ended = self._until_all_ended(ids, patience_seconds)
        self._check(ids, ended)
        self.outcome.seconds = time.monotonic() - began
        return self.outcome

    def _workflow(self) -> str:
        post = {"method": "POST", "route": f"{self._book.url}/{{{{params.token}}}}", "saveAs": "posted"}
        made = (
            self._fleet.nodes[0]
            .api()
            .create(
                "faults",
                {"type": "Wait", "data": {"durationMs": "{{params.before}}"}},
                {"type": "API", "blockReferenceId": "post", "data": post},
                {"type": "Wait", "data": {"durationMs": "{{params.after}}"}},
            )
        )
        return made["id"]

    def _submit(self, workflow: str, token: str) -> str:
        """Ask until a node has accepted it; the key makes that one execution, whoever is asked."""
        params = {
            "token": token,
            "before": self._random.randint(0, 300),
            "after": self._random.randint(0, 300),
        }
        fields = {"workflowId": workflow, "params": params}
        headers = {"Idempotency-Key": token}
        accepted = self._ask(lambda api: api.call("/workflows/execute", fields, headers=headers))
        return accepted["execution"]["id"]

    def _ask(self, question: Callable[[Api], Json]) -> Json:
        end = time.monotonic() + 120
        while True:
            try:
                return question(self._random.choice(self._fleet.nodes).api())
            except (httpx2.TransportError, AssertionError):
                assert time.monotonic() < end, "no node answers"
                time.sleep(0.2)

    def _break_things(self) -> None:
        faults = (
            self._kill_worker,
            self._freeze_worker,
            self._kill_node,
            self._cut_connections,
            self._close_database,
        )
        while not self._is_over.wait(self._every_seconds):
            fault = self._random.choice(faults)
            self.outcome.faults[fault.__name__.strip("_")] += 1
            fault()

    def _kill_worker(self) -> None:
        worker = self._random.choice(self._fleet.workers)
        worker.kill()
        worker.start()

    def _freeze_worker(self) -> None:
        worker: RunningWorker = self._random.choice(self._fleet.workers)
        worker.send(signal.SIGSTOP)
        self._is_over.wait(self._random.choice((2.0, 45.0)))
        worker.send(signal.SIGCONT)

    def _kill_node(self) -> None:
        node: RunningService = self._random.choice(self._fleet.nodes)
        node.kill()
        node.start()

    def _close_database(self) -> None:
        with away(self._fleet.database):
            self._is_over.wait(self._random.uniform(1, 6))

    def _cut_connections(self) -> None:
        address = self._fleet.database.replace("postgresql+psycopg://", "postgresql://", 1)
        cut = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(cut)

    def _until_all_ended(self, ids: dict[str, str], patience_seconds: float) -> dict[str, Json]:
        end = time.monotonic() + patience_seconds
        ended: dict[str, Json] = {}
        while len(ended) < len(ids) and time.monotonic() < end:
            for token, execution_id in ids.items():
                if token not in ended:
                    found = self._ask(lambda api, one=execution_id: {"execution": api.get(one)})["execution"]
                    if found["status"] in FINAL:
                        ended[token] = found
            time.sleep(0.5)
        return ended

    def _check(self, ids: dict[str, str], ended: dict[str, Json]) -> None:
        say = self.outcome.problems.append
        if len(set(ids.values())) != len(ids):
            say("two tokens have the same execution")
        for token, execution_id in ids.items():
            final = ended.get(token)
            posted = self._book.seen[token]
            if final is None:
                say(f"{execution_id} never ended")
                continue
            if final["status"] == "Completed":
                self.outcome.completed += 1
                if posted != 1:
                    say(f"{execution_id} is Completed and its token was posted {posted} times")
            else:
                self.outcome.failed[final["failure"]["code"]] += 1
                if posted > 1:
                    say(f"{execution_id} is Failed and its token was posted {posted} times")
        for token, times in self._book.seen.items():
            if token not in ids:
                say(f"{token} was posted {times} times and never accepted")

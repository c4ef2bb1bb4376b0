"""Runs executions under faults, and checks that every guarantee held.

A driver submits executions with a token each to several API nodes. They post their token to a ledger, some by
an API block and some by a form in a browser, which is an effect that must not be doubled. Meanwhile processes
are killed, frozen and cut off, in an order that the seed decides. The checker then compares what was
accepted, the rows, the ledger, the outputs and pictures, and the processes and folders that are left.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import httpx2

from support.blocks import click, navigate, wait
from support.browser_vendors import Vendors
from support.leftovers import browsers_of, temporary_files_of_ended_processes
from support.random_faults import RandomFaults
from support.service import FINAL, Api, Json
from support.token_recorder import TokenRecorder
from support.workers import Fleet

_BROWSER_EVERY = 10
"""One in so many executions posts its token by a form in a browser."""
_LATE_SECONDS = 2.0
"""An effect that comes later than this after its execution's end was done by a worker that had lost it."""
_ORPHAN_SECONDS = 60.0


@dataclass
class Outcome:
    """What a run of faults came to; `problems` is empty when every promise was kept."""

    accepted: int = 0
    completed: int = 0
    failed: Counter[str] = field(default_factory=Counter[str])
    faults: Counter[str] = field(default_factory=Counter[str])
    seconds: float = 0
    pictures: int = 0
    """How many pictures of pages were read again at the end."""
    rented: int = 0
    """How many browsers a vendor made."""
    lost: list[str] = field(default_factory=list[str])
    """Accepted and gone, or Completed without their effect."""
    stuck: list[str] = field(default_factory=list[str])
    """Never ended."""
    doubled: list[str] = field(default_factory=list[str])
    """Their effect happened twice."""
    late: list[str] = field(default_factory=list[str])
    """Had an effect or a change after their end."""
    unreadable: list[str] = field(default_factory=list[str])
    """Outputs and pictures that are not there."""
    orphans: list[str] = field(default_factory=list[str])
    """Browsers, of a vendor too, and temporary files of dead processes that were left when all had ended."""
    missing: list[str] = field(default_factory=list[str])
    """Faults that a thorough run should have seen and has not."""

    @property
    def problems(self) -> list[str]:
        """Everything that was promised and did not come true."""
        broken = [self.lost, self.stuck, self.doubled, self.late, self.unreadable, self.orphans]
        return [text for texts in broken for text in texts]


class FaultRun:
    """One run: so many executions while faults strike, and what they came to."""

    def __init__(
        self,
        fleet: Fleet,
        recorder: TokenRecorder,
        seed: int,
        faults: RandomFaults,
        vendor: Vendors | None = None,
    ) -> None:
        """`vendor` is where workers of the fleet rent browsers, if any do."""
        self._fleet = fleet
        self._recorder = recorder
        self._seed = seed
        self._faults = faults
        self._vendor = vendor
        self._apis = [node.api() for node in fleet.nodes]
        self.outcome = Outcome()

    def run(self, executions: int, patience_seconds: float) -> Outcome:
        """Submit, break, wait, check."""
        began, is_over = time.monotonic(), threading.Event()
        workflows = self._workflows()
        with ThreadPoolExecutor(5) as pool:
            breaking = pool.submit(self._faults.strike_until, is_over)
            try:
                tokens = [f"token{number}" for number in range(executions)]
                accepted = pool.map(partial(self._submit, workflows), range(executions), tokens)
                ids = dict(zip(tokens, accepted, strict=True))
                self.outcome.accepted = len(ids)
                ended = self._until_ended(ids, {}, executions * 9 // 10, patience_seconds)
            finally:
                is_over.set()
            breaking.result()
            ended = self._until_ended(ids, ended, executions, patience_seconds)
        self.outcome.faults, self.outcome.missing = self._faults.struck, self._faults.missing
        self._check(ids, ended)
        self._look_for_orphans()
        self.outcome.seconds = time.monotonic() - began
        return self.outcome

    def _workflows(self) -> tuple[str, str]:
        """By an API block, and by a form in a browser."""
        api, url = self._apis[0], f"{self._recorder.url}/{{{{params.token}}}}"
        before, after = wait("{{params.before}}", "before"), wait("{{params.after}}", "after")
        post = {"type": "API", "blockReferenceId": "posted", "data": {"method": "POST", "route": url}}
        plain = api.create("posts", before, post, after)["id"]
        return plain, api.create("clicks", before, navigate(url), click("button", "Pay"), after)["id"]

    def _submit(self, workflows: tuple[str, str], number: int, token: str) -> str:
        """Submit until a node has accepted it; the key makes that one execution, whichever node it is."""
        chance = random.Random(f"{self._seed} {token}")  # noqa: S311 - to be repeatable, not to be secret
        params = {"token": token, "before": chance.randint(0, 300), "after": chance.randint(0, 300)}
        fields = {"workflowId": workflows[self._has_browser(number)], "params": params}
        headers = {"Idempotency-Key": token}
        accepted = self._ask(lambda api: api.call("/workflows/execute", fields, headers=headers))
        return accepted["execution"]["id"]

    def _ask(self, question: Callable[[Api], Json]) -> Json:
        end = time.monotonic() + 180
        while True:
            try:
                return question(random.choice(self._apis))  # noqa: S311 - any of them will do
            except (httpx2.TransportError, AssertionError):
                assert time.monotonic() < end, "no node answers"
                time.sleep(0.2)

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
        found = {token: self._get(execution_id) for token, execution_id in ids.items() if token not in ended}
        return {token: execution for token, execution in found.items() if execution["status"] in FINAL}

    def _get(self, execution_id: str) -> Json:
        return self._ask(lambda api: {"execution": api.get(execution_id)})["execution"]

    def _check(self, ids: dict[str, str], ended: dict[str, Json]) -> None:
        if len(set(ids.values())) != len(ids):
            self.outcome.lost.append("two tokens have the same execution")
        for number, (token, execution_id) in enumerate(ids.items()):
            final = ended.get(token)
            if final is None:
                self.outcome.stuck.append(f"{execution_id} never ended")
                continue
            self._check_one(token, final)
            if self._has_browser(number):
                self._read_pictures(execution_id)
            elif final["status"] == "Completed":
                self._read_output(token, final)
        unknown = self._recorder.seen.keys() - ids.keys()
        self.outcome.doubled += [f"{token} was posted and never accepted" for token in unknown]

    def _check_one(self, token: str, final: Json) -> None:
        outcome, posted, name = self.outcome, self._recorder.seen[token], final["id"]
        if final["status"] == "Completed":
            outcome.completed += 1
            if not posted:
                outcome.lost.append(f"{name} is Completed and its token was never posted")
        else:
            outcome.failed[final["failure"]["code"]] += 1
        if posted > 1:
            outcome.doubled.append(f"{name} is {final['status']} and its token was posted {posted} times")
        end = datetime.fromisoformat(final["endTime"]).timestamp()
        if posted and self._recorder.last[token] > end + _LATE_SECONDS:
            outcome.late.append(
                f"{name} had ended {self._recorder.last[token] - end:.1f} s before its token came"
            )
        now = self._get(name)
        kept = ("status", "endTime", "attempts", "response")
        changed = [column for column in kept if now[column] != final[column]]
        if changed:
            outcome.late.append(f"{name} was changed after its end: {', '.join(changed)}")

    def _read_output(self, token: str, final: Json) -> None:
        answer = final["response"].get("posted", {}).get("data")
        if answer != {"token": token}:
            self.outcome.unreadable.append(f"{final['id']} has the output {answer!r}")

    def _read_pictures(self, execution_id: str) -> None:
        """Every screenshot that an event names can be read."""
        events = self._ask(lambda api: {"events": api.events(execution_id)})["events"]
        for url in [event["screenshotUrl"] for event in events if event["screenshotUrl"]]:
            answer = httpx2.get(url, timeout=30)
            self.outcome.pictures += 1
            if answer.status_code != 200 or not answer.content:
                self.outcome.unreadable.append(f"a picture of {execution_id} answers {answer.status_code}")

    def _look_for_orphans(self) -> None:
        """All have ended: no browser is needed any more, and nothing of dead processes is left."""
        end = time.monotonic() + _ORPHAN_SECONDS
        while (left := self._left()) and time.monotonic() < end:
            time.sleep(0.5)
        self.outcome.orphans += left
        if self._vendor is not None:
            self.outcome.rented = sum(
                path == "/v1/sessions" for method, path, _ in self._vendor.calls if method == "POST"
            )

    def _left(self) -> list[str]:
        processes = sorted(browsers_of(self._fleet.folder).items())
        rented = self._vendor.running if self._vendor is not None else {}
        return [
            *(f"process {pid} is left: {name}" for pid, name in processes),
            *(f"the vendor's browser {name} is left" for name in rented),
            *(f"{path} is left" for path in temporary_files_of_ended_processes(self._fleet)),
        ]

    def _has_browser(self, number: int) -> bool:
        """Whether an execution posts its token by a form in a browser."""
        return self._faults.with_browsers and number % _BROWSER_EVERY == 0

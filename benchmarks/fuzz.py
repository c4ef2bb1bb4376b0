"""Requests generated from the API's OpenAPI document, with ids from earlier answers: nothing may break.

    python benchmarks/fuzz.py [--cases 20000] [--seed 1]

Every operation gets the same number of requests, half of them valid; one in five has a text of up to 200,000
characters in place of one of its own, now and then as long as a request may be, and one in ten is written to
reach what reads such a text. Twenty bodies that hardly arrive are open all the while. Failures are answers
with 5xx or "on our side", answers that take longer than five seconds unless they wait by design, and an
event loop held for 0.3 s.
"""

import argparse
import json
import math
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, cast
from urllib.parse import quote

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings

from measuring.hostile import (
    AGENTS,
    LENGTHS,
    LONGEST,
    PAGES,
    SESSION,
    TEMPLATES,
    HealthWatch,
    SlowBodies,
    long_text,
    longest_hold,
    stretch_one,
    with_text,
)
from measuring.report import Figure, publish
from measuring.running import running
from pagehand.testing import standstills

SLOW_SECONDS: Final = 5.0
HELD_SECONDS: Final = 0.3
_NOTED_SECONDS: Final = 0.1
_ID: Final = re.compile(
    r'"((?:wf|exec|block|login|batch|tag|file|thread|bs|doc|webhook|delivery|key)_[\w-]+)"'
)
_MODES: Final = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
_MAX_IDS: Final = 2000
_WAITING: Final = {
    # these answer when the blocks that they run are done
    "/workflows/executeSync": math.inf,
    "/liveSessions/run": math.inf,
    # by their documentation: 10 s for something to be recorded, 20 s for a free browser
    "/liveSessions/recorded": 10 + SLOW_SECONDS,
    "/liveSessions/open": 20 + SLOW_SECONDS,
}
"""Operations that may answer later than `SLOW_SECONDS`, and how much later."""


class Fuzz:
    """Sends requests and counts what went wrong."""

    def __init__(self, url: str, number: int) -> None:
        self._url = url
        self._random = random.Random(number)
        self._ids: dict[str, list[str]] = {}
        self.statuses: Counter[int] = Counter()
        self.broken: list[str] = []
        self.slow: list[str] = []
        self.slowest, self.slowest_line = 0.0, ""
        self._noted: list[tuple[float, float, str]] = []
        self._session = ""

    def send(self, case: Any) -> None:
        """Send one request, now and then with ids that exist, and judge its answer."""
        body: Any = self._with_known_ids(case.body)
        case.body = body
        if type(body) is dict and self._random.random() < 0.2:
            stretch_one(body, self._random)
            self._post(case.path, body)
        else:
            self._judge(case.path, body, lambda: case.call(base_url=self._url, timeout=120))
        if self._random.random() < 0.01:
            page = self._random.choice(PAGES) + quote(long_text(self._random)[:4000])
            self._judge(page, "", lambda: requests.get(self._url + page, timeout=120))
        if self._random.random() < 0.1:
            path, template = self._random.choice(TEMPLATES)
            self._post(path, with_text(template, long_text(self._random)))

    def send_longest(self) -> None:
        """Send each request that reaches what reads a text with three of the longest texts."""
        for path, template in TEMPLATES:
            for _ in range(3):
                self._post(path, with_text(template, long_text(self._random, LONGEST)))

    def _post(self, path: str, body: Any) -> None:
        """Send it as it is: a library would take its time to judge a long text."""
        raw = json.dumps(body, default=str).encode()
        headers = {"Content-Type": "application/json"} | (self._agent_headers() if path == AGENTS else {})
        self._judge(path, body, lambda: requests.post(self._url + path, raw, headers=headers, timeout=120))

    def _agent_headers(self) -> dict[str, str]:
        """Those of an agent, in a session that is opened at the first of its requests."""
        accepted = {"Accept": "application/json, text/event-stream"}
        if not self._session:
            opened = requests.post(self._url + AGENTS, json=SESSION, headers=accepted, timeout=120)
            self._session = opened.headers["mcp-session-id"]
        return accepted | {"mcp-session-id": self._session}

    def _judge(self, path: str, body: Any, call: Callable[[], Any]) -> None:
        began = time.monotonic()
        try:
            answer = call()
        except requests.ConnectionError as error:
            # a body that is too long for the operation: the service need not read all of it
            self.statuses[0] += 1
            if len(str(body)) < LENGTHS[-1]:
                self.broken.append(f"{path} closed the connection: {error!r} {str(body)[:300]}")
            return
        seconds = time.monotonic() - began
        self.statuses[answer.status_code] += 1
        line = f"{path} {answer.status_code} in {seconds:.1f} s: {str(body)[:300]}"
        if seconds > self.slowest:
            self.slowest, self.slowest_line = seconds, line
        if seconds > _NOTED_SECONDS:
            self._noted.append((time.time() - seconds, time.time(), line))
        if answer.status_code >= 500 or b"on our side" in answer.content:
            self.broken.append(line)
        if seconds > _WAITING.get(path, SLOW_SECONDS):
            self.slow.append(line)
        self._learn(answer.content[:100_000].decode(errors="replace"))

    def under_way(self, began: float, ended: float) -> list[str]:
        """The requests between these times (of `time.time`) that took long."""
        return [line for start, end, line in self._noted if start < ended and end > began]

    def _learn(self, text: str) -> None:
        for found in _ID.findall(text):
            known = self._ids.setdefault(found.partition("_")[0], [])
            if len(known) < _MAX_IDS:
                known.append(found)

    def _with_known_ids(self, value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            entries = cast("dict[str, Any]", value).items()
            return {key: self._with_known_ids(entry, key) for key, entry in entries}
        if isinstance(value, list):
            return [self._with_known_ids(item, name) for item in cast("list[Any]", value)]
        if (
            isinstance(value, str)
            and name.lower().endswith("id")
            and self._ids
            and self._random.random() < 0.7
        ):
            return self._random.choice(self._random.choice(list(self._ids.values())))
        return value


def send_share(
    fuzz: Fuzz, operation: Any, mode: schemathesis.GenerationMode, cases: int, number: int
) -> None:
    """Generate and send requests of one operation."""

    @seed(number)
    @settings(
        max_examples=cases,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Any) -> None:
        fuzz.send(case)

    send()


def main() -> None:
    """Send all requests; the exit status is 1 if anything broke."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--cases", type=int, default=20_000)
    options.add_argument("--seed", type=int, default=1)
    arguments = options.parse_args()
    with standstills.watched(), running(PAGEHAND_CONCURRENCY="2") as service:
        url = f"http://127.0.0.1:{service.port}"
        description: Any = schemathesis.openapi.from_url(f"{url}/openapi.json")
        operations = [
            operation
            for found in description.get_all_operations()
            if (operation := found.ok()).method == "post"
        ]
        fuzz = Fuzz(url, arguments.seed)
        slow_bodies = SlowBodies(service.port, [operation.path for operation in operations])
        health = HealthWatch(service.port, service.process.pid)
        slow_bodies.start()
        health.start()
        began = time.monotonic()
        rounds = 4  # later rounds know the ids of things that earlier ones made
        # some generators run out before they have produced the requested number
        each = math.ceil(1.1 * arguments.cases / (len(operations) * len(_MODES) * rounds))
        for round_number in range(rounds):
            for operation in operations:
                for mode in _MODES:
                    send_share(fuzz, operation, mode, each, arguments.seed + round_number)
        fuzz.send_longest()
        seconds = time.monotonic() - began
        slow_bodies.stop()
        health.stop()
        held = longest_hold(service.log_path)
    beside = fuzz.under_way(health.slowest_from, health.slowest_to)
    figures = [
        Figure("requests", fuzz.statuses.total(), at_least=arguments.cases),
        Figure("seconds for all of them", seconds, "s"),
        Figure("answers of 5xx, or `on our side`", len(fuzz.broken), at_most=0),
        Figure("answers slower than 5 s", len(fuzz.slow), at_most=0),
        Figure("slowest answer", fuzz.slowest, "s"),
        Figure("slow bodies that broke something", slow_bodies.broken, at_most=0),
        Figure("slow bodies refused or closed", slow_bodies.endings.total()),
        Figure("failures of /healthz", len(health.failures), at_most=0),
        Figure("slowest /healthz, beside waiting for a processor", health.slowest, "s", at_most=HELD_SECONDS),
        Figure("longest time the event loop was held", held, "s", at_most=HELD_SECONDS),
    ]
    publish(
        "fuzz",
        "Made-up requests",
        figures,
        statuses=dict(fuzz.statuses),
        slow_bodies=dict(slow_bodies.endings),
        problems=[*fuzz.broken, *fuzz.slow, *health.failures][:50],
        slowest=fuzz.slowest_line,
        beside_slowest_healthz=beside,
    )
    print("Slowest:", fuzz.slowest_line)
    print("Beside the slowest /healthz:", *beside, sep="\n  ")
    for problem in [*fuzz.broken, *fuzz.slow, *health.failures][:20]:
        print(problem)
    sys.exit(any(figure.is_met is False for figure in figures))


if __name__ == "__main__":
    main()

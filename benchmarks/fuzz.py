"""Requests generated from the API's OpenAPI document, with ids from earlier answers: nothing may break.

    python benchmarks/fuzz.py [--cases 20000] [--seed 1]

Every operation gets the same number of requests, half of them valid. Answers with 5xx and answers that take
longer than five seconds count as failures.
"""

import argparse
import math
import random
import re
import sys
import time
from collections import Counter
from typing import Any, Final, cast

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings

from measuring.report import Figure, publish
from measuring.running import running

SLOW_SECONDS: Final = 5.0
_ID: Final = re.compile(
    r'"((?:wf|exec|block|login|batch|tag|file|thread|bs|doc|webhook|delivery|key)_[\w-]+)"'
)
_MODES: Final = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
_MAX_IDS: Final = 2000


class Fuzz:
    """Sends requests and counts what went wrong."""

    def __init__(self, url: str, number: int) -> None:
        self._url = url
        self._random = random.Random(number)
        self._ids: dict[str, list[str]] = {}
        self.statuses: Counter[int] = Counter()
        self.broken: list[str] = []
        self.slow: list[str] = []
        self.slowest = 0.0

    def send(self, case: Any) -> None:
        """Send one request, now and then with ids that exist, and judge its answer."""
        case.body = self._with_known_ids(case.body)
        began = time.monotonic()
        answer = case.call(base_url=self._url, timeout=120)
        seconds = time.monotonic() - began
        self.statuses[answer.status_code] += 1
        self.slowest = max(self.slowest, seconds)
        line = f"{case.path} {answer.status_code} in {seconds:.1f} s: {str(case.body)[:300]}"
        if answer.status_code >= 500:
            self.broken.append(line)
        if seconds > SLOW_SECONDS:
            self.slow.append(line)
        self._learn(answer.text[:100_000])

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
    with running(PAGEHAND_CONCURRENCY="2") as service:
        url = f"http://127.0.0.1:{service.port}"
        description: Any = schemathesis.openapi.from_url(f"{url}/openapi.json")
        operations = [
            one for found in description.get_all_operations() if (one := found.ok()).method == "post"
        ]
        fuzz = Fuzz(url, arguments.seed)
        rounds = 4  # later rounds know the ids of things that earlier ones made
        # some generators run out before they have produced the requested number
        each = math.ceil(1.1 * arguments.cases / (len(operations) * len(_MODES) * rounds))
        for round_number in range(rounds):
            for operation in operations:
                for mode in _MODES:
                    send_share(fuzz, operation, mode, each, arguments.seed + round_number)
    publish(
        "fuzz",
        "Made-up requests",
        [
            Figure("requests", fuzz.statuses.total(), at_least=arguments.cases),
            Figure("answers of 5xx", len(fuzz.broken), at_most=0),
            Figure("answers slower than 5 s", len(fuzz.slow), at_most=0),
            Figure("slowest answer", fuzz.slowest, "s"),
        ],
        statuses=dict(fuzz.statuses),
        problems=[*fuzz.broken, *fuzz.slow][:50],
    )
    for problem in [*fuzz.broken, *fuzz.slow][:20]:
        print(problem)
    sys.exit(1 if fuzz.broken or fuzz.slow else 0)


if __name__ == "__main__":
    main()

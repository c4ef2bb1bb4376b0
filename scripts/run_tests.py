"""Run pytest; if only a few tests fail, run those once more, alone.

The tests drive real browsers, services and applications, three at once, so a slow moment of the machine can
break one of thousands. A test that passes alone is listed at the end: it shows a race, in the test or the
product, that should be fixed. It does not fail the run on a developer's machine; with `FAIL_ON_RACES` in the
environment it does, unless `tests/known_races.toml` has it. More failures than that fail the run at once.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path
from types import FrameType
from typing import Final, NamedTuple

KNOWN_RACES: Final = Path("tests/known_races.toml")
_MAX_RERUNS = 15
"""More failures than this are not run again."""
_TESTS_FAILED = 1
"""pytest's exit code when all ran and some failed."""


def main(arguments: list[str]) -> int:
    """Run pytest with these arguments; returns the exit code."""
    cache = Path(".pytest_cache") / "run"
    shutil.rmtree(cache, ignore_errors=True)
    code = _pytest(*arguments, f"--override-ini=cache_dir={cache}")
    failed = _failed(cache)
    if code != _TESTS_FAILED or not 0 < len(failed) <= _MAX_RERUNS:
        return code
    print(f"\nOnce more, alone: {len(failed)} of the tests failed.", flush=True)
    if code := _pytest(*failed):
        return code
    known = known_races()
    print("\nPassed alone, failed beside others (each shows a race that should be fixed):")
    for test in failed:
        race = known.get(test)
        print(f"  {test}" + (f" (known since {race.since}: {race.cause})" if race else ""))
    is_new = not known.keys() >= set(failed)
    return _TESTS_FAILED if is_new and os.environ.get("FAIL_ON_RACES") else 0


class KnownRace(NamedTuple):
    """Why a test may fail beside others, and since when that is known."""

    since: date
    cause: str


def known_races() -> dict[str, KnownRace]:
    """The list of tests known to race, by their pytest ids; each entry must have its date and its cause."""
    if not KNOWN_RACES.exists():
        return {}
    listed = tomllib.loads(KNOWN_RACES.read_text("utf-8")).get("race", [])
    return {entry["test"]: KnownRace(entry["since"], entry["cause"]) for entry in listed}


def _pytest(*arguments: str) -> int:
    # a job in a shell's background ignores interrupts, and so would the pytest it starts
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen([sys.executable, "-m", "pytest", *arguments]) as running:  # noqa: S603 - our own program

        def interrupt(_number: int, _frame: FrameType | None) -> None:
            running.send_signal(signal.SIGINT)

        # an interrupted pytest ends the services and databases it started; a killed one leaves them running
        signal.signal(signal.SIGTERM, interrupt)
        return running.wait()


def _failed(cache: Path) -> list[str]:
    last_failed = cache / "v" / "cache" / "lastfailed"
    return list(json.loads(last_failed.read_text("utf-8"))) if last_failed.exists() else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

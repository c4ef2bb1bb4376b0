"""Advisory locks are numbered in one module, where a number that is taken twice is seen."""

import re
from pathlib import Path

import pagehand
from pagehand.storage import advisory_locks

ROOT = Path(pagehand.__file__).parent
TAKEN = re.compile(r"pg_\w*advisory\w*lock\w*\((\S+?)[,)]")


def test_every_lock_is_taken_by_its_name() -> None:
    # a migration that has run must not change: those keep their numbers
    steps = {*(ROOT / "storage" / "migrations").glob("[ft]*_*.py")}
    files = [file for file in ROOT.rglob("*.py") if file not in steps]
    taken = {name for file in files for name in TAKEN.findall(file.read_text())}
    named = {name for name in vars(advisory_locks) if name.isupper() and not name.startswith("_")}
    assert {name.strip("{}").removeprefix("advisory_locks.") for name in taken} == named


def test_only_locks_of_different_kinds_share_a_number() -> None:
    numbers = {name: number for name, number in vars(advisory_locks).items() if isinstance(number, int)}
    assert numbers.pop("ACCEPTING") == numbers["RETENTION"]  # one is taken with a hash, the other without
    assert len(set(numbers.values())) == len(numbers)

"""docs/reliability.md names tests and faults that are there, and has a row for every promised fault."""

import re
from pathlib import Path

from support.random_faults import RandomFaults

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "reliability.md").read_text()
ROWS = 17
"""As many faults as the design lists."""


def test_every_test_that_is_named_is_there() -> None:
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)
    missing = [
        f"{path}::{name}" for path, name in named if f"def {name}(" not in (ROOT / "tests" / path).read_text()
    ]
    assert len(named) > ROWS
    assert missing == []


def test_every_fault_of_the_program_is_named() -> None:
    faults = [name.strip("_") for name in vars(RandomFaults) if re.match(r"_(kill|freeze|close|cut)_", name)]
    assert len(faults) == 9
    assert [name for name in faults if f"`{name}`" not in PAGE] == []


def test_every_promised_fault_is_shown_on_both() -> None:
    table = PAGE.partition("## Every fault")[2]
    rows = [line.strip("|").split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == ROWS
    assert [row[0] for row in rows if len(row) != 4 or not all(cell.strip() for cell in row)] == []

"""Decisions that once stood in several places, and differed: each stands in one file."""

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "pagehand"


@pytest.mark.parametrize(
    ("decision", "place"),
    [
        (r'"true", "yes"|"yes", "true"|"yes": True', "workflow/words.py"),
        (r"\bjan(?:uary)? (?:january|feb)|\"January\"", "workflow/dates.py"),
    ],
    ids=["words for yes and no", "names of months"],
)
def test_a_decision_has_one_place(decision: str, place: str) -> None:
    found = [
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        if re.search(decision, file.read_text("utf-8"))
    ]
    assert found == [place]

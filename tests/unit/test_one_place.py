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


def test_the_live_view_has_one_client() -> None:
    root = PACKAGE.parent
    sources = [*root.glob("console/src/**/*.ts*"), *PACKAGE.glob("**/*.js"), *PACKAGE.glob("**/*.html")]
    found = [
        file.relative_to(root).as_posix()
        for file in sources
        if "bundle" not in file.parts and "new WebSocket(" in file.read_text("utf-8")
    ]
    assert found == ["console/src/live/connection.ts"]

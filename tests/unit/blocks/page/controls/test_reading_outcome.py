"""A reading says how much it found and what is missing."""

from typing import Any

import pytest

from pagehand.blocks.page.controls.structure import reading_outcome

READ: list[tuple[Any, str, str]] = [
    ([{"a": 1, "b": 2}], "Read 1 row", ""),
    ([{"a": 1, "b": 2}, {"a": 1, "b": None}], "Read 2 rows", ""),
    (
        [{"a": 1}, {"a": 2, "b": None}],
        "Read 2 rows. `b` is missing in every row",
        "`b` is missing in every row",
    ),
    (
        [{"a": None, "b": []}],
        "Read 1 row. `a`, `b` are missing in the row",
        "`a`, `b` are missing in the row",
    ),
    ([], "Read 0 rows. There were no rows", "There were no rows"),
    ({"a": 1, "b": 0}, "Read `a`, `b`", ""),
    ({"a": 1}, "Read `a`. `b` was not found on the page", "`b` was not found on the page"),
    (
        {"a": None, "b": []},
        "Read nothing. `a`, `b` were not found on the page",
        "`a`, `b` were not found on the page",
    ),
    ({"a": "", "b": False}, "Read `a`, `b`", ""),
]


@pytest.mark.parametrize(("value", "message", "remark"), READ)
def test_the_message_says_what_was_read_and_what_was_not(value: Any, message: str, remark: str) -> None:
    outcome = reading_outcome(value, ["a", "b"])
    assert (outcome.message, outcome.remark) == (message, remark)
    assert outcome.output == value


def test_the_way_it_was_read_stands_in_the_message() -> None:
    assert reading_outcome({"a": 1}, ["a"], " by structure").message == "Read one record by structure"


def test_counts_are_in_the_details_beside_what_is_given() -> None:
    outcome = reading_outcome([{"a": 1}, {}, {}], ["a"], details={"source": "table"})
    assert outcome.details == {"source": "table", "missing": {"a": 2}, "rows": 3}
    assert reading_outcome({"a": 1}, ["a", "b"]).details == {"missing": {"b": 1}, "fields": 1}

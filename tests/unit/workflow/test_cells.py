"""Cells of a sheet become values of their parameter's type."""

from typing import Any

import pytest

from pagehand.workflow.cells import as_parameter, by_name, headings, is_empty


@pytest.mark.parametrize(
    ("kind", "cell", "value"),
    [
        ("number", " 12 ", 12),
        ("number", "-12.50", -12.5),
        ("number", "1e3", 1000.0),
        ("number", 7, 7),
        ("number", "12,50", "12,50"),
        ("number", "nan", "nan"),
        ("boolean", "Yes", True),
        ("boolean", 0, False),
        ("boolean", True, True),
        ("boolean", "maybe", "maybe"),
        ("string", 12, "12"),
        ("string", "00123", "00123"),
        ("date", "2026-01-31", "2026-01-31"),
        ("object", '{"a": [1]}', {"a": [1]}),
        ("array", "[1, 2]", [1, 2]),
        ("array", "[1, 2", "[1, 2"),
        (None, "00123", "00123"),
        (None, 12.5, 12.5),
    ],
)
def test_a_cell_takes_the_type_of_its_parameter_or_stays(kind: str | None, cell: Any, value: Any) -> None:
    found = as_parameter({"name": "p", "type": kind}, cell)
    assert (found, type(found)) == (value, type(value))


def test_columns_are_meant_for_the_parameter_they_resemble() -> None:
    found = by_name(["Policy No.", "amount", "Remark"], ["policyNo", "amount"])
    assert found == {"Policy No.": "policyNo", "amount": "amount", "Remark": "Remark"}


def test_headings_that_are_missing_or_repeated_get_their_position() -> None:
    assert headings(["a", None, "a", 5]) == ["a", "column_2", "a_3", "5"]


def test_white_space_is_nothing_and_zero_is_something() -> None:
    assert [is_empty(cell) for cell in (None, "", "  ", 0, False)] == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (["a", "a", "a_2"], ["a", "a_2_", "a_2"]),
        (["", "column_1"], ["column_1_", "column_1"]),
        (["a", "a", "a"], ["a", "a_2", "a_3"]),
        ([None, " x ", 5], ["column_1", "x", "5"]),
    ],
)
def test_every_column_has_a_name_of_its_own(cells: list[Any], names: list[str]) -> None:
    assert headings(cells) == names


@pytest.mark.parametrize("cell", ["1e999", "-1e400", "9" * 400 + ".5"])
def test_a_number_that_json_cannot_hold_stays_text(cell: str) -> None:
    assert as_parameter({"type": "number"}, cell) == cell

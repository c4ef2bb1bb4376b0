"""Values named by the words beside them."""

import pytest

from pagehand.page.extraction.sentences import named_values, without_the_next


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gate 12", [("Gate number", "12"), ("Gate", "12")]),
        ("Flight BA-117", [("Flight number", "BA-117"), ("Flight", "BA-117")]),
        ("Invoice no. 88120", [("Invoice no", "88120")]),
        ("Opened by Lena Moor on 2 May 2026", [("opened by", "Lena Moor"), ("opened date", "2 May 2026")]),
        ("By Ana Ruiz", [("by", "Ana Ruiz"), ("author", "Ana Ruiz")]),
        ("Created by the team", []),
        ("PDF · 12 Jan 2026", [("date", "12 Jan 2026")]),
        ("3 rooms free", [("room free", "3")]),
        (
            "Due Thursday 26 March 2026, at noon",
            [("Due date", "Thursday 26 March 2026"), ("Due", "Thursday 26 March 2026")],
        ),
        ("Shipped on 2026-03-01", [("Shipped date", "2026-03-01"), ("Shipped", "2026-03-01")]),
        ("Call us on +44 (0)20 7946 0018 today", [("phone", "+44 (0)20 7946 0018")]),
        ("Gate 12 · 3 rooms · Ada", [("Gate number", "12"), ("Gate", "12"), ("room", "3")]),
        ("page 1 of 6", []),
        ("We met 40 people in Room 4", []),
        ("no digits here", []),
        ("Gate 12 " + "x" * 200, []),
    ],
)
def test_named_values(text: str, expected: list[tuple[str, str]]) -> None:
    assert list(named_values(text)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Ada · Room B17", "Ada"),
        ("Moss · Size: M", "Moss"),
        ("red · green · blue", "red · green · blue"),
        ("40 · 41 · 42", "40 · 41 · 42"),
        ("Ada", "Ada"),
    ],
)
def test_a_value_ends_where_another_label_begins(value: str, expected: str) -> None:
    assert without_the_next(value) == expected

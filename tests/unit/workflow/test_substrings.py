"""A number is never found inside a longer one."""

import pytest

from pagehand.engine.run.conditions import contains


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("5 claims", "5 claims"),
        ("You have 5 claims.", "5 claims"),
        ("25 claims, then 5 claims", "5 claims"),
        ("Total 12, all", "Total 12"),
        ("Total 12.", "Total 12"),
        ("Order A5", "5"),
        ("abc", "b"),
        ("anything", ""),
    ],
)
def test_what_stands_there_is_found(text: str, wanted: str) -> None:
    assert contains(text, wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("25 claims", "5 claims"), ("Total 123", "Total 12"), ("1,250", "250"), ("12.50", "12"), ("x", "y")],
)
def test_a_part_of_a_number_is_not(text: str, wanted: str) -> None:
    assert not contains(text, wanted)

"""Frames: which words a slot takes, and that no text makes them cost more than its length allows."""

import time

import pytest

from pagehand.instructions.grammar import NotUnderstood
from pagehand.instructions.grammar.frames import Pattern, Span, tokenize
from pagehand.instructions.grammar.refusal import Budget
from support.instructions import read_instructions


def matches(pattern: str, text: str) -> list[dict[str, str]]:
    return Pattern(pattern).matches(Span(text, tokenize(text)), Budget())


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("click {what}", "Click Save", [{"what": "Save"}]),
        ("click {what}", "Tap Save", []),
        ("(click on|click) {what}", "click on Save", [{"what": "Save"}]),
        ("set {a} to {b}", "set x to y to z", [{"a": "x", "b": "y to z"}, {"a": "x to y", "b": "z"}]),
        ("wait [for] {what} [, at most {time}]", "wait for x", [{"what": "x"}]),
        ("close {which:other|last} tab", "close last tab", [{"which": "last"}]),
        ("press {key} {count:<number>} times", "press A 3 times", [{"key": "A", "count": "3"}]),
        ("do {a} , {b}", "do x , , y", []),
        ("do {a}", "do", []),
        ("type {a} [{slow:slowly}] into {b} [{slow:slowly}]", "type x into y", [{"a": "x", "b": "y"}]),
    ],
)
def test_a_frame_gives_every_way_to_fill_its_slots(
    pattern: str, text: str, found: list[dict[str, str]]
) -> None:
    assert matches(pattern, text) == found


@pytest.mark.parametrize(
    "part",
    [
        "set a to b to c ", "send an email to a and subject ", "for each a in b, ", "if a is shown, ",
        "after clicking a, ", "choose a from b in c ", "click a in the row of b ", "type a into b and ",
        "unless a is shown, ", "keep clicking a until ", "Name: a, ", "on every page, click a, ",
    ],
)  # fmt: skip
def test_a_long_text_costs_a_bounded_number_of_tries(part: str) -> None:
    began = time.process_time()
    with pytest.raises(NotUnderstood):
        read_instructions((part * 400)[:4000])
    assert time.process_time() - began < 1


def test_a_slot_that_two_parts_could_fill_at_once_is_refused() -> None:
    Pattern("open {a} (in {b}|with {b})")
    with pytest.raises(ValueError, match=r"`\{a\}` stands twice"):
        Pattern("open {a} with ([the] {a} button|nothing)")


def test_the_button_of_a_download_does_not_name_its_file() -> None:
    without, named = (
        read_instructions(f"Download it with the Get sheet button{name}") for name in ("", " as a.csv")
    )
    assert [block["data"] for block in (*without, *named)] == [{}, {"fileName": "a.csv"}]

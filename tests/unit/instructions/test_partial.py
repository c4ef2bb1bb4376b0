"""Messages that are understood in part: which clauses are, which are not, and what to say instead."""

import pytest

from pagehand.instructions.grammar import Clause, NotUnderstood
from support.instructions import GRAMMAR

HOTEL = "Find the nicest hotel in Rome and book it"


def types(clauses: list[Clause]) -> list[str]:
    return [block["type"] for clause in clauses for block in clause.blocks]


def open_texts(clauses: list[Clause]) -> list[str]:
    return [clause.text for clause in clauses if clause.reason]


@pytest.mark.parametrize(
    ("message", "understood", "not_understood"),
    [
        (f"Go to https://a.example. {HOTEL}. Wait 2 seconds.", ["Navigate", "Wait"], [HOTEL]),
        (
            "Wait 2 seconds, then frobnicate the lot, then click Save",
            ["Wait", "Mouse"],
            ["frobnicate the lot"],
        ),
        ("Clik Orders. Frobnicate.", ["Mouse"], ["Frobnicate"]),
        (":::: …", [], [":::: …"]),
        ("- click   Orders\n- frobnicate\n- close the tab", ["Mouse", "ClosePage"], ["frobnicate"]),
        ('Frobnicate “the lot”  of «5».\nClick "a.b"', ["Mouse"], ["Frobnicate “the lot”  of «5»"]),
        ("Click Save and Download report. Wait 1 second", ["Wait"], ["Click Save and Download report"]),
    ],
)
def test_clauses_before_and_after_an_open_one_are_understood(
    message: str, understood: list[str], not_understood: list[str]
) -> None:
    clauses = GRAMMAR.read_partly(message)
    assert (types(clauses), open_texts(clauses)) == (understood, not_understood)
    for clause in clauses:
        assert message[clause.position :].startswith(clause.text)


@pytest.mark.parametrize(
    "message",
    [
        "Do not click Delete and wait 2 seconds",
        "Click Save or wait 5 seconds",
        "If frobnication is due, click Save and wait 2 seconds",
        "Frobnicate the lot and click Save unless the total is 5",
        'Click "Save',
        "Click \x00 Save",
        "x" * 5000,
    ],
)
def test_what_may_apply_to_more_than_its_own_clause_leaves_all_of_it_open(message: str) -> None:
    clauses = GRAMMAR.read_partly(message)
    assert (types(clauses), len(open_texts(clauses))) == ([], 1)


@pytest.mark.parametrize(
    "message",
    [
        "Frobnicate the Save button, then hover over it",
        "Frobnicate the prices. Post the results to https://a.example/hook",
        "Frobnicate Ada into the Name field. Press Tab",
    ],
)
def test_what_refers_to_an_open_clause_is_open_too(message: str) -> None:
    assert types(GRAMMAR.read_partly(message)) == []


def test_keys_are_not_pressed_in_the_field_before_an_open_clause() -> None:
    typed, _, pressed = GRAMMAR.read_partly("Type Ada into Name. Frobnicate. Press Enter")
    assert "pressEnter" not in typed.blocks[0]["data"]
    assert pressed.blocks[0]["locator"]["css"] == ":focus"
    [joined] = GRAMMAR.read_partly("Type Ada into Name. Press Enter")
    assert joined.blocks[0]["data"]["pressEnter"]


@pytest.mark.parametrize(
    ("message", "near"),
    [
        ("Smash the Save button", "Click the Save button"),
        ("Click Save and Download report", 'Click "Save and Download report"'),
        ("Clickk5 the Help link", "Click the Help link"),
        (HOTEL, ""),
        ("Click it or maybe the other one", ""),
        ("", ""),
    ],
)
def test_two_ways_to_say_it_are_offered_and_both_are_understood(message: str, near: str) -> None:
    [clause] = GRAMMAR.read_partly(message)
    assert len(clause.suggestions) == 2
    assert near in (*clause.suggestions, "")
    assert all(map(GRAMMAR.read, clause.suggestions))
    assert not any("maybe" in way for way in clause.suggestions)


def test_nothing_is_offered_for_what_must_not_be_done() -> None:
    [clause] = GRAMMAR.read_partly("Do not click Delete")
    assert clause.suggestions == []


def test_many_open_clauses_cost_little() -> None:
    message = ". ".join(f"Frobnicate the lot {number} times over" for number in range(90))
    assert len(open_texts(GRAMMAR.read_partly(message))) == 90


@pytest.mark.parametrize(
    "message",
    [
        "Click Export to Excel and note the total in the first row",
        "Click Export and note total field",
        "Select Blue and confirm in the Colour dropdown",
        "Choose Rome and note the price from the City list",
        "Hover ovr the Products menu",
    ],
)
def test_a_second_clause_is_not_swallowed_into_a_name_or_a_value(message: str) -> None:
    with pytest.raises(NotUnderstood):
        GRAMMAR.read(message)


def test_a_mistyped_article_is_no_part_of_a_name() -> None:
    [block] = GRAMMAR.read("Choose Blue in teh Colour dropdown")
    assert block["data"]["key"] == "Colour"


@pytest.mark.parametrize(
    "name", ["the Save and close button", '"Save and close"', "Save and Close in the dialog"]
)
def test_a_name_may_hold_an_and(name: str) -> None:
    [block] = GRAMMAR.read(f"Click {name}")
    assert "ave and" in str(block["locator"])

"""When something is so, in words: each way to say it means one condition, and nothing is assumed."""

from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.instructions.grammar import NotUnderstood
from pagehand.workflow.parse import parse_blocks
from support.instructions import read_instructions

SAVE = {"role": "button", "text": "Save"}


def condition(words: str, parameters: tuple[str, ...] = ("amount", "name")) -> Any:
    [block] = read_instructions(f"If {words}, click Go", parameters=parameters)
    assert parse_blocks([block], kinds())
    return block["data"]["condition"]


@pytest.mark.parametrize(
    ("words", "state"),
    [
        ("the Save button is shown", "visible"),
        ("the Save button appears", "visible"),
        ("the Save button exists", "visible"),
        ("the Save button becomes visible", "visible"),
        ("the Save button is hidden", "hidden"),
        ("the Save button is not there", "hidden"),
        ("the Save button is no longer shown", "hidden"),
        ("the Save button isn't visible", "hidden"),
        ("the Save button does not appear", "hidden"),
        ("the Save button doesn't exist", "hidden"),
        ("the Save button goes away", "hidden"),
        ("the Save button is disabled", "disabled"),
        ("the Save button is not enabled", "disabled"),
        ("the Save button is greyed out", "disabled"),
        ("the Save button cannot be clicked", "disabled"),
        ("the Save button is enabled", "enabled"),
        ("the Save button can be clicked", "enabled"),
        ("the Save button is checked", "checked"),
        ("the Save button is selected", "checked"),
        ("the Save button is not ticked", "unchecked"),
        ("the Save button is unchecked", "unchecked"),
        ("there is a Save button", "visible"),
        ("there is a Save button on the page", "visible"),
        ("there is no Save button", "hidden"),
        ("there is not a Save button", "hidden"),
    ],
)
def test_a_state_is_read_with_its_negation(words: str, state: str) -> None:
    assert condition(words) == {"element": SAVE, "state": state}


@pytest.mark.parametrize(
    ("words", "text", "state"),
    [
        ("the page shows Welcome", "Welcome", "visible"),
        ('the page says "no luck"', "no luck", "visible"),
        ('this page contains the text "A, or B"', "A, or B", "visible"),
        ('it reads "Done"', "Done", "visible"),
        ('the page does not show "Done"', "Done", "hidden"),
        ('the page doesn\'t contain the message "Done"', "Done", "hidden"),
    ],
)
def test_what_the_page_shows_is_text(words: str, text: str, state: str) -> None:
    assert condition(words) == {"element": {"text": text}, "state": state}


def test_what_an_element_contains_is_compared_with_quoted_text() -> None:
    assert condition('the Total field contains "5"') == {
        "element": {"label": "Total"},
        "state": "textContains",
        "value": "5",
    }


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        ("the address contains /login", "/login"),
        ('the address contains "/login"', "/login"),
        ('the url matches "*/orders/*"', "*/orders/*"),
        ("the url includes https://example.com/a", "https://example.com/a"),
    ],
)
def test_an_address_is_compared_with_a_pattern(words: str, pattern: str) -> None:
    assert condition(words) == {"url": pattern}


@pytest.mark.parametrize(
    ("words", "expression"),
    [
        ("the amount from the parameters is more than 100", "params.amount > 100"),
        ("the amount from the parameters is over 100", "params.amount > 100"),
        ("the amount from the parameters is less than 0.5", "params.amount < 0.5"),
        ("the amount from the parameters is under 7", "params.amount < 7"),
        ("the amount from the parameters is at least -2", "params.amount >= -2"),
        ("the amount from the parameters is at most 3", "params.amount <= 3"),
        ("the amount from the parameters is 3", "params.amount == 3"),
        ("the amount from the parameters equals 3", "params.amount == 3"),
        ("the amount from the parameters is not 3", "params.amount != 3"),
        ("the amount from the parameters is not equal to 3", "params.amount != 3"),
        ("the amount is above 3", "params.amount > 3"),
        ('{{params.name}} is "O\'Brien"', 'params.name == "O\'Brien"'),
        ('{{params.name}} is "say \\"', "params.name == 'say \\\\'"),
    ],
)
def test_a_parameter_is_compared_with_a_number_or_with_quoted_text(words: str, expression: str) -> None:
    assert condition(words) == {"expression": expression}


@pytest.mark.parametrize(
    ("path", "expression"),
    [
        ("params.unit-price", "params['unit-price'] == 5"),
        ("params.orders.0.total", "params.orders[0].total == 5"),
        ("blocks.table.007.n", "blocks.table[7].n == 5"),
        ("params.class", "params['class'] == 5"),
    ],
)
def test_a_template_that_python_would_read_otherwise_is_written_for_python(
    path: str, expression: str
) -> None:
    assert condition(f"{{{{{path}}}}} is 5", parameters=()) == {"expression": expression}


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        ("it rains", "it rains"),
        ("true", "true"),
        ("there is an error", "the error"),
        ("the amount from the parameters is more than five", "five"),
        ("the weight from the parameters is more than 5", "more than 5"),
        ('"A" is shown or "B" is shown', "or"),
        ("the page shows", "the page shows"),
        ("the url contains it", "it"),
        ('the url is not "x"', 'the url is not "x"'),
    ],
)
def test_what_is_not_plainly_a_condition_is_refused(words: str, refused: str) -> None:
    with pytest.raises(NotUnderstood) as caught:
        condition(words)
    assert refused in caught.value.words


def test_it_in_the_body_is_what_the_condition_named() -> None:
    [block] = read_instructions('If "Accept cookies" is shown, click it')
    assert block["sequenceData"]["trueSequence"][0]["locator"] == {"text": "Accept cookies"}

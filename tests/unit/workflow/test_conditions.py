"""A condition is one of four shapes or a bare expression; anything else is refused in a sentence."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from pagehand.workflow.conditions import (
    Condition,
    ElementCondition,
    ExpressionCondition,
    PromptCondition,
    UrlCondition,
    describe,
    looks_at_page,
)

ADAPTER: TypeAdapter[Any] = TypeAdapter(Condition)
SAVE = {"text": "Save"}


@pytest.mark.parametrize(
    ("given", "shape", "on_page", "words"),
    [
        ("params.n > 3", str, False, "`params.n > 3`"),
        ({"expression": "index < 2"}, ExpressionCondition, False, "`index < 2`"),
        ({"url": "*/done"}, UrlCondition, True, "the address matches `*/done`"),
        ({"prompt": "Is it sent?"}, PromptCondition, True, "Is it sent?"),
        ({"element": SAVE}, ElementCondition, True, "element text `Save` is visible"),
        (
            {"element": SAVE, "state": "textContains", "value": "5"},
            ElementCondition,
            True,
            "element text `Save` is textContains `5`",
        ),
    ],
)
def test_a_condition_has_one_shape_and_reads_as_given(
    given: Any, shape: type, on_page: bool, words: str
) -> None:
    condition = ADAPTER.validate_python(given)
    assert isinstance(condition, shape)
    assert (looks_at_page(condition), describe(condition)) == (on_page, words)


def test_no_condition_looks_at_nothing() -> None:
    assert not looks_at_page(None)


@pytest.mark.parametrize(
    ("state", "count", "is_about_one"),
    [
        ("count>2", (">", 2), False),
        ("count >= 0", (">=", 0), False),
        ("count=1", ("=", 1), False),
        ("count<=10", ("<=", 10), False),
        ("count < 3", ("<", 3), False),
        ("visible", None, False),
        ("hidden", None, False),
        ("exists", None, False),
        ("enabled", None, True),
        ("checked", None, True),
        ("{{params.state}}", None, True),
    ],
)
def test_a_state_is_a_word_or_a_count(state: str, count: tuple[str, int] | None, is_about_one: bool) -> None:
    condition = ADAPTER.validate_python({"element": SAVE, "state": state})
    assert (condition.count(), condition.is_about_one) == (count, is_about_one)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"element": SAVE, "state": "count>"}, "a count like count>2"),
        ({"element": SAVE, "state": "count!=2"}, "a count like count>2"),
        ({"element": SAVE, "state": "Visible"}, "expected one of checked, disabled"),
        ({"element": SAVE, "state": "textContains"}, "state textContains needs a value"),
        ({"element": SAVE, "state": "valueEquals"}, "state valueEquals needs a value"),
        ({"element": {}}, "give at least one of words, role, text"),
        ({"element": {"frame": "#f"}}, "give at least one of words, role, text"),
        ({}, "Field required"),
        ("", "at least 1 character"),
        ({"expression": ""}, "at least 1 character"),
        ({"url": "x", "prompt": "y"}, "`url` and `prompt` are 2 conditions in one"),
        (5, "expected an expression or one of {expression}, {element}, {url}, {prompt}"),
        ([], "expected an expression or one of"),
    ],
)
def test_what_is_not_a_condition_is_refused(given: Any, reason: str) -> None:
    with pytest.raises(ValidationError) as refused:
        ADAPTER.validate_python(given)
    assert reason in str(refused.value)

"""Nearest names, ordinals, languages of code, text that stores refuse, and models as JSON has them."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pagehand.blocks.user_code import is_javascript
from pagehand.errors import InvalidRequest
from pagehand.workflow.parse import check_storable
from pagehand.workflow.refusals import listed, nearest
from pagehand.workflow.wire import RESOLVED, Text, TextOrNumber, WireModel, wire_names
from pagehand.workflow.words import ORDINAL_WORDS, position_of, read_yes_no

KNOWN = ["workflowId", "startTime", "tagFilters", "timeoutMs", "altText"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("workflowId", "workflowId"),
        ("workflow_id", "workflowId"),
        ("WORKFLOW-ID", "workflowId"),
        ("workflow", "workflowId"),
        ("timeout", "timeoutMs"),
        ("tag", "tagFilters"),
        ("alt", "altText"),
        ("strtTime", "startTime"),
        ("statTime", "startTime"),
        ("colour", None),
        ("", None),
        ("x" * 101, None),
        ("工作流", None),
    ],
)
def test_a_slip_is_recognized_and_another_word_is_not(name: str, meant: str | None) -> None:
    assert nearest(name, KNOWN) == meant


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=20))
def test_what_is_meant_is_always_one_of_the_known(name: str) -> None:
    assert nearest(name, KNOWN) in (None, *KNOWN)
    assert nearest(name, []) is None


def test_names_are_listed_in_backticks() -> None:
    assert (listed(["a", "b"]), listed([])) == ("`a`, `b`", "")


@pytest.mark.parametrize(
    ("word", "position"),
    [
        *((word, at) for at, word in enumerate(ORDINAL_WORDS)),
        ("1st", 0),
        ("22nd", 21),
        ("113th", 112),
        ("last", -1),
        ("final", -1),
        ("0th", None),
        ("th", None),
        ("one", None),
        ("First", None),
        ("", None),
    ],
)
def test_an_ordinal_is_a_position_from_zero(word: str, position: int | None) -> None:
    assert position_of(word) == position


@pytest.mark.parametrize(
    "code",
    [
        "(x) => x",
        "x => x + 1",
        "async (a, b) => a",
        "({a, b}) => a",
        "(a = 5) => a",
        "function f(x) { return x }",
        "async function (x) {}",
        "// why\n/* how\n */ (output, context) => output",
        "  \n$x => $x",
        "([a, b]) => a",
    ],
)
def test_an_arrow_or_a_function_is_javascript(code: str) -> None:
    assert is_javascript(code)


@pytest.mark.parametrize(
    "code",
    [
        "lambda x: x",
        "def f(x):\n    return x",
        "input >= 3",
        "(a) >= (b)",
        "functional(x)",
        "# x => y\ninput",
        "'x => y'",
        "{'a': 1}",
        "",
        "/* only a comment */",
        "x == y",
    ],
)
def test_anything_else_is_python(code: str) -> None:
    assert not is_javascript(code)


def test_hostile_code_is_classified_quickly() -> None:
    assert not is_javascript("(" + "a=" * 20_000)
    assert not is_javascript("/*" * 20_000)


@pytest.mark.parametrize("value", ["", "x", "日本 😀", {"a": [1, None, "b"]}, 5, None, "\ufffd"])
def test_text_that_every_store_keeps_passes(value: Any) -> None:
    check_storable(value, "params")


@pytest.mark.parametrize(
    ("value", "place", "reason"),
    [
        ("a\x00", "params", "NUL character"),
        ({"a": ["x", "\x00"]}, "params.a[1]", "NUL character"),
        ({"a\x00": 1}, "params", "NUL character"),
        ({"a": {"b": "\ud800"}}, "params.a.b", "half of a surrogate pair"),
        (["\udfff"], "params[0]", "half of a surrogate pair"),
    ],
)
def test_text_that_no_store_keeps_is_refused_with_its_place(value: Any, place: str, reason: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_storable(value, "params")
    assert str(refused.value).startswith(f"`{place}`: ")
    assert reason in str(refused.value)


class Step(WireModel):
    """A model as kinds have them."""

    file_name: Text
    """Required."""
    how_often: int = 1
    """With a default."""
    choice: TextOrNumber = ""
    """Text or a number."""


def test_names_in_json_are_in_camel_case() -> None:
    assert wire_names(Step) == ("fileName", "howOften", "choice")


def test_null_means_not_given_where_something_else_may_stand() -> None:
    assert Step.model_validate({"fileName": "x", "howOften": None}).how_often == 1
    with pytest.raises(ValidationError):
        Step.model_validate({"fileName": None})


@pytest.mark.parametrize(("value", "text"), [(5, "5"), (2.5, "2.5"), (True, "true"), ("x", "x")])
def test_a_template_may_yield_a_number_where_text_is_wanted(value: Any, text: str) -> None:
    assert Step.model_validate({"fileName": value}, context=RESOLVED).file_name == text


@pytest.mark.parametrize("value", [5, True, 2.5, ["x"], {"a": 1}])
def test_written_by_hand_it_has_to_be_text(value: Any) -> None:
    with pytest.raises(ValidationError):
        Step.model_validate({"fileName": value})


@pytest.mark.parametrize(("value", "text"), [(5, "5"), (5.0, "5"), (2.5, "2.5"), ("x", "x")])
def test_a_number_stands_for_its_decimal_text(value: Any, text: str) -> None:
    assert Step.model_validate({"fileName": "x", "choice": value}).choice == text


def test_keys_nobody_knows_and_loose_types_are_refused() -> None:
    for given_value in ({"fileName": "x", "other": 1}, {"fileName": "x", "howOften": "1"}):
        with pytest.raises(ValidationError):
            Step.model_validate(given_value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" Yes ", True),
        ("checked", True),
        ("JA", True),
        ("0", False),
        ("unticked", False),
        ("", None),
        ("x", None),
    ],
)
def test_a_word_says_yes_or_no_or_neither(text: str, said: bool | None) -> None:
    assert read_yes_no(text) is said

"""Answers in the shape of a schema: read out of what a model says, and checked in words it can follow."""

from typing import Any

import pytest

from pagehand.ai.answers import AnswerSchema, parse_json
from pagehand.errors import BlockFailed

RECORD = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "total": {"type": "number"}},
    "required": ["name"],
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("  [1, 2]\n", [1, 2]),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ("```\n[1]\n```", [1]),
        ('Here it is:\n```json\n{"a": 1}\n```\nAnything else?', {"a": 1}),
        ('Sure! {"a": 1}', {"a": 1}),
        ('{"a": 1} and some words', {"a": 1}),
        ('Use {x} as in [note]: {"a": 1}', {"a": 1}),
        ('{"code": "```py\\nx\\n```"}', {"code": "```py\nx\n```"}),
        ('The answer: ```{"code": "```"}```', {"code": "```"}),
        ('{"text": "日本 שלום \\ud83d\\ude00"}', {"text": "日本 שלום 😀"}),
        ("5", 5),
        ('"text"', "text"),
    ],
)
def test_json_is_found_in_what_a_model_says(text: str, value: Any) -> None:
    assert parse_json(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing of the kind",
        "{x}",
        '{"rows": [{"a": 1}, {"a":',
        'Answer: {"rows": [{"a": 1}, {"a":',
        "[[1]",
        "```json\n```",
        "[" * 100_000,
        "{" * 100,
    ],
)
def test_words_and_answers_cut_off_are_no_json(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever it says, it is one
        parse_json(text)


@pytest.mark.parametrize(
    ("schema", "arguments", "value"),
    [
        (RECORD, {"name": "Ada", "total": 5}, {"name": "Ada", "total": 5}),
        (RECORD, {"name": "Ada", "total": None}, {"name": "Ada"}),
        (RECORD, {"name": None, "total": None}, {"name": None}),
        ({"type": "array", "items": RECORD}, {"answer": [{"name": "x", "total": None}]}, [{"name": "x"}]),
        ({"type": "string"}, {"answer": "x"}, "x"),
        ({"type": "string"}, "x", "x"),
        ({"type": ["number", "null"]}, {"answer": None}, None),
        ({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}, {"a": None}, {"a": None}),
        (
            {"type": "object", "properties": {"a": True, "b": {"type": "string"}}},
            {"a": [{"x": None, "y": 1}], "b": None},
            {"a": [{"y": 1}]},
        ),
        ({"type": "array", "items": True, "minItems": 5}, {"answer": [[1]]}, [[1]]),
    ],
)
def test_arguments_are_read_as_the_value_that_was_asked_for(
    schema: dict[str, Any], arguments: Any, value: Any
) -> None:
    assert AnswerSchema(schema).read(arguments) == value


def test_what_is_not_an_object_is_asked_for_inside_one_with_its_definitions_at_the_root() -> None:
    shape = AnswerSchema(
        {"type": "array", "items": {"$ref": "#/$defs/x"}, "$defs": {"x": {"type": "string"}}}
    )
    assert shape.arguments == {
        "type": "object",
        "properties": {"answer": {"type": "array", "items": {"$ref": "#/$defs/x"}}},
        "required": ["answer"],
        "$defs": {"x": {"type": "string"}},
    }
    assert AnswerSchema(RECORD).arguments == RECORD


def test_problems_are_named_with_their_places() -> None:
    rows = AnswerSchema({"type": "array", "items": RECORD})
    assert rows.problems([{"name": "x"}]) == ""
    assert rows.problems([{"name": "x"}, {"name": 5}]).startswith("`1.name`: 5 is not of type")
    assert rows.problems({}).startswith("the answer: ")


def test_at_most_five_problems_are_named() -> None:
    shape = AnswerSchema({"type": "array", "items": {"type": "string"}})
    assert shape.problems(list(range(50))).count(";") == 4


@pytest.mark.parametrize(
    "schema", [{"type": "nonsense"}, {"$ref": "https://elsewhere.test/x"}, {"required": 5}]
)
def test_a_schema_that_is_none_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(BlockFailed, match="`schema` is not a valid JSON Schema"):
        AnswerSchema(schema)

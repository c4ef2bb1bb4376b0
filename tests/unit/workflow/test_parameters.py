"""Declared parameters: what fits them, what contradicts itself, and both as JSON Schema."""

from typing import Any

import pytest

from pagehand.errors import InvalidRequest
from pagehand.workflow.parameters import TYPES, check_declared, check_params, input_schema

VALUES: dict[str, tuple[list[Any], list[Any]]] = {
    "string": (["", "x"], [1, True, [], {}]),
    "number": ([0, -1.5], ["1", True, []]),
    "boolean": ([True, False], [0, "true"]),
    "date": (["2026-01-31", "2026-01-31T09:00:00Z"], ["31.1.2026", "2026-02-30", 5]),
    "file": (["file_1", {"id": "file_1"}], [5, {}, []]),
    "object": ([{}, {"a": 1}], ["{}", []]),
    "array": ([[], [1]], ["[]", {}]),
}


@pytest.mark.parametrize("kind", TYPES)
def test_a_value_must_fit_its_type(kind: str) -> None:
    declared = [{"name": "p", "type": kind}]
    good, bad = VALUES[kind]
    for value in good:
        check_params(declared, {"p": value, "other": 1}, "params")
    for value in bad:
        with pytest.raises(InvalidRequest, match=r"`params\.p`: expected"):
            check_params(declared, {"p": value}, "params")


def test_one_of_the_choices_and_no_other() -> None:
    declared = [{"name": "p", "enum": ["a", 1]}]
    check_params(declared, {"p": 1}, "params")
    for value in ("b", True, 1.0):
        with pytest.raises(InvalidRequest, match='one of "a", 1'):
            check_params(declared, {"p": value}, "params")


def test_null_is_not_given_and_a_required_one_is_missed() -> None:
    check_params([{"name": "p", "type": "number"}], {"p": None}, "params")
    check_params([{"name": "p", "isRequired": True, "default": 1}], {}, "params")
    with pytest.raises(InvalidRequest, match=r"`rows\[2\]\.p` is missing"):
        check_params([{"name": "p", "isRequired": True}], {}, "rows[2]")


def test_a_secret_is_not_repeated() -> None:
    with pytest.raises(InvalidRequest) as refusal:
        check_params([{"name": "p", "type": "number", "isSecret": True}], {"p": "hunter2"}, "params")
    assert "hunter2" not in refusal.value.message


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ([{"name": "p"}, {"name": "p"}], "declared twice"),
        ([{"name": "p", "type": "number", "default": "1"}], r"`parameters\[0\]\.default`: expected a number"),
        ([{"name": "p", "type": "number", "enum": ["1"]}], r"`parameters\[0\]\.enum`: expected a number"),
        ([{"name": "p", "enum": ["a"], "default": "b"}], r"`parameters\[0\]\.default`: expected one of"),
        ([{"name": "p", "isSecret": True, "default": "b"}], r"`parameters\[0\]\.default`: expected none"),
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(declared: list[Any], words: str) -> None:
    with pytest.raises(InvalidRequest, match=words):
        check_declared(declared)


def test_what_is_declared_and_what_is_inferred_as_a_schema() -> None:
    declared = [
        {"name": "day", "type": "date", "isRequired": True, "description": "When."},
        {"name": "pin", "isSecret": True, "default": "1234"},
    ]
    schema = input_schema(declared, ["day", "city"])
    assert schema["required"] == ["day"]
    assert schema["properties"]["day"] == {"type": "string", "format": "date", "description": "When."}
    assert schema["properties"]["pin"] == {"writeOnly": True}
    assert schema["properties"]["city"]["x-inferred"] is True

"""What a workflow takes and puts out is read off its blocks where it is not declared."""

from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.checks.workflow import schemas_of
from pagehand.records import Workflow
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks

Json = dict[str, Any]
NAMES = {"type": "object", "properties": {"name": {"type": "string"}}}


def workflow(*blocks: Json, **more: Any) -> Workflow:
    parsed = parse_blocks(list(blocks), kinds())
    return Workflow(
        id="wf_1", organization_id="org", name="It", version=1, blocks=tree.to_json(parsed), **more
    )


def transform(given: Any, code: str = "input") -> Json:
    return {"type": "Transform", "blockReferenceId": "sum", "data": {"input": given, "code": code}}


def inferred(*blocks: Json, **more: Any) -> list[str]:
    properties = schemas_of(workflow(*blocks, **more), kinds())[0]["properties"]
    return [name for name, schema in properties.items() if schema.get("x-inferred")]


@pytest.mark.parametrize(
    ("blocks", "names"),
    [
        ([transform("{{params.a}} and {{params.b.c}} and {{params.a}}")], ["a", "b"]),
        ([transform("\\{{params.a}}")], []),
        ([transform({"deep": [{"x": "{{params.first name}}"}]})], ["first name"]),
        ([transform(1, 'params.rate * params["other"]')], ["rate", "other"]),
        ([transform(1, "[params for params in input]")], []),
        ([transform("{{params}}")], []),
        ([{"type": "Navigate", "data": {"url": "{{params.site}}/x"}}], ["site"]),
        ([{"type": "Mouse", "data": {}, "locator": {"text": "{{params.label}}"}}], ["label"]),
        (
            [
                {
                    "type": "If",
                    "data": {"condition": "params.n > 3"},
                    "sequenceData": {"trueSequence": [transform("{{params.inner}}")], "falseSequence": []},
                }
            ],
            ["n", "inner"],
        ),
    ],
)
def test_parameters_that_only_templates_and_code_name_are_inferred(
    blocks: list[Json], names: list[str]
) -> None:
    assert inferred(*blocks) == names


def test_the_output_names_parameters_too() -> None:
    assert inferred(transform(1), output={"id": "{{params.order}}"}) == ["order"]


def test_a_declared_parameter_is_not_inferred_again() -> None:
    declared = [{"name": "a", "type": "number", "isRequired": True}]
    schema, _ = schemas_of(workflow(transform("{{params.a}}"), parameters=declared), kinds())
    assert schema == {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]}


@pytest.mark.parametrize(
    ("blocks", "output", "schema"),
    [
        (
            [{"type": "Extract", "blockReferenceId": "rows", "data": {"schema": NAMES}}],
            None,
            {"type": "object", "properties": {"rows": NAMES}},
        ),
        (
            [
                {
                    "type": "Extract",
                    "blockReferenceId": "rows",
                    "data": {"schema": NAMES},
                    "transformerFn": "lambda output, context: 1",
                }
            ],
            None,
            {"type": "object", "properties": {}},
        ),
        ([transform(1)], None, {"type": "object", "properties": {}}),
        ([transform(1)], {"total": "{{blocks.sum}}"}, {"type": "object", "properties": {"total": {}}}),
        ([transform(1)], "{{blocks.sum}}", {"type": "object"}),
    ],
)
def test_what_comes_out_is_as_much_as_is_known(blocks: list[Json], output: Any, schema: Json) -> None:
    assert schemas_of(workflow(*blocks, output=output), kinds())[1] == schema

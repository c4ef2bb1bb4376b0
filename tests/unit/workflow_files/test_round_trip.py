"""Any workflow becomes a file and the same workflow again; any file becomes the same text again."""

import json
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagehand.blocks import examples, kinds
from pagehand.cli.checking import check_file
from pagehand.demo.first_run import demo_workflow
from pagehand.records import Json
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow_files.expanding import Expander
from pagehand.workflow_files.positions import read_document
from pagehand.workflow_files.schema import file_schema
from pagehand.workflow_files.words import defaults
from pagehand.workflow_files.writing import write_file

KINDS = kinds()
ALL_EXAMPLES = [example for kind in KINDS for example in examples(kind)]
# what YAML treats in special ways, beside any text there is
TRICKY = st.sampled_from(
    [
        *("yes", "no", "null", "~", "1", "1.0", "0o7", "1e3", "2026-01-31", "12:30", "- a", "a: b", "a #b"),
        *("#a", "*a", "&a", "!a", "%a", "@a", "`a", "'a'", '"a"', "{{params.x}}", "[a", "{a", "a\n", "\na"),
        *(
            "a\n\nb",
            " a",
            "a ",
            "a\n b\n",
            "  a\nb",
            "a\tb",
            "\ta\nb",
            "a\\nb",
            "\u2028",
            "\x85",
            "\ufeff",
            "é",
        ),
        *("😀", "", "\n", " ", "|", ">", "a\n\n", "a \nb", "---", "...", "? a", "<<", "=", "a\rb", "a\r\nb"),
        *("\x07", "key: |", "{{", "true ", "-", "0x1F", "a'b\"c", "\\", 'say "a"\\'),
    ]
)
TEXTS = st.one_of(
    TRICKY, st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)
)
SCALARS = st.one_of(
    TEXTS,
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
)
Values = st.SearchStrategy[Any]
Objects = st.SearchStrategy[Json]


def _nested_values(inner: Values) -> Values:
    return st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)


def _without_template(value: Any) -> bool:
    return "{{" not in json.dumps(value, ensure_ascii=False)


VALUES: Values = st.recursive(SCALARS, _nested_values, max_leaves=8)
PLAIN_VALUES = VALUES.filter(_without_template)
NAMES = TEXTS.filter(bool)
FLAGS: Objects = st.fixed_dictionaries(
    {},
    optional={
        "name": NAMES,
        "isCacheable": st.booleans(),
        "skipIfNotPresent": st.booleans(),
        "useWorkflowRecoveryAgent": st.booleans(),
        "transformerFn": TEXTS,
    },
)
LOCATORS: Objects = st.fixed_dictionaries(
    {"words": NAMES}, optional={"text": NAMES, "label": NAMES, "strict": st.booleans()}
).filter(_without_template)


def _transform(value: Any) -> Json:
    return {"type": "Transform", "data": {"input": value, "code": "1"}}


def _code(text: str) -> Json:
    return {"type": "CodeV2", "data": {"code": text}}


def _click(locator: Json) -> Json:
    return {"type": "Mouse", "data": {"action": "click", "count": 1}, "locator": locator}


def _input(locator: Json) -> Json:
    return {"type": "Input", "data": {"inputType": "TextInput", "value": "x"}, "locator": locator}


def _input_by_key(key: str) -> Json:
    return {"type": "Input", "data": {"inputType": "TextInput", "value": "x", "key": key}}


PLAIN_BLOCKS: Objects = st.one_of(
    st.sampled_from(ALL_EXAMPLES),
    st.builds(_transform, PLAIN_VALUES),
    st.builds(_code, TEXTS.filter(str.strip)),
    st.builds(_click, LOCATORS),
    st.builds(_input, LOCATORS),
    st.builds(_input_by_key, st.sampled_from(("Input_1", "Name", "Input_2"))),
)
REFERENCES = st.sampled_from(
    (None, None, "rows", "Transform_1", "Transform_2", "Mouse_2", "Input_1", "CodeV2_3", "CodeV2_1")
)


def _with(block: Json, flags: Json, reference: str | None) -> Json:
    made = {**block, **flags}
    return made if reference is None else {**made, "blockReferenceId": reference}


def _if(then: list[Json], other: list[Json]) -> Json:
    nested = {"falseSequence": other, "trueSequence": then}
    return {"type": "If", "data": {"condition": "True"}, "sequenceData": nested}


def _nested_blocks(inner: Objects) -> Objects:
    return st.builds(_if, st.lists(inner, max_size=2), st.lists(inner, max_size=2))


BLOCKS: Objects = st.recursive(
    st.builds(_with, PLAIN_BLOCKS, FLAGS, REFERENCES), _nested_blocks, max_leaves=6
)
PARAMETER: Objects = st.fixed_dictionaries(
    {},
    optional={
        "description": TEXTS,
        "isRequired": st.booleans(),
        "isSecret": st.booleans(),
        "default": VALUES,
        "type": st.sampled_from(("string", "number")),
    },
)


def _declared(named: dict[str, Json]) -> list[Json]:
    return [{"name": name, **fields} for name, fields in named.items()]


PARAMETERS = st.builds(
    _declared, st.dictionaries(st.from_regex(r"[A-Za-z0-9_-]{1,8}", fullmatch=True), PARAMETER, max_size=3)
)
WORKFLOWS: Objects = st.fixed_dictionaries(
    {"name": NAMES, "blocks": st.lists(BLOCKS, max_size=4)},
    optional={
        "tags": st.lists(NAMES, max_size=2, unique=True),
        "output": PLAIN_VALUES,
        "parameters": PARAMETERS,
        "retrySafe": st.booleans(),
        "pictures": st.sampled_from(("all", "acts", "failures", "none")),
    },
)


def _unique(blocks: list[Json], taken: set[str]) -> list[Json]:
    """The blocks, without references that another has."""
    made: list[Json] = []
    for block in blocks:
        own = dict(block)
        if own.get("blockReferenceId") in taken:
            del own["blockReferenceId"]
        taken.add(own.get("blockReferenceId", ""))
        if nested := own.get("sequenceData"):
            own["sequenceData"] = {name: _unique(children, taken) for name, children in nested.items()}
        made.append(own)
    return made


def _kept(definition: Json) -> Json:
    """The workflow as the service keeps it."""
    return {**definition, "blocks": tree.to_json(parse_blocks(_unique(definition["blocks"], set()), KINDS))}


def _meaning(workflow: Json) -> Json:
    """What a workflow says: without ids, with every default, and lists without an order sorted."""
    unset: Json = {"description": "", "isRequired": False, "isSecret": False}
    declared: list[Json] = workflow.get("parameters") or []
    parameters = [
        {**unset, **{name: value for name, value in parameter.items() if value is not None}}
        for parameter in declared
    ]
    return {
        "name": workflow["name"],
        "tags": sorted(workflow.get("tags") or []),
        "output": workflow.get("output") or None,
        "parameters": parameters,
        "retrySafe": workflow.get("retrySafe", False),
        "pictures": workflow.get("pictures", "all"),
        "blocks": [_block_meaning(block) for block in workflow["blocks"]],
    }


def _block_meaning(block: Json) -> Json:
    data = {name: value for name, value in block["data"].items() if value is not None}
    nested: dict[str, list[Json]] = block.get("sequenceData") or {}
    rest = {
        key: value
        for key, value in block.items()
        if key not in ("id", "parentRelationship", "data", "sequenceData")
    }
    return {
        **rest,
        "data": {**defaults(KINDS[block["type"]]), **data},
        "nested": {name: [_block_meaning(child) for child in children] for name, children in nested.items()},
    }


@cache
def _schema() -> jsonschema_rs.Draft7Validator:
    return jsonschema_rs.Draft7Validator(file_schema(KINDS))


def _read(text: str) -> Json:
    expander = Expander(read_document(text), KINDS, str)
    definition = expander.definition()
    assert expander.complaints == [], text
    return definition


def _same(left: Any, right: Any) -> bool:
    # by type too: to Python, true is 1
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(WORKFLOWS)
def test_a_workflow_and_its_file_say_the_same(definition: Json) -> None:
    workflow = _kept(definition)
    text = write_file(workflow, KINDS)
    reread = _kept(_read(text))
    assert _same(_meaning(reread), _meaning(workflow)), text
    assert write_file(reread, KINDS) == text
    assert _schema().is_valid(read_document(text).value), text


@pytest.mark.parametrize("example", ALL_EXAMPLES, ids=lambda example: example["type"])
def test_every_example_of_a_kind_can_be_kept_in_a_file(example: Json) -> None:
    workflow = _kept({"name": "Example", "blocks": [example]})
    text = write_file(workflow, KINDS)
    reread = _kept(_read(text))
    assert _same(_meaning(reread), _meaning(workflow)), text
    assert write_file(reread, KINDS) == text
    assert _schema().is_valid(read_document(text).value), text


def test_json_is_read_as_well_as_yaml() -> None:
    short = {"name": "Wait", "blocks": [{"kind": "Wait", "durationMs": 5}]}
    assert _read(json.dumps(short)) == _read("name: Wait\nblocks:\n  - {kind: Wait, durationMs: 5}\n")


def test_the_demo_is_short_and_names_its_login() -> None:
    workflow = _kept(demo_workflow("http://127.0.0.1:1", "login_1"))
    text = write_file(workflow, KINDS, {"login_1": "Northwind"}.get)
    assert "    login: Northwind\n" in text
    assert "login_1" not in text
    assert "isCacheable" not in text
    found = check_file(text, KINDS, {"Northwind": "login_1"}.__getitem__).definition
    assert _same(_meaning(_kept(found)), _meaning(workflow))


def test_references_are_written_only_where_something_needs_them() -> None:
    blocks: list[Json] = [
        {"type": "Wait", "data": {}},
        {"type": "Transform", "data": {"input": 1, "code": "input"}},
        {"type": "Transform", "data": {"input": "{{blocks.Transform_1}}", "code": "input"}},
        {"type": "Transform", "blockReferenceId": "total", "data": {"input": 2, "code": "input"}},
    ]
    short = read_document(write_file(_kept({"name": "References", "blocks": blocks}), KINDS)).value
    assert [block.get("ref") for block in short["blocks"]] == [None, "Transform_1", None, "total"]

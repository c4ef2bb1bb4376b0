"""The JSON Schema takes every file that `check` takes, and refuses the usual mistakes."""

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagehand.blocks import examples, kinds
from pagehand.cli.checking import check_file
from pagehand.records import Json, is_array, is_object
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow_files.positions import FileRefused, read_document
from pagehand.workflow_files.schema import file_schema
from pagehand.workflow_files.shortening import no_login, shorten
from pagehand.workflow_files.words import PARAMETER_FIELDS, WORKFLOW_FIELDS, block_words

KINDS = kinds()
FILES = sorted(Path(__file__).parents[3].glob("examples/*.workflow.yaml"))
GOOD: Json = {
    "name": "Claims",
    "parameters": {"portal": {"type": "string", "required": True}, "anything": None},
    "blocks": [
        {"kind": "Navigate", "url": "{{params.portal}}"},
        {"kind": "Loop", "over": "{{params.anything}}", "do": [{"kind": "Wait", "durationMs": 5}]},
        {"kind": "Mouse", "at": "the Save button", "isCommit": True, "timeoutMs": "{{params.anything}}"},
        {"kind": "Login", "login": "Office"},
    ],
}


@cache
def schema() -> Json:
    return file_schema(KINDS)


@cache
def validator() -> jsonschema_rs.Draft7Validator:
    return jsonschema_rs.Draft7Validator(schema())


@cache
def short_examples() -> list[Json]:
    """A file for every example of every kind."""
    return [
        shorten({"name": "Example", "blocks": tree.to_json(parse_blocks([example], KINDS))}, KINDS, no_login)
        for kind in KINDS
        for example in examples(kind)
    ]


def problems(short: Any) -> list[str]:
    return [error.message for error in validator().iter_errors(short)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_example_file_is_valid(path: Path) -> None:
    assert problems(read_document(path.read_text("utf-8")).value) == []


def test_every_example_of_a_kind_is_valid_in_its_short_form() -> None:
    assert [(short, found) for short in short_examples() if (found := problems(short))] == []
    assert problems(GOOD) == []


def test_it_is_a_schema_of_draft_7_that_knows_every_word() -> None:
    jsonschema_rs.meta.validate(schema())
    definitions = schema()["definitions"]
    assert set(schema()["properties"]) == set(WORKFLOW_FIELDS)
    assert set(definitions["Parameter"]["properties"]) == set(PARAMETER_FIELDS)
    for kind in KINDS:
        block = definitions[f"{kind.type}Block"]
        assert set(block["properties"]) == set(block_words(kind)), kind.type
        undescribed = [name for name, field in block["properties"].items() if "description" not in field]
        assert undescribed == [], kind.type


def test_the_package_holds_it() -> None:
    shipped = files("pagehand.workflow_files").joinpath("workflow.schema.json")
    assert json.loads(shipped.read_text("utf-8")) == schema()


@pytest.mark.parametrize(
    ("place", "value", "word"),
    [
        (("name",), "", "shorter"),
        (("tag",), ["x"], "tag"),
        (("tags",), "x", "anyOf"),
        (("parameters", "portal", "type"), "strng", "anyOf"),
        (("parameters", "portal", "isRequired"), True, "isRequired"),
        (("parameters", "por tal"), None, "por tal"),
        (("blocks", 0, "kind"), "Navigat", "Navigat"),
        (("blocks", 0, "adress"), "x", "adress"),
        (("blocks", 0, "url"), 5, "5 is not valid"),
        (("blocks", 0, "at"), "the button", "at"),
        (("blocks", 0, "then"), [], "then"),
        (("blocks", 1, "do", 0, "durationMs"), "soon", "anyOf"),
        (("blocks", 1, "do", 0, "kind"), "Wat", "Wat"),
        (("blocks", 2, "at"), {"csss": "a"}, "anyOf"),
        (("blocks", 2, "action"), "press", "anyOf"),
        (("blocks", 2, "isCommit"), "yes", "anyOf"),
        (("blocks", 3, "login"), 5, "anyOf"),
        (("blocks", 3), {"name": "x"}, "kind"),
        (("blocks", 3), {"kind": "Transform"}, "code"),
    ],
)
def test_a_mistake_is_refused(place: tuple[str | int, ...], value: Any, word: str) -> None:
    wrong = json.loads(json.dumps(GOOD))
    inner = wrong
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    assert word in " ".join(problems(wrong))


VALUES = st.sampled_from(
    [
        *(None, True, False, 0, -1, 2.5, "", "x", "{{params.x}}", "a {{params.x}}", [], {}, ["{{params.x}}"]),
        *({"x": "{{params.x}}"}, {"words": "x"}, {"css": None, "text": "x"}, [1], ["x"], [None], {"x": None}),
    ]
)


@st.composite
def changed_files(draw: st.DrawFn) -> Json:
    """A file of an example in which one value anywhere is another."""
    changed: Any = json.loads(json.dumps(draw(st.sampled_from(short_examples()))))
    inner: Any = changed
    place: Any = "blocks"
    for _ in range(draw(st.integers(1, 6))):
        below = inner[place]
        if not below or not (is_object(below) or is_array(below)):
            break
        inner = below
        place = draw(st.sampled_from([*below] if is_object(below) else [*range(len(below))]))
    inner[place] = draw(VALUES)
    return changed


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(changed_files())
def test_what_check_takes_is_valid(short: Json) -> None:
    try:
        check_file(json.dumps(short), KINDS)
    except FileRefused:
        return
    assert problems(short) == []

"""Whatever is handed in: a refusal in our own words or a result, soon, and never an exception of ours."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as some
from pydantic import ValidationError

from pagehand.blocks import kinds
from pagehand.blocks.conversion import check, convert
from pagehand.errors import OurFault, PagehandError
from pagehand.instructions.grammar import NotUnderstood
from pagehand.page.phrases.parsing import interpret, tokenize_phrase
from pagehand.workflow import templates
from pagehand.workflow.conditions import ElementCondition, UrlCondition
from pagehand.workflow.locator import Locator
from pagehand.workflow.parse import parse_blocks
from support.instructions import read_instructions

SECONDS = 5.0
"""Of processor time; on a busy machine too."""
plain = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])

words = some.text(max_size=60) | some.sampled_from(
    [
        "{{params.x}}",
        "{{",
        "}}",
        "\\{{a}}",
        "{{a.b.0}}",
        "#",
        "*",
        "<b>",
        "\x00",
        "\ud800",
        "a" * 5000,
        " " * 5000,
    ]
)
values: some.SearchStrategy[Any] = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | words,
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)
names = some.sampled_from(
    ["type", "data", "locator", "sequenceData", "blockReferenceId", "name", "id", "transformerFn", "isCommit"]
)
blocks = some.dictionaries(names, values, max_size=6).flatmap(
    lambda given: some.sampled_from(sorted(kind.type for kind in kinds())).map(
        lambda kind: {**given, "type": kind}
    )
)
KEYWORDS = (
    "type properties items anyOf oneOf allOf not $ref $defs enum required pattern format if then "
    "additionalProperties"
)
keywords = some.sampled_from(KEYWORDS.split())
schemas: some.SearchStrategy[Any] = some.recursive(
    some.dictionaries(
        keywords,
        some.sampled_from(["string", "object", "#", "#/$defs/a", "(a+)+$", ["null", "number"], {}, [{}]]),
    ),
    lambda inner: some.dictionaries(keywords, inner | some.lists(inner, max_size=3), max_size=4),
    max_leaves=10,
)


def tried(work: Callable[[], Any]) -> None:
    """Do it; only what a user can mend may come out, and soon."""
    began = time.thread_time()
    try:
        work()
    except OurFault:
        raise
    except (PagehandError, ValidationError, NotUnderstood):
        pass
    took = time.thread_time() - began
    assert took < SECONDS


@plain
@given(values, values)
def test_templates(value: Any, params: Any) -> None:
    tried(lambda: templates.check(value))
    tried(lambda: templates.resolve(value, {"params": params}))


@plain
@given(some.lists(blocks, max_size=4) | values)
def test_trees_of_blocks(tree: Any) -> None:
    tried(lambda: parse_blocks(tree, kinds()))


@plain
@given(
    some.dictionaries(some.sampled_from(["css", "xpath", "text", "role", "words", "label", "nth"]), values)
)
def test_locators(locator: Any) -> None:
    tried(lambda: Locator.model_validate(locator))


@plain
@given(values)
def test_conditions(value: Any) -> None:
    tried(lambda: UrlCondition.model_validate({"url": value}))
    tried(lambda: ElementCondition.model_validate({"element": value, "state": value, "value": value}))


@plain
@given(schemas, values)
@example({"type": "string"}, {"\ud800": False})
def test_schemas(schema: Any, value: Any) -> None:
    tried(lambda: convert(value, schema))
    tried(lambda: check(value, schema, "The value"))


SAID = (
    "click type into in the row of next to if then and button for each times Save otherwise while until "
    ", . : ( a 3 \" ' {{params.x}}"
)
sentences = some.lists(some.sampled_from([*SAID.split(), "\t", "\n"]), max_size=400).map(" ".join)


@plain
@given(words | sentences)
def test_phrases(phrase: str) -> None:
    tried(lambda: interpret(tokenize_phrase(phrase)))


@plain
@given(words | sentences)
def test_instructions(text: str) -> None:
    tried(lambda: read_instructions(text))


@pytest.mark.parametrize(
    "piece",
    [
        " ",
        "\t",
        "\n",
        "a",
        ", ",
        "if ",
        "click ",
        "click a, ",
        "in the row of ",
        "the ",
        '"',
        "and then ",
        "'a ",
    ],
)
def test_instructions_that_repeat_themselves(piece: str) -> None:
    for text in (piece * (3900 // len(piece)), "click a" + piece * (550 // len(piece)) + "!"):
        tried(lambda text=text: read_instructions(text))
        tried(lambda text=text: interpret(tokenize_phrase(text[:500])))


@pytest.mark.parametrize("depth", [10, 40, 63])
def test_values_as_deep_as_a_request_may_be(depth: int) -> None:
    value: Any = "x"
    for _ in range(depth):
        value = {"a": [value]}
    tried(lambda: templates.resolve(value, {}))
    tried(lambda: check(value, {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}, "The value"))

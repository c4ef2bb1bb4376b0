"""Walking a schema follows references and alternatives, and never runs in circles."""

from typing import Any

import pytest

from pagehand.errors import WorkflowError
from pagehand.page.extraction.schema import allows_null, resolve_reference, takes_null, types_of, without_null
from pagehand.page.extraction.schema_cost import check_cost

Json = dict[str, Any]
ROOT: Json = {
    "$defs": {
        "price": {"type": "number"},
        "a/b": {"type": "string"},
        "t~n": {"type": "boolean"},
        "again": {"$ref": "#/$defs/price"},
        "loop": {"$ref": "#/$defs/loop"},
        "self": {"anyOf": [{"$ref": "#/$defs/self"}, {"type": "integer"}]},
    }
}


@pytest.mark.parametrize(
    ("reference", "meant"),
    [
        ("#/$defs/price", {"type": "number"}),
        ("#/$defs/again", {"type": "number"}),
        ("#/$defs/a~1b", {"type": "string"}),
        ("#/$defs/t~0n", {"type": "boolean"}),
        ("#", ROOT),
        ("#/$defs/none", {}),
        ("#/$defs/loop", {}),
        ("https://example.test/schema", {"$ref": "https://example.test/schema"}),
    ],
)
def test_a_local_reference_leads_to_its_schema(reference: str, meant: Json) -> None:
    assert resolve_reference({"$ref": reference}, ROOT) == meant


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        ({}, []),
        ({"type": "string"}, ["string"]),
        ({"type": ["string", "null"]}, ["string", "null"]),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, ["number", "null"]),
        ({"oneOf": [{"$ref": "#/$defs/price"}, {"type": "string"}]}, ["number", "string"]),
        ({"allOf": [{"anyOf": [{"type": "string"}]}]}, ["string"]),
        ({"$ref": "#/$defs/self"}, []),
        ({"anyOf": [{"$ref": "#/$defs/self"}]}, ["integer"]),
        ({"anyOf": "nonsense"}, []),
        ({"anyOf": [1, None, {"type": "string"}]}, ["string"]),
    ],
)
def test_types_are_those_of_all_alternatives(schema: Json, names: list[str]) -> None:
    assert types_of(schema, ROOT) == names


@pytest.mark.parametrize(
    ("schema", "takes", "allows"),
    [
        ({}, True, False),
        ({"type": "string"}, False, False),
        ({"type": ["string", "null"]}, True, True),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, True, True),
        ({"$ref": "#/$defs/price"}, False, False),
    ],
)
def test_null_fits_where_it_is_named_or_nothing_is(schema: Json, takes: bool, allows: bool) -> None:
    assert (takes_null(schema, ROOT), allows_null(schema, ROOT)) == (takes, allows)


@pytest.mark.parametrize(
    ("schema", "one"),
    [
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "title": "T"}, {"type": "string", "title": "T"}),
        ({"anyOf": [{"$ref": "#/$defs/price"}, {"type": "null"}]}, {"type": "number"}),
        (
            {"anyOf": [{"type": "string"}, {"type": "number"}]},
            {"anyOf": [{"type": "string"}, {"type": "number"}]},
        ),
        ({"type": "string"}, {"type": "string"}),
    ],
)
def test_one_real_alternative_is_what_is_meant(schema: Json, one: Json) -> None:
    assert without_null(schema, ROOT) == one


def test_a_schema_that_is_its_own_alternative_ends() -> None:
    circle: Json = {"$defs": {"x": {"anyOf": [{"$ref": "#/$defs/x"}]}}}
    assert without_null({"$ref": "#/$defs/x"}, circle)["anyOf"]


def bomb(levels: int) -> Json:
    """A few lines that stand for 2 to the power of `levels` schemas."""
    steps: Json = {
        f"l{at}": {"anyOf": [{"$ref": f"#/$defs/l{at + 1}"}, {"$ref": f"#/$defs/l{at + 1}"}]}
        for at in range(levels)
    }
    return {"$ref": "#/$defs/l0", "$defs": {**steps, f"l{levels}": {"type": "string"}}}


def tree(options: int) -> Json:
    """A schema of trees: each child may be read in several ways."""
    again = {"type": "object", "properties": {"child": {"$ref": "#"}}}
    return {"anyOf": [again] * options}


def nested(depth: int) -> Json:
    value: Json = {}
    for _ in range(depth):
        value = {"child": value}
    return value


@pytest.mark.parametrize("schema", [{}, {"type": "object", "properties": {"a": {}}}, bomb(5), tree(2)])
def test_honest_schemas_are_taken(schema: Json) -> None:
    check_cost(schema, nested(4))


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (bomb(30), None),
        ({"properties": {f"p{at}": bomb(1) for at in range(3_000)}}, None),
        ({"items": {"not": bomb(30)}, "$defs": bomb(30)["$defs"]}, None),
        (tree(3), nested(20)),
    ],
)
def test_a_schema_that_multiplies_is_refused_before_it_is_used(schema: Json, value: Any) -> None:
    with pytest.raises(WorkflowError, match="more than 2,000 schemas once its alternatives and references"):
        check_cost(schema, value)

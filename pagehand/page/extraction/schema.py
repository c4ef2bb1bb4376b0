"""Parts of a JSON Schema: local references, alternatives, types."""

from collections.abc import Mapping
from typing import Any, cast

from pagehand.records import is_array

Schema = Mapping[str, Any]

_MAX_REFERENCES = 50


def resolve_reference(schema: Schema, root: Schema) -> Schema:
    """The schema that a local `$ref` points to; the schema itself without one."""
    for _ in range(_MAX_REFERENCES):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        schema = root
        for step in reference.removeprefix("#").strip("/").split("/"):
            schema = subschema(schema, step.replace("~1", "/").replace("~0", "~")) if step else schema
    return {}


def subschema(schema: Schema, name: str) -> Schema:
    """A nested schema; empty when there is none."""
    found = schema.get(name)
    return cast("Schema", found) if isinstance(found, Mapping) else {}


def types_of(schema: Schema, root: Schema) -> list[str]:
    """The types that a schema allows, including its alternatives."""
    found: dict[str, None] = {}
    seen: set[int] = set()
    waiting = [schema]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:  # alternatives may lead back to it, or to the same one in very many ways
            continue
        seen.add(id(one))
        named = one.get("type")
        if isinstance(named, str | list):
            found.update(dict.fromkeys([named] if isinstance(named, str) else cast("list[str]", named)))
        else:
            waiting += [resolve_reference(option, root) for option in reversed(_alternatives(one))]
    return list(found)


def takes_null(schema: Schema, root: Schema) -> bool:
    """True when null is valid."""
    named = types_of(resolve_reference(schema, root), root)
    return not named or "null" in named


def allows_null(schema: Schema, root: Schema) -> bool:
    """True when the schema names null as a type; one without a type does not."""
    return "null" in types_of(resolve_reference(schema, root), root)


def without_null(schema: Schema, root: Schema, depth: int = 0) -> Schema:
    """The schema without its alternative null, if one other alternative is left; descriptions are kept."""
    whole = resolve_reference(schema, root)
    if depth > _MAX_REFERENCES:
        return whole  # it refers to itself
    options = [resolve_reference(alternative, root) for alternative in _alternatives(whole)]
    real = [option for option in options if types_of(option, root) != ["null"]]
    if len(real) != 1:
        return whole
    around = {name: value for name, value in whole.items() if name not in ("anyOf", "oneOf", "allOf")}
    return {**without_null(real[0], root, depth + 1), **around}


def _alternatives(schema: Schema) -> list[Schema]:
    found = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    options = found if is_array(found) else []
    return [option for option in options if isinstance(option, Mapping)]

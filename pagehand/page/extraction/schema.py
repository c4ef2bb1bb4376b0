"""Walking a JSON Schema: local references, alternatives, and what is asked for in the end."""

from collections.abc import Mapping
from typing import Any, cast

Schema = Mapping[str, Any]

_MOST_REFERENCES = 50


def followed(schema: Schema, root: Schema) -> Schema:
    """The schema that a local `$ref` stands for."""
    for _ in range(_MOST_REFERENCES):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        schema = root
        for step in reference.removeprefix("#").strip("/").split("/"):
            schema = part(schema, step.replace("~1", "/").replace("~0", "~")) if step else schema
    return {}


def part(schema: Schema, name: str) -> Schema:
    """A schema inside another; empty when there is none."""
    found = schema.get(name)
    return cast("Schema", found) if isinstance(found, Mapping) else {}


def types(schema: Schema, root: Schema) -> list[str]:
    """The types a schema takes, also those of its alternatives."""
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
            waiting += [followed(option, root) for option in reversed(_alternatives(one))]
    return list(found)


def takes_null(schema: Schema, root: Schema) -> bool:
    """True when null fits."""
    named = types(followed(schema, root), root)
    return not named or "null" in named


def allows_null(schema: Schema, root: Schema) -> bool:
    """True when the schema says in so many words that null fits."""
    return "null" in types(followed(schema, root), root)


def settled(schema: Schema, root: Schema, depth: int = 0) -> Schema:
    """The one schema that is meant where the alternatives are it and null; descriptions are kept."""
    whole = followed(schema, root)
    if depth > _MOST_REFERENCES:
        return whole  # it is its own alternative
    options = [followed(alternative, root) for alternative in _alternatives(whole)]
    real = [option for option in options if types(option, root) != ["null"]]
    if len(real) != 1:
        return whole
    around = {name: value for name, value in whole.items() if name not in ("anyOf", "oneOf", "allOf")}
    return {**settled(real[0], root, depth + 1), **around}


def _alternatives(schema: Schema) -> list[Schema]:
    found = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    options = cast("list[Any]", found) if isinstance(found, list) else []
    return [option for option in options if isinstance(option, Mapping)]

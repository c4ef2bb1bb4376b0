"""Text from a page as the types a JSON Schema asks for: "$1,200.50" becomes 1200.5."""

from typing import Any, cast

import jsonschema_rs

from pagehand.errors import BadData, WorkflowError
from pagehand.extraction.schema import Schema, followed, part, takes_null, types
from pagehand.extraction.values import to_boolean, to_date, to_moment, to_number

__all__ = ["Schema", "check", "convert", "missing", "to_date", "to_number", "validator_of"]


def convert(value: Any, schema: Schema, root: Schema | None = None) -> Any:
    """`value` in the types of `schema`; whatever does not convert stays as it is, for `check` to judge."""
    root = schema if root is None else root
    schema = followed(schema, root)
    if isinstance(value, dict):
        known = part(schema, "properties")
        entries = cast("dict[str, Any]", value).items()
        return {name: convert(one, part(known, name), root) for name, one in entries}
    if isinstance(value, list):
        return [convert(one, part(schema, "items"), root) for one in cast("list[Any]", value)]
    return _from_text(value, schema, root) if isinstance(value, str) else value


def check(value: Any, schema: Schema, what: str) -> None:
    """Fail with what does not fit. A null counts as left out, so only a required one is a mistake."""
    validator = validator_of(schema)
    error = next(iter(validator.iter_errors(_without_nulls(value, schema, schema))), None)
    if error is not None:
        where = ".".join(str(step) for step in error.instance_path)
        place = f" at `{where}`" if where else ""
        raise BadData(f"{what} does not fit the schema{place}: {error.message}")


def missing(value: Any, schema: Schema) -> list[str]:
    """Names the schema requires of an object and that are null or not there."""
    schema = followed(schema, schema)
    if not isinstance(value, dict):
        return []
    there = cast("dict[str, Any]", value)
    known = part(schema, "properties")
    names = cast("list[str]", schema.get("required") or [])
    return [name for name in names if there.get(name) is None and not takes_null(part(known, name), schema)]


def validator_of(schema: Schema) -> jsonschema_rs.Validator:
    """The schema made ready; never fetches what it refers to. `WorkflowError` when it is no JSON Schema."""
    try:
        return jsonschema_rs.validator_for(dict(schema), validate_formats=True, offline=True)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise WorkflowError(f"`schema` is not a valid JSON Schema: {error}") from error


def _from_text(text: str, schema: Schema, root: Schema) -> Any:
    named = types(schema, root)
    if "null" in named and not text.strip():
        return None
    if "string" in named or not named:
        return _formatted(text, str(schema.get("format", "")))
    if "number" in named or "integer" in named:
        return _number_of(text, named)
    if "boolean" in named and (answer := to_boolean(text)) is not None:
        return answer
    return text


def _number_of(text: str, named: list[str]) -> Any:
    if not text.strip():
        return None
    number = to_number(text)
    if number is None:
        return text
    if "number" not in named and number == int(number):
        return int(number)
    return number


def _formatted(text: str, wanted: str) -> str:
    if wanted == "date":
        return to_date(text) or text
    if wanted == "date-time":
        return to_moment(text) or text
    return text


def _without_nulls(value: Any, schema: Schema, root: Schema) -> Any:
    schema = followed(schema, root)
    if isinstance(value, list):
        return [_without_nulls(one, part(schema, "items"), root) for one in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    known = part(schema, "properties")
    return {
        name: _without_nulls(one, part(known, name), root)
        for name, one in cast("dict[str, Any]", value).items()
        if one is not None or (name in known and takes_null(part(known, name), root))
    }

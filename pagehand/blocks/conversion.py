"""Text from a page as the types a JSON Schema asks for: "$1,200.50" becomes 1200.5."""

import re
from collections.abc import Iterator
from typing import Any, Final

import jsonschema_rs

from pagehand.errors import BadData, WorkflowError
from pagehand.page.extraction.schema import Schema, resolve_reference, subschema, takes_null, types_of
from pagehand.page.extraction.schema_cost import check_cost
from pagehand.page.extraction.values import to_boolean, to_date, to_datetime, to_number
from pagehand.records import is_array, is_object

__all__ = [
    "Schema",
    "check",
    "check_each",
    "convert",
    "missing",
    "record_of",
    "to_date",
    "to_number",
    "validator_of",
]

_ROWS_AT_ONCE: Final = 500
_PER_ROW: Final = frozenset(("type", "items", "$schema", "$defs", "definitions", "title", "description"))
"""What a schema may say of a list so that its rows can be checked apart."""
_REQUIRED: Final = re.compile(r'"(.+)" is a required property')


def convert(value: Any, schema: Schema, root: Schema | None = None) -> Any:
    """`value` in the types of `schema`; whatever does not convert stays as it is, for `check` to judge."""
    root = schema if root is None else root
    schema = resolve_reference(schema, root)
    if is_object(value):
        known = subschema(schema, "properties")
        entries = value.items()
        return {name: convert(entry, subschema(known, name), root) for name, entry in entries}
    if is_array(value):
        return [convert(item, subschema(schema, "items"), root) for item in value]
    return _from_text(value, schema, root) if isinstance(value, str) else value


def check(value: Any, schema: Schema, name: str) -> None:
    """Fail with what does not fit. A null counts as left out, so only a required one is a mistake."""
    # made once: compiling a large schema takes longer than checking a row
    validator = validator_of(schema, value)
    for some, start in _in_parts(value, schema):
        error = _first_error(validator, _without_nulls(some, schema, schema), name)
        if error is not None:
            raise BadData(_misfit(name, error, start))


def check_each(rows: list[Any], schema: Schema) -> None:
    """Fail with the first row that does not fit the schema of one row."""
    validator = validator_of(schema, rows)
    for place, row in enumerate(rows):
        error = _first_error(validator, _without_nulls(row, schema, schema), f"Row {place}")
        if error is not None:
            raise BadData(_misfit(f"Row {place}", error, 0))


def _first_error(
    validator: jsonschema_rs.Validator, value: Any, name: str
) -> jsonschema_rs.ValidationError | None:
    try:
        return next(iter(validator.iter_errors(value)), None)
    except UnicodeEncodeError:
        raise BadData(f"{name} has text that is not valid Unicode: half of a surrogate pair.") from None


def _in_parts(value: Any, schema: Schema) -> Iterator[tuple[Any, int]]:
    """Check a long list a few hundred rows at a time: all at once would block other threads."""
    rows = value if is_array(value) else []
    if len(rows) <= _ROWS_AT_ONCE or not set(resolve_reference(schema, schema)) <= _PER_ROW:
        yield value, 0
        return
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        yield rows[start : start + _ROWS_AT_ONCE], start


def _misfit(subject: str, error: jsonschema_rs.ValidationError, start: int) -> str:
    path = [
        str(step + start) if at == 0 and isinstance(step, int) else str(step)
        for at, step in enumerate(error.instance_path)
    ]
    place = f" at `{'.'.join(path)}`" if path else ""
    name = _REQUIRED.fullmatch(error.message)
    if name is not None:
        return f"{subject} lacks `{name[1]}`{place}, which the schema requires"
    return f"{subject} does not fit the schema{place}: {error.message}"


def record_of(schema: Schema) -> Schema:
    """The schema of one record, whether one or a list of them is asked for."""
    whole = resolve_reference(schema, schema)
    is_list = whole.get("type") == "array" or "items" in whole
    return resolve_reference(subschema(whole, "items"), schema) if is_list else whole


def missing(value: Any, schema: Schema, root: Schema | None = None) -> list[str]:
    """Names the schema requires of an object and that are null or not there."""
    root = schema if root is None else root
    schema = resolve_reference(schema, root)
    if not is_object(value):
        return []
    there = value
    known = subschema(schema, "properties")
    names: list[str] = schema.get("required") or []
    return [
        name for name in names if there.get(name) is None and not takes_null(subschema(known, name), root)
    ]


def validator_of(schema: Schema, value: Any = None) -> jsonschema_rs.Validator:
    """The schema made ready; never fetches what it refers to.

    `WorkflowError` when it is not a JSON Schema, or when checking `value` against it would take too long.
    """
    check_cost(schema, value)
    try:
        return jsonschema_rs.validator_for(dict(schema), validate_formats=True, offline=True)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise WorkflowError(f"`schema` is not a valid JSON Schema: {error}") from error


def _from_text(text: str, schema: Schema, root: Schema) -> Any:
    named = types_of(schema, root)
    # where the schema takes null, an empty cell means that there is no value
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
    # 3.5 stays as it is, and the check reports it: rounding would invent a value
    if "number" not in named and number == int(number):
        return int(number)
    return number


def _formatted(text: str, wanted: str) -> str:
    if wanted == "date":
        return to_date(text) or text
    if wanted == "date-time":
        return to_datetime(text) or text
    return text


def _without_nulls(value: Any, schema: Schema, root: Schema) -> Any:
    schema = resolve_reference(schema, root)
    if is_array(value):
        return [_without_nulls(item, subschema(schema, "items"), root) for item in value]
    if not is_object(value):
        return value
    known = subschema(schema, "properties")
    return {
        name: _without_nulls(item, subschema(known, name), root)
        for name, item in value.items()
        if item is not None or (name in known and takes_null(subschema(known, name), root))
    }

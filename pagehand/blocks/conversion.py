"""Text from a page as the types a JSON Schema asks for: "$1,200.50" becomes 1200.5."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, cast

import jsonschema_rs

from pagehand.errors import BlockFailed

Schema = Mapping[str, Any]

_NUMBER = re.compile(r"\d[\d.,'\u2019\s]*\d|\d|[.,]\d+")
_SPACES = re.compile(r"[\s'\u2019]")
_PART_OF_A_NAME = re.compile(r"(?<![A-Za-z])(?![A-Z]{3}$)[A-Za-z]+$|[A-Za-z][-_/]$")
"""What stands before the digits of `INV-0042` or `A4`, but not of `USD1200`."""
_TRUE = frozenset(("true", "yes", "y", "on", "1", "checked", "✓", "✔"))
_FALSE = frozenset(("false", "no", "n", "off", "0", "unchecked", "", "✗", "✘"))
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_YEAR_LAST = re.compile(r"(\d{1,2})\s*([-/.])\s*(\d{1,2})\s*\2\s*(\d{4})")
_MONTH_NAMED = re.compile(
    r"(?:(\d{1,2})(?:st|nd|rd|th)?\.?\s+)?([a-z]{3,9})\.?,?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})"
)
_MOST_REFERENCES = 50


def convert(value: Any, schema: Schema, root: Schema | None = None) -> Any:
    """`value` in the types of `schema`; whatever does not convert stays as it is, for `check` to judge."""
    root = schema if root is None else root
    schema = _followed(schema, root)
    if isinstance(value, dict):
        known = _part(schema, "properties")
        entries = cast("dict[str, Any]", value).items()
        return {name: convert(one, _part(known, name), root) for name, one in entries}
    if isinstance(value, list):
        return [convert(one, _part(schema, "items"), root) for one in cast("list[Any]", value)]
    return _from_text(value, schema, root) if isinstance(value, str) else value


def check(value: Any, schema: Schema, what: str) -> None:
    """Fail with what does not fit. A null counts as left out, so only a required one is a mistake."""
    validator = validator_of(schema)
    error = next(iter(validator.iter_errors(_without_nulls(value, schema, schema))), None)
    if error is not None:
        where = ".".join(str(step) for step in error.instance_path)
        place = f" at `{where}`" if where else ""
        raise BlockFailed(f"{what} does not fit the schema{place}: {error.message}")


def missing(value: Any, schema: Schema) -> list[str]:
    """Names the schema requires of an object and that are null or not there."""
    schema = _followed(schema, schema)
    if not isinstance(value, dict):
        return []
    there = cast("dict[str, Any]", value)
    known = _part(schema, "properties")
    names = cast("list[str]", schema.get("required") or [])
    return [name for name in names if there.get(name) is None and not _takes_null(_part(known, name), schema)]


def validator_of(schema: Schema) -> jsonschema_rs.Validator:
    """The schema made ready; never fetches what it refers to. `BlockFailed` when it is no JSON Schema."""
    try:
        return jsonschema_rs.validator_for(dict(schema), validate_formats=True, offline=True)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise BlockFailed(f"`schema` is not a valid JSON Schema: {error}") from error


def to_number(text: str) -> float | int | None:
    """The one number in a text, in whichever style it is written; None when there is none, or several."""
    found = _NUMBER.findall(text)
    if len(found) != 1 or _PART_OF_A_NAME.search(text.partition(found[0])[0]):
        return None
    digits = _plain_digits(_SPACES.sub("", found[0]))
    if digits is None:
        return None
    number = float(digits) if "." in digits else int(digits)
    return -number if _is_negative(text, found[0]) else number


def to_date(text: str) -> str | None:
    """A date in ISO 8601; None when it is none, or when day and month cannot be told apart."""
    text = " ".join(text.split()).casefold()
    parts = _date_parts(text)
    try:
        return date(*parts).isoformat() if parts else None
    except ValueError:
        return None


def _followed(schema: Schema, root: Schema) -> Schema:
    """The schema that a local `$ref` stands for."""
    for _ in range(_MOST_REFERENCES):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        schema = root
        for step in reference.removeprefix("#").strip("/").split("/"):
            schema = _part(schema, step.replace("~1", "/").replace("~0", "~")) if step else schema
    return {}


def _part(schema: Schema, name: str) -> Schema:
    part = schema.get(name)
    return cast("Schema", part) if isinstance(part, Mapping) else {}


def _types(schema: Schema, root: Schema) -> list[str]:
    """The types a schema takes, also those of its alternatives."""
    named = schema.get("type")
    if isinstance(named, str):
        return [named]
    if isinstance(named, list):
        return cast("list[str]", named)
    options = cast("list[Schema]", schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf") or [])
    return [one for option in options for one in _types(_followed(option, root), root)]


def _from_text(text: str, schema: Schema, root: Schema) -> Any:
    types = _types(schema, root)
    if "null" in types and not text.strip():
        return None
    if "string" in types or not types:
        return _formatted(text, str(schema.get("format", "")))
    if "number" in types or "integer" in types:
        return _number_of(text, types)
    if "boolean" in types and text.strip().casefold() in _TRUE | _FALSE:
        return text.strip().casefold() in _TRUE
    return text


def _number_of(text: str, types: list[str]) -> Any:
    if not text.strip():
        return None
    number = to_number(text)
    if number is None:
        return text
    if "number" not in types and number == int(number):
        return int(number)
    return number


def _formatted(text: str, wanted: str) -> str:
    if wanted == "date":
        return to_date(text) or text
    if wanted == "date-time":
        try:
            return datetime.fromisoformat(text.strip()).isoformat()
        except ValueError:
            return text
    return text


def _plain_digits(number: str) -> str | None:
    """Digits with at most one point, from any style of thousands and decimals."""
    comma, point = number.count(","), number.count(".")
    if comma and point:
        decimal = "," if number.rfind(",") > number.rfind(".") else "."
        if number.count(decimal) > 1:
            return None
        number = number.replace("." if decimal == "," else ",", "").replace(decimal, ".")
    elif comma > 1 or point > 1 or re.fullmatch(r"[1-9]\d{0,2},\d{3}", number):
        number = number.replace(",", "").replace(".", "")
    else:
        number = number.replace(",", ".")
    return f"0{number}" if number.startswith(".") else number


def _is_negative(text: str, number: str) -> bool:
    """A sign before it, one right behind it (`12.50-`), or brackets around it."""
    before, _, after = text.partition(number)
    sign = re.search(r"[-\u2212\u2013]\s*[^\w\s]?\s*$", before)
    brackets = before.rstrip(" $€£¥").endswith("(") and after.lstrip(" %$€£¥").startswith(")")
    return bool(sign) or after.startswith(("-", "\u2212")) or brackets


def _date_parts(text: str) -> tuple[int, int, int] | None:
    if match := _YEAR_FIRST.search(text):
        return int(match[1]), int(match[2]), int(match[3])
    if match := _YEAR_LAST.search(text):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        # a point always stands behind the day; with slashes only a number above twelve tells
        if match[2] == "." or first > 12 or first == second:  # noqa: PLR2004 - months in a year
            return year, second, first
        return (year, first, second) if second > 12 else None  # noqa: PLR2004 - as above
    if match := _MONTH_NAMED.search(text):
        day, month = match[1] or match[3], match[2][:3]
        return (int(match[4]), _MONTHS.index(month) + 1, int(day)) if day and month in _MONTHS else None
    return None


def _takes_null(schema: Schema, root: Schema) -> bool:
    types = _types(_followed(schema, root), root)
    return not types or "null" in types


def _without_nulls(value: Any, schema: Schema, root: Schema) -> Any:
    schema = _followed(schema, root)
    if isinstance(value, list):
        return [_without_nulls(one, _part(schema, "items"), root) for one in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    known = _part(schema, "properties")
    return {
        name: _without_nulls(one, _part(known, name), root)
        for name, one in cast("dict[str, Any]", value).items()
        if one is not None or (name in known and _takes_null(_part(known, name), root))
    }

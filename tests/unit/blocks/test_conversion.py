"""Values from pages take the types a schema asks for."""

from typing import Any

import pytest

from pagehand.blocks.conversion import check, convert, missing, to_date, to_number
from pagehand.errors import BlockFailed


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$1,200.50", 1200.5),
        ("1.200,50 €", 1200.5),
        ("1 200,50", 1200.5),
        ("1'200.50", 1200.5),
        ("1,200", 1200),
        ("1,234,567", 1234567),
        ("1.234.567", 1234567),
        ("0,125", 0.125),
        ("12,5", 12.5),
        ("12.5", 12.5),
        ("45 %", 45),
        ("-$3.20", -3.2),
        ("$-3.20", -3.2),
        ("\u22127", -7),
        ("(12.00)", -12.0),
        ("12.50-", -12.5),
        ("Total: 14 items", 14),
        ("INV-0042", None),
        ("A4", None),
        ("USD1200", 1200),
        ("5 of 10", None),
        ("none", None),
        (".5", 0.5),
    ],
)
def test_a_number_is_read_in_every_style(text: str, number: float | None) -> None:
    assert to_number(text) == number


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-01-31", "2026-01-31"),
        ("31.01.2026", "2026-01-31"),
        ("1/31/2026", "2026-01-31"),
        ("31/1/2026", "2026-01-31"),
        ("Jan 31, 2026", "2026-01-31"),
        ("31 January 2026", "2026-01-31"),
        ("Due: January 3rd, 2026", "2026-01-03"),
        ("03/04/2026", None),
        ("31/31/2026", None),
        ("soon", None),
    ],
)
def test_a_date_is_read_unless_day_and_month_are_in_doubt(text: str, iso: str | None) -> None:
    assert to_date(text) == iso


def test_a_whole_object_is_converted_by_its_schema() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "price": {"type": "number"},
            "count": {"type": "integer"},
            "active": {"type": "boolean"},
            "due": {"$ref": "#/$defs/day"},
            "parts": {"type": "array", "items": {"type": ["number", "null"]}},
            "name": {"type": "string"},
        },
        "$defs": {"day": {"type": "string", "format": "date"}},
    }
    raw = {"price": "$2.50", "count": "3 pcs", "active": "Yes", "due": "31.1.2026", "parts": ["1", ""]}
    raw["name"] = "7"
    value = convert(raw, schema)
    assert value == {
        "price": 2.5,
        "count": 3,
        "active": True,
        "due": "2026-01-31",
        "parts": [1, None],
        "name": "7",
    }
    check(value, schema, "The result")


def test_a_null_fails_only_where_the_schema_requires_a_value() -> None:
    schema = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["b"]}
    check({"a": None, "b": "x"}, schema, "The result")
    with pytest.raises(BlockFailed, match="b"):
        check({"a": "x", "b": None}, schema, "The result")
    assert missing({"a": None, "b": None}, schema) == ["b"]


def test_a_value_that_does_not_convert_is_named_with_its_place() -> None:
    schema = {"properties": {"price": {"type": "number"}}}
    with pytest.raises(BlockFailed, match=r"`price`.*on request"):
        check(convert({"price": "on request"}, schema), schema, "The result")


def test_a_schema_never_fetches_what_it_refers_to() -> None:
    with pytest.raises(BlockFailed, match="not a valid JSON Schema"):
        check({}, {"$ref": "http://127.0.0.1:9/schema.json"}, "The result")


def test_a_broken_schema_is_refused_with_a_sentence() -> None:
    with pytest.raises(BlockFailed, match="not a valid JSON Schema"):
        check({}, {"type": "number-ish"}, "The result")

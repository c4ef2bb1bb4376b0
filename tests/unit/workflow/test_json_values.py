"""Whatever a block puts out becomes JSON that both databases take, or is refused with a reason."""

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Any

import orjson
import pytest

from pagehand.errors import LimitReached
from pagehand.workflow.json_values import MOST_DEPTH, clean_text, json_parts, made_storable

ENOUGH = 10_000


def stored(value: Any) -> Any:
    return made_storable(value, most_bytes=ENOUGH)[0]


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def test_what_is_fine_already_is_not_copied() -> None:
    value = {"rows": [{"a": 1}, {"a": None}], "text": "ünï"}
    kept, size = made_storable(value, most_bytes=ENOUGH)
    assert kept is value
    assert size == len(orjson.dumps(value))


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (2**64, str(2**64)),
        (-(2**63) - 1, str(-(2**63) - 1)),
        ({1: "one", None: "none"}, {"1": "one", "None": "none"}),
        ([frozenset({7})], [[7]]),
        ([date(2026, 1, 31)], ["2026-01-31"]),
        ([2**64, True, None, 1.5], [str(2**64), True, None, 1.5]),
        ([2**64, float("inf"), float("nan")], [str(2**64), None, None]),
        (MappingProxyType({"a": 1}), {"a": 1}),
    ],
)
def test_what_is_not_json_becomes_json(value: Any, kept: Any) -> None:
    assert stored(value) == kept


@pytest.mark.parametrize("number", [2**64 - 1, -(2**63)])
def test_numbers_of_64_bits_stay_numbers(number: int) -> None:
    assert stored({"n": number}) == {"n": number}


def test_a_number_of_more_digits_than_python_writes_is_kept_in_hexadecimal() -> None:
    assert stored([10**5000]) == [hex(10**5000)]


def test_half_a_surrogate_pair_is_replaced_in_keys_and_values() -> None:
    assert stored({"a\ud83d": "b\ude00"}) == {"a�": "b�"}


def test_two_halves_that_belong_together_are_joined() -> None:
    assert clean_text("\ud83d\ude00") == "😀"


def test_the_limit_is_in_bytes_and_belongs_to_what_is_allowed() -> None:
    assert made_storable("ü", most_bytes=4) == ("ü", 4)
    with pytest.raises(LimitReached, match="larger than 3 bytes"):
        made_storable("ü", most_bytes=3)


def test_the_deepest_allowed_is_stored_and_one_more_level_refused() -> None:
    deepest = nested(MOST_DEPTH)
    assert stored(deepest) is deepest
    with pytest.raises(LimitReached, match="nested more than 100 levels"):
        stored(nested(MOST_DEPTH + 1))


def test_what_is_part_of_itself_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(LimitReached, match="nested"):
        stored(value)


def test_what_doubles_at_every_level_is_refused_without_being_written_out() -> None:
    value: Any = "0123456789"
    for _ in range(MOST_DEPTH - 1):
        value = [value, value]
    with pytest.raises(LimitReached, match="larger than 10,000 bytes"):
        stored(value)


def test_a_part_that_is_there_twice_is_stored_twice() -> None:
    part: Mapping[str, int] = {"a": 1}
    assert stored({"first": part, "second": part}) == {"first": {"a": 1}, "second": {"a": 1}}


@pytest.mark.parametrize(
    "value",
    [
        {"text": "x" * 500_000, "rows": [{"a": [number, "ü"]} for number in range(9_000)], "none": None},
        {str(number): number for number in range(20_000)},
        [["x" * 400_000], [], {}, {"a": {"b": "y" * 400_000}}],
        {},
        "short",
    ],
)
def test_the_parts_of_json_are_its_text(value: Any) -> None:
    seen: list[int] = []

    def convert(part: Any) -> Any:
        seen.append(len(orjson.dumps(part)))
        return part

    assert b"".join(json_parts(value, convert)) == orjson.dumps(value)
    assert max(seen) <= 501_000

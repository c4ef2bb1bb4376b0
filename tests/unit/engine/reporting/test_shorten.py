"""Values in events are cut to what a person reads."""

from typing import Any

import pytest

from pagehand.engine.run.block_runner import shorten


def unredacted(value: Any) -> Any:
    return value


@pytest.mark.parametrize("value", [None, True, 3, "short", [1, "a"], {"a": {"b": [1]}}])
def test_what_is_short_stays_as_it_is(value: Any) -> None:
    assert shorten(value, unredacted) == value


def test_long_texts_lists_and_objects_are_cut() -> None:
    assert shorten("x" * 600, unredacted) == "x" * 500 + "…"
    assert shorten(list(range(30)), unredacted) == [*range(20), "… 10 more"]
    assert len(shorten({str(n): n for n in range(25)}, unredacted)) == 21


def test_deep_nesting_ends_somewhere() -> None:
    deep: Any = "end"
    for _ in range(1000):
        deep = [deep]
    assert shorten(deep, unredacted) == [[[[["…"]]]]]


def test_a_secret_at_the_cut_does_not_leave_its_first_half() -> None:
    def redact(value: str) -> str:
        return value.replace("open-sesame", "***")

    assert "open" not in shorten("x" * 495 + "open-sesame", redact)

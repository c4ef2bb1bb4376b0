"""An execution's use of a model is counted, shown, and stopped at each of its limits."""

import re
from dataclasses import replace

import pytest

from pagehand.ai.model import fence
from pagehand.ai.usage import Limits, Usage
from pagehand.errors import LimitReached
from pagehand.settings import Settings

LIMITS = replace(
    Limits.from_settings(Settings()), execution_tokens=100, execution_seconds=60.0, execution_cost_usd=0.5
)


@pytest.mark.parametrize(
    ("spent", "setting"),
    [
        (Usage(input_tokens=60, output_tokens=40), "PAGEHAND_MODEL_EXECUTION_TOKENS"),
        (Usage(seconds=60.0), "PAGEHAND_MODEL_EXECUTION_SECONDS"),
        (Usage(cost_usd=0.5), "PAGEHAND_MODEL_EXECUTION_COST"),
    ],
)
def test_a_call_past_a_limit_is_refused_with_the_setting_that_raises_it(spent: Usage, setting: str) -> None:
    with pytest.raises(LimitReached, match=setting):
        LIMITS.check(spent)


def test_up_to_the_limits_calls_go_on() -> None:
    LIMITS.check(Usage(calls=1_000, input_tokens=59, output_tokens=40, seconds=59.9, cost_usd=0.49))


def test_without_a_limit_on_money_any_sum_passes() -> None:
    replace(LIMITS, execution_cost_usd=None).check(Usage(cost_usd=1e6))


def test_usage_is_shown_in_rounded_numbers() -> None:
    assert Usage(2, 10, 5, 0.12345678, 1.23456).as_json() == {
        "calls": 2,
        "inputTokens": 10,
        "outputTokens": 5,
        "costUsd": 0.123457,
        "seconds": 1.235,
    }


def test_material_stands_between_marks_it_cannot_know() -> None:
    first, second = fence("words", 100), fence("words", 100)
    found = re.fullmatch(r"<<<material (\w+)>>>\nwords\n<<<end of material \1>>>", first)
    assert found is not None
    assert found[1] not in second


def test_material_that_is_too_long_says_how_much_is_missing() -> None:
    assert "\nabc\n[4 more characters are not shown]\n" in fence("abcdefg", 3)
    assert "not shown" not in fence("abc", 3)

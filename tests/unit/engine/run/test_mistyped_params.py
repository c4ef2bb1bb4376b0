"""A parameter that was given under a wrong name is reported; other unused ones are not."""

import pytest

from pagehand.records import Json
from pagehand.testing import Harness
from support.attempts import events_of, run_attempt, value

pytestmark = pytest.mark.anyio
FAILS: Json = {"type": "FailOnCondition", "data": {"condition": "True", "message": "too much"}}


async def remarks(harness: Harness, *blocks: Json, params: Json) -> list[str]:
    _, done = await run_attempt(harness, *blocks, params=params)
    return [event.message for event in await events_of(harness, done) if event.type == "params.unused"]


async def test_a_mistyped_name_is_an_event(harness: Harness) -> None:
    given = {"amuont": 5, "customer": "ACME"}
    (remark,) = await remarks(harness, value("a", "{{params.amount}}"), params=given)
    assert remark == "The parameter `amuont` was given and nothing uses it; did you mean `amount`?"
    (cut_off,) = await remarks(harness, value("a", "{{params.amount}}"), params={"amoun": 5})
    assert "`amount`" in cut_off


@pytest.mark.parametrize(
    "params",
    [
        {"amount": 5},
        {"amount": 5, "amuont": 6},
        {"amount": 5, "customer": "ACME", "note": "call back"},
        {"customer": "ACME"},
    ],
)
async def test_what_is_used_or_looks_like_nothing_is_harmless(harness: Harness, params: Json) -> None:
    assert await remarks(harness, value("a", "{{params.amount}}"), params=params) == []


async def test_a_name_that_only_code_uses_is_used(harness: Harness) -> None:
    code = {"type": "Transform", "data": {"input": 1, "code": "params['amounts'] and params.amount"}}
    assert await remarks(harness, code, params={"amounts": 5}) == []


async def test_it_stands_in_the_analysis_of_a_failure(harness: Harness) -> None:
    _, done = await run_attempt(harness, value("a", "{{params.amount}}"), FAILS, params={"amuont": 5})
    assert "did you mean `amount`?" in (done.error_analysis or "")

"""One attempt at an execution: its final state, its next attempt, its end from outside."""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from pagehand.clock import now_ms
from pagehand.engine.intake import Intake
from pagehand.engine.live.session import LiveSessions
from pagehand.engine.local.login_locks import LoginLocks
from pagehand.engine.local.slots import Slot, Slots
from pagehand.engine.port import Order
from pagehand.engine.run.attempt import Attempt, Requeued
from pagehand.engine.run.finish import Finisher
from pagehand.engine.run.signals import Stop
from pagehand.errors import Cancelled, SiteDown, Unavailable
from pagehand.records import Execution, Status
from pagehand.storage import Database
from pagehand.testing import Harness, ScriptedHttp

pytestmark = pytest.mark.anyio
Json = dict[str, Any]


def new_attempt(harness: Harness, execution: Execution) -> Attempt:
    slots = Slots(1, 1, lambda: None)
    slot = Slot(slots, execution.organization_id)
    services = harness.services
    return Attempt(services, Finisher(services), execution, slot, LoginLocks(), LiveSessions())


async def perform(harness: Harness, *blocks: Json) -> tuple[Requeued | None, Execution]:
    execution = await harness.accept(await harness.add_workflow(*blocks))
    requeued = await new_attempt(harness, execution).perform(lambda _: None)
    return requeued, await stored(harness, execution)


async def stored(harness: Harness, execution: Execution) -> Execution:
    found = await harness.stores.executions.find(execution.id)
    assert found is not None
    return found


def value(reference: str, given: Any) -> Json:
    return {"type": "Transform", "blockReferenceId": reference, "data": {"input": given, "code": "input"}}


CALL: Json = {"type": "API", "blockReferenceId": "call", "data": {"route": "https://api.example/x"}}


async def test_a_run_that_goes_well_is_completed_with_its_response(harness: Harness) -> None:
    requeued, done = await perform(harness, value("a", 1))
    assert (requeued, done.status, done.response) == (None, Status.COMPLETED, {"a": 1})
    assert "completed after 1 block" in (done.summary or "")


async def test_a_failure_names_its_block_and_keeps_what_was_put_out(harness: Harness) -> None:
    fails = {
        "type": "FailOnCondition",
        "blockReferenceId": "check",
        "data": {"condition": "True", "message": "too much"},
    }
    _, done = await perform(harness, value("a", 1), fails)
    assert (done.status, done.response) == (Status.FAILED, {"a": 1})
    assert done.failure is not None
    assert (done.failure.block_reference_id, done.failure.message) == ("check", "too much")


async def test_one_that_somebody_else_has_claimed_is_left_alone(harness: Harness) -> None:
    execution = await harness.accept(await harness.add_workflow(value("a", 1)))
    await harness.stores.executions.claim(execution.id, at=now_ms(), token="another")
    assert await new_attempt(harness, execution).perform(lambda _: None) is None
    assert (await stored(harness, execution)).status is Status.IN_PROGRESS


async def test_a_site_that_is_down_is_tried_again_while_attempts_are_left(harness: Harness) -> None:
    harness.seams.http = ScriptedHttp([SiteDown("down"), SiteDown("down")])
    order = Order(workflow_id=(await harness.add_workflow(CALL)).id)
    execution = await Intake(harness.services).execution(harness.organization_id, order)
    execution.total_attempts = 2
    await harness.stores.executions.add(execution)
    requeued = await new_attempt(harness, execution).perform(lambda _: None)
    again = await stored(harness, execution)
    assert isinstance(requeued, Requeued)
    assert (again.status, again.attempts) == (Status.ENQUEUED, 2)
    assert await new_attempt(harness, again).perform(lambda _: None) is None
    assert (await stored(harness, execution)).status is Status.FAILED


async def test_a_cancelled_run_ends_with_who_cancelled_it(harness: Harness) -> None:
    wait = {"type": "Wait", "data": {"durationMs": 60_000}}
    execution = await harness.accept(await harness.add_workflow(wait))
    attempt = new_attempt(harness, execution)
    running = asyncio.create_task(attempt.perform(lambda _: None))
    while attempt.live is None:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.01)
    error = Cancelled("Cancelled by ann.", by="ann", at="2026-01-01T00:00:00Z")
    attempt.signals.end(Stop(error.message, error=error))
    assert await running is None
    done = await stored(harness, execution)
    assert (done.status, done.error_analysis) == (Status.FAILED, "Cancelled by ann.")
    assert done.failure is not None
    assert done.failure.cancelled is not None
    assert done.failure.cancelled.by == "ann"


async def test_a_run_that_a_stopping_service_interrupts_goes_back_to_the_queue(harness: Harness) -> None:
    execution = await harness.accept(
        await harness.add_workflow({"type": "Wait", "data": {"durationMs": 60_000}})
    )
    attempt = new_attempt(harness, execution)
    running = asyncio.create_task(attempt.perform(lambda _: None))
    while attempt.live is None:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.01)
    attempt.signals.end(Stop("The service was asked to stop.", goes_back_to_queue=True))
    assert await running == Requeued(None)
    again = await stored(harness, execution)
    assert (again.status, again.attempts, again.metadata["requeued"]) == (Status.ENQUEUED, 1, 1)


async def test_whoever_waits_hears_of_the_end_once(harness: Harness) -> None:
    heard: list[Execution] = []
    execution = await harness.accept(await harness.add_workflow(value("a", 1)))
    await new_attempt(harness, execution).perform(heard.append)
    assert [item.status for item in heard] == [Status.COMPLETED]


async def test_a_database_that_is_away_for_a_moment_fails_no_run(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.settings.max_value_bytes = 100  # so that the first value is stored as a file
    execution = await harness.accept(await harness.add_workflow(value("a", "x" * 200), value("b", 2)))
    calls = count()

    def every_other_fails(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            if next(calls) % 2 == 0:
                raise Unavailable("The database cannot be reached right now; try again shortly.")
            return method(*arguments, **more)

        return call

    with monkeypatch.context() as away:
        for name in ("read", "write", "commit", "find"):
            away.setattr(Database, name, every_other_fails(getattr(Database, name)))
        await new_attempt(harness, execution).perform(lambda _: None)
    done = await stored(harness, execution)
    assert (done.status, done.attempts) == (Status.COMPLETED, 1), done.error_analysis
    assert (await harness.stores.files.list(done.organization_id, execution_id=done.id, limit=9, offset=0))[
        1
    ] == 2

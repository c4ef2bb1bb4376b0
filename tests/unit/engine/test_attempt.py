"""One attempt at an execution: its final state, its next attempt, its end from outside."""

import asyncio
from collections.abc import Callable
from errno import ENOSPC
from itertools import count
from typing import Any, cast

import pytest
from msgspec.json import decode

from pagehand.blocks.run_context import RunContext
from pagehand.browser import BrowserSession
from pagehand.browser_session import BrowserRequest
from pagehand.clock import now_ms
from pagehand.engine.attempt import Attempt
from pagehand.engine.run.verdict import Requeued
from pagehand.engine.signals import Stop
from pagehand.engine.slots import Slots
from pagehand.errors import BlockFailed, Cancelled, SiteDown, TimedOut, Unavailable
from pagehand.records import Execution, Json, Requeue, Status
from pagehand.storage import Database
from pagehand.testing import BlankBrowser, Harness, ScriptedHttp
from support.attempts import (
    CALL,
    DO,
    ScriptedRunModel,
    accept_execution,
    events_of,
    kinds_with,
    loop,
    new_attempt,
    reload_execution,
    run_attempt,
    value,
)
from support.waiting import until

pytestmark = pytest.mark.anyio
WAIT: Json = {"type": "Wait", "blockReferenceId": "nap", "data": {"durationMs": 60_000}}
STOPPING = Stop("The service was asked to stop.", goes_back_to_queue=True)


async def test_a_run_that_goes_well_is_completed_with_its_response(harness: Harness) -> None:
    requeued, done = await run_attempt(harness, value("a", 1))
    assert (requeued, done.status, decode(done.response or b"null")) == (None, Status.COMPLETED, {"a": 1})
    assert "completed after 1 block" in (done.summary or "")


async def test_a_failure_names_its_block_and_keeps_outputs(harness: Harness) -> None:
    fails = {
        "type": "FailOnCondition",
        "blockReferenceId": "check",
        "data": {"condition": "True", "message": "too much"},
    }
    _, done = await run_attempt(harness, value("a", 1), fails)
    assert (done.status, decode(done.response or b"null")) == (Status.FAILED, {"a": 1})
    assert done.failure is not None
    assert (done.failure.block_reference_id, done.failure.message) == ("check", "too much")


async def test_one_that_somebody_else_has_claimed_is_left_alone(harness: Harness) -> None:
    execution = await harness.accept(await harness.add_workflow(value("a", 1)))
    await harness.stores.executions.claim(execution.id, at=now_ms(), token="another")
    assert await new_attempt(harness, execution).perform(lambda _: None) is None
    assert (await reload_execution(harness, execution)).status is Status.IN_PROGRESS


async def test_a_site_that_is_down_is_tried_again_while_attempts_are_left(harness: Harness) -> None:
    harness.seams.http = ScriptedHttp([SiteDown("down"), SiteDown("down")])
    execution = await accept_execution(harness, CALL, total_attempts=2)
    requeued = await new_attempt(harness, execution).perform(lambda _: None)
    reloaded = await reload_execution(harness, execution)
    assert isinstance(requeued, Requeued)
    assert (reloaded.status, reloaded.attempts) == (Status.ENQUEUED, 2)
    assert await new_attempt(harness, reloaded).perform(lambda _: None) is None
    assert (await reload_execution(harness, execution)).status is Status.FAILED


async def test_a_cancelled_run_ends_with_who_cancelled_it(harness: Harness) -> None:
    execution = await harness.accept(await harness.add_workflow(WAIT))
    attempt = new_attempt(harness, execution)
    running = asyncio.create_task(attempt.perform(lambda _: None))
    await until(lambda: attempt.live)
    error = Cancelled("Cancelled by ann.", by="ann", at="2026-01-01T00:00:00Z")
    attempt.signals.end(Stop(error.message, error=error))
    assert await running is None
    done = await reload_execution(harness, execution)
    assert (done.status, done.error_analysis) == (Status.FAILED, "Cancelled by ann.")
    assert done.failure is not None
    assert done.failure.cancelled is not None
    assert done.failure.cancelled.by == "ann"


async def test_a_run_that_a_stopping_service_interrupts_goes_back_to_the_queue(harness: Harness) -> None:
    execution = await harness.accept(await harness.add_workflow(WAIT))
    attempt = new_attempt(harness, execution)
    running = asyncio.create_task(attempt.perform(lambda _: None))
    await until(lambda: attempt.live)
    attempt.signals.end(STOPPING)
    assert await running == Requeued(None)
    reloaded = await reload_execution(harness, execution)
    assert (reloaded.status, reloaded.attempts, reloaded.metadata["requeued"]) == (Status.ENQUEUED, 1, 1)


async def test_a_waiter_is_woken_once(harness: Harness) -> None:
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
        for name in ("read", "write", "commit", "lookup"):
            away.setattr(Database, name, every_other_fails(getattr(Database, name)))
        await new_attempt(harness, execution).perform(lambda _: None)
    done = await reload_execution(harness, execution)
    assert (done.status, done.attempts) == (Status.COMPLETED, 1), done.error_analysis
    assert (await harness.stores.files.list(done.organization_id, execution_id=done.id, limit=9, offset=0))[
        1
    ] == 2


async def interrupted(harness: Harness, execution: Execution, attempt: Attempt, stop: Stop) -> Execution:
    """The row after a run was interrupted in its `nap`."""
    running = asyncio.create_task(attempt.perform(lambda _: None))
    await until(lambda: attempt.live)
    await asyncio.sleep(0.02)
    attempt.signals.end(stop)
    await running
    return await reload_execution(harness, execution)


async def test_a_timeout_that_escapes_a_block_is_not_the_executions_own(harness: Harness) -> None:
    async def breaks(_: RunContext) -> None:
        raise TimeoutError

    harness.seams.kinds = kinds_with(breaks)
    _, done = await run_attempt(harness, value("a", 1), DO)
    assert done.failure is not None
    assert (done.failure.code, decode(done.response or b"null")) == ("InternalError", {"a": 1})
    assert "timeout" not in done.failure.message


async def test_past_its_timeout_it_fails_and_keeps_outputs(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def put_out_one(_: RunContext) -> int:
        return 1

    harness.seams.kinds = kinds_with(put_out_one)
    execution = await harness.accept(await harness.add_workflow(DO, WAIT), timeout_seconds=7)
    # however long this machine took to accept it, 0.3 s are left
    monkeypatch.setattr("pagehand.engine.attempt.now_ms", lambda: execution.deadline_at - 300)
    await new_attempt(harness, execution).perform(lambda _: None)
    done = await reload_execution(harness, execution)
    assert done.failure is not None
    assert (done.status, decode(done.response or b"null")) == (Status.FAILED, {"do": 1})
    assert (done.failure.code, done.failure.block_reference_id) == ("OutOfTime", "nap")
    assert "time of 7 s" in done.failure.message


async def test_a_bug_in_a_block_shows_an_id_and_nothing_of_itself(harness: Harness) -> None:
    async def breaks(_: RunContext) -> None:
        raise KeyError("/srv/pagehand/internals.py")

    harness.seams.kinds = kinds_with(breaks)
    _, done = await run_attempt(harness, DO)
    assert done.failure is not None
    assert (done.failure.code, done.failure.block_reference_id) == ("InternalError", "do")
    assert "error id err_" in done.failure.message
    assert "internals" not in str(done)


async def test_a_disk_that_is_full_is_not_a_bug(harness: Harness) -> None:
    async def writes(_: RunContext) -> None:
        raise OSError(ENOSPC, "No space left on device", "/srv/pagehand/internals")

    harness.seams.kinds = kinds_with(writes)
    _, done = await run_attempt(harness, DO)
    assert done.failure is not None
    assert (done.status, done.failure.code != "InternalError") == (Status.FAILED, True)
    assert "No space left on device" in done.failure.message
    assert "internals" not in str(done)


async def test_an_execution_whose_workflow_is_gone_ends_all_the_same(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(*_: object) -> None: ...

    monkeypatch.setattr(harness.stores.workflows, "version", gone)
    _, done = await run_attempt(harness, value("a", 1))
    assert (done.status, done.failure and done.failure.code) == (Status.FAILED, "InternalError")


@pytest.mark.parametrize("trouble", [TimedOut("Nobody came."), BlockFailed("It was in vain.")])
async def test_a_run_that_continues_after_a_failed_pause_is_in_progress_and_has_its_slot(
    harness: Harness, trouble: BlockFailed
) -> None:
    seen: list[Status] = []
    slots = Slots(1, 1, lambda: None)

    async def waits_in_vain(context: RunContext) -> None:
        async with context.waiting_for_person("Solve it"):
            seen.append((await reload_execution(harness, execution)).status)
            raise trouble

    harness.seams.kinds = kinds_with(waits_in_vain)
    blocks = [loop("rounds", {"times": 1}, DO, continueOnError=True), WAIT]
    execution = await harness.accept(await harness.add_workflow(*blocks))
    attempt = new_attempt(harness, execution, slots)
    running = asyncio.create_task(attempt.perform(lambda _: None))
    await until(lambda: seen)

    async def goes_on() -> bool:
        return (await reload_execution(harness, execution)).status is Status.IN_PROGRESS

    await until(goes_on)
    row, has_free = await reload_execution(harness, execution), slots.room().of_any
    attempt.signals.end(Stop("enough"))
    await running
    assert (seen, row.waiting, has_free) == ([Status.PAUSED], None, False)
    kinds_of_events = [event.type for event in await events_of(harness, execution)]
    assert kinds_of_events.index("execution.resumed") < kinds_of_events.index("execution.cancelled")


async def test_a_stop_after_an_effect_fails_and_says_what_had_begun(harness: Harness) -> None:
    effects = [{"blockReferenceId": "pay", "what": "POST /pay", "at": "now"}]
    execution = await accept_execution(harness, WAIT, metadata={"effects": effects})
    done = await interrupted(harness, execution, new_attempt(harness, execution), STOPPING)
    assert (done.status, done.failure and done.failure.code) == (Status.FAILED, "WorkerLost")
    assert "`pay`: POST /pay" in (done.error_analysis or "")


async def test_a_run_that_was_taken_over_writes_neither_its_end_nor_its_events(harness: Harness) -> None:
    heard: list[Execution] = []

    async def is_taken_over(_: RunContext) -> None:
        await harness.stores.executions.requeue(
            execution.id, 1, Requeue(attempts=1, metadata={}, at=now_ms(), not_before=None), token="other"
        )

    harness.seams.kinds = kinds_with(is_taken_over)
    execution = await harness.accept(await harness.add_workflow(DO))
    assert await new_attempt(harness, execution).perform(heard.append) is None
    assert ((await reload_execution(harness, execution)).status, heard) == (Status.ENQUEUED, [])
    assert "execution.completed" not in [event.type for event in await events_of(harness, execution)]


async def test_events_of_the_next_attempt_follow_those_of_the_first(harness: Harness) -> None:
    execution = await harness.accept(await harness.add_workflow(value("a", 1), WAIT))
    later = await interrupted(harness, execution, new_attempt(harness, execution), STOPPING)
    await interrupted(harness, later, new_attempt(harness, later), Stop("enough"))
    events = await events_of(harness, execution)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert [event.type for event in events].count("execution.started") == 2


class Browsers:
    """Opens blank browsers and keeps them."""

    def __init__(self) -> None:
        self.opened: list[BlankBrowser] = []

    async def open(self, request: BrowserRequest) -> BrowserSession:
        del request
        self.opened.append(BlankBrowser())
        return cast("BrowserSession", self.opened[-1])


@pytest.mark.parametrize(("total_attempts", "status"), [(2, Status.ENQUEUED), (1, Status.FAILED)])
async def test_a_browser_that_dies_costs_an_attempt(
    harness: Harness, total_attempts: int, status: Status
) -> None:
    browsers = Browsers()

    async def loses_its_browser(_: RunContext) -> None:
        browsers.opened[-1].lost.set_result("Chromium died.")
        await asyncio.sleep(60)

    harness.seams.open_browser, harness.seams.kinds = browsers.open, kinds_with(loses_its_browser, page=True)
    execution = await accept_execution(harness, DO, total_attempts=total_attempts)
    await new_attempt(harness, execution).perform(lambda _: None)
    done = await reload_execution(harness, execution)
    assert (done.status, done.attempts) == (status, total_attempts)
    if done.failure is not None:
        assert (done.failure.code, done.failure.block_reference_id) == ("BrowserLost", "do")


async def test_ending_a_browser_at_once_is_not_its_death(harness: Harness) -> None:
    browsers = Browsers()
    ended: list[bool] = []

    async def lets_go(_: RunContext) -> None:
        assert attempt.has_browser
        await attempt.end_browser()
        browsers.opened[-1].lost.set_result("closed")
        ended.append(True)

    harness.seams.open_browser, harness.seams.kinds = browsers.open, kinds_with(lets_go, page=True)
    execution = await harness.accept(await harness.add_workflow(DO))
    attempt = new_attempt(harness, execution)
    await attempt.perform(lambda _: None)
    assert ((await reload_execution(harness, execution)).status, ended) == (Status.COMPLETED, [True])


async def test_a_page_that_does_not_settle_costs_the_run_no_event(harness: Harness) -> None:
    class Restless(BlankBrowser):
        has_run = False

        async def settle(self) -> None:
            if self.has_run:
                raise RuntimeError("the page's driver is gone")
            self.has_run = True

    async def opened(_: BrowserRequest) -> BrowserSession:
        return cast("BrowserSession", Restless())

    async def talks(context: RunContext) -> None:
        for number in range(50):
            context.emit("note.made", f"note {number}")

    harness.settings.max_events = 10
    harness.seams.open_browser, harness.seams.kinds = opened, kinds_with(talks, page=True)
    _, done = await run_attempt(harness, DO)
    assert done.status is Status.COMPLETED
    types = [event.type for event in await events_of(harness, done)]
    assert types[-2:] == ["execution.completed", "events.limited"]


async def test_a_model_adds_its_view_to_a_failure_and_a_paragraph_to_a_run_that_asked_it(
    harness: Harness,
) -> None:
    async def asks(context: RunContext) -> Any:
        return await context.model.text("count", "a page")

    harness.seams.kinds = kinds_with(asks)
    harness.seams.models = model = ScriptedRunModel(["3", "It counted to 3."])
    _, done = await run_attempt(harness, DO)
    assert (done.summary or "").endswith("It counted to 3.")
    assert (done.metadata["modelUsage"]["calls"], model.prompts[-1][0]) == (2, "summary")
    harness.seams.models = ScriptedRunModel([BlockFailed("It cannot count.")])
    _, failed = await run_attempt(harness, DO)
    assert (failed.status, "The model's view" in (failed.error_analysis or "")) == (Status.FAILED, False)


@pytest.mark.parametrize("trouble", [RuntimeError("a bug"), BlockFailed("too many tokens")])
async def test_a_model_that_breaks_on_the_report_costs_the_run_nothing(
    harness: Harness, trouble: Exception
) -> None:
    async def asks(context: RunContext) -> Any:
        return await context.model.text("count", "a page")

    harness.seams.kinds = kinds_with(asks)
    harness.seams.models = ScriptedRunModel(["3", trouble])
    _, done = await run_attempt(harness, DO)
    assert (done.status, decode(done.response or b"null")) == (Status.COMPLETED, {"do": "3"})
    assert [event.type for event in await events_of(harness, done)][-1] == "execution.completed"


@pytest.mark.parametrize(("setting", "seconds"), [(False, 3600.0), (True, 20.0)])
async def test_no_model_is_asked_for_a_report_that_nobody_wants_or_that_there_is_no_time_for(
    harness: Harness, setting: bool, seconds: float
) -> None:
    async def asks(context: RunContext) -> Any:
        return await context.model.text("count", "a page")

    harness.settings.model_reports = setting
    harness.seams.kinds = kinds_with(asks)
    harness.seams.models = model = ScriptedRunModel(["3"])
    _, done = await run_attempt(harness, DO, timeout_seconds=seconds)
    assert (done.status, len(model.prompts)) == (Status.COMPLETED, 1)

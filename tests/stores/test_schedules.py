"""Schedules over both databases: each moment starts exactly one execution, however many processes look."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from pagehand.clock import from_iso
from pagehand.engine.base import Engine
from pagehand.engine.changes import Changes
from pagehand.engine.port import Commit, ExecutionRequest
from pagehand.engine.schedules.scheduler import Scheduler
from pagehand.errors import NotFound
from pagehand.ids import new_id
from pagehand.records import Execution, Schedule, ScheduleRun, Status, Workflow
from pagehand.secrets.master_key import load_key_file
from pagehand.secrets.vault import SecretParams, Vault
from pagehand.storage import Database, ExecutionFilter, Stores
from support.database import whole
from support.ending import final_state

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio

TEN = from_iso("2026-05-01T10:00:00Z")
HOUR = 3_600_000
PROCESSES = 8


class Accepting:
    """The part of the engine that schedules use; `problem` is what it refuses requests with."""

    def __init__(self, make: MakeExecution) -> None:
        self._make = make
        self.problem: Exception | None = None
        self.queued: list[Execution] = []

    async def accept_all(
        self, organization_id: str, requests: Sequence[ExecutionRequest], commit: Commit
    ) -> None:
        if self.problem is not None:
            raise self.problem
        made = [
            self._make(
                organization_id=organization_id, workflow_id=request.workflow_id, params=request.params
            )
            for request in requests
        ]
        self.queued += await commit(made)


class Process:
    """A scheduler with connections of its own; its clock stands where a test puts it."""

    def __init__(self, database: Database, make: MakeExecution, folder: Path) -> None:
        self.database = database
        self.stores = Stores(database)
        self.engine = Accepting(make)
        self.now = TEN
        self.secrets = SecretParams(Vault(*load_key_file(folder)), "schedules")
        self.scheduler = Scheduler(
            self.stores.schedules,
            cast("Engine", self.engine),
            self.secrets,
            Changes(),
            self.clock,
        )

    async def clock(self) -> int:
        return self.now


@pytest.fixture
async def processes(
    database_url: str, make_execution: MakeExecution, tmp_path: Path
) -> AsyncGenerator[list[Process]]:
    started = [Process(Database(database_url), make_execution, tmp_path) for _ in range(PROCESSES)]
    for item in started:
        await item.database.open()
    yield started
    for item in started:
        await item.database.close()


async def keep(stores: Stores, **fields: Any) -> Schedule:
    workflow = Workflow(id=new_id("wf"), organization_id="org_a", name="Invoices", version=1, blocks=[])
    await stores.workflows.add(workflow, [])
    plain: dict[str, Any] = {
        "id": new_id("schedule"),
        "organization_id": "org_a",
        "workflow_id": workflow.id,
        "cron": "0 * * * *",
        "time_zone": "UTC",
        "params": {"n": 1},
        "next_at": TEN,
        "created_at": 1,
        "updated_at": 1,
    }
    schedule = Schedule(**plain | fields)
    await stores.schedules.add(schedule)
    return schedule


async def history(stores: Stores, schedule: Schedule) -> list[ScheduleRun]:
    runs, _ = await stores.schedules.runs("org_a", schedule.id, 1000, 0)
    return list(runs)


async def everything(stores: Stores) -> list[Any]:
    return list((await stores.executions.list("org_a", ExecutionFilter(limit=1000))).items)


async def test_of_many_processes_one_starts_the_execution(processes: list[Process]) -> None:
    stores = processes[0].stores
    kept = [await keep(stores) for _ in range(5)]
    for hour in range(3):
        for process in processes:
            process.now = TEN + hour * HOUR + 500
        await asyncio.gather(*(process.scheduler.run_due() for process in processes))
        await finish_all(stores)
    assert len(await everything(stores)) == 15
    queued = [execution.id for process in processes for execution in process.engine.queued]
    assert len(queued) == len(set(queued)) == 15
    for schedule in kept:
        assert [run.outcome for run in await history(stores, schedule)] == ["started"] * 3


async def finish_all(stores: Stores) -> None:
    for item in await everything(stores):
        await stores.executions.finish(
            final_state(item.id),
            None,
        )


async def test_a_moment_is_skipped_while_an_earlier_execution_is_not_over(processes: list[Process]) -> None:
    process = processes[0]
    schedule = await keep(process.stores)
    await process.scheduler.run_due()
    process.now += HOUR
    await process.scheduler.run_due()
    skipped, started = await history(process.stores, schedule)
    assert (started.outcome, started.status) == ("started", Status.ENQUEUED)
    assert (skipped.outcome, skipped.execution_id) == ("skipped", None)
    assert len(await everything(process.stores)) == len(process.engine.queued) == 1


async def test_with_queue_it_waits_its_turn_instead(processes: list[Process]) -> None:
    process = processes[0]
    schedule = await keep(process.stores, overlap="queue")
    await process.scheduler.run_due()
    process.now += HOUR
    await process.scheduler.run_due()
    assert [run.outcome for run in await history(process.stores, schedule)] == ["started", "started"]
    assert len(process.engine.queued) == 2


@pytest.mark.parametrize(("catch_up", "count"), [("none", 0), ("latest", 1), ("all", 4)])
async def test_missed_moments_are_caught_up_as_it_says(
    processes: list[Process], catch_up: str, count: int
) -> None:
    schedule = await keep(processes[0].stores, catch_up=catch_up, next_at=TEN - 3 * HOUR)
    for process in processes:
        process.now = TEN + 30 * 60_000
    await asyncio.gather(*(process.scheduler.run_due() for process in processes))
    assert len(await everything(processes[0].stores)) == count
    after = await processes[0].stores.schedules.get("org_a", schedule.id)
    assert after is not None
    assert after.next_at == TEN + HOUR
    outcomes = [run.outcome for run in await history(processes[0].stores, schedule)]
    assert outcomes.count("started") == count


async def test_what_cannot_be_started_says_why_and_does_not_come_again(processes: list[Process]) -> None:
    process = processes[0]
    process.engine.problem = NotFound("`loginId`: there is no login `login_9` in this organization.")
    schedule = await keep(process.stores)
    await process.scheduler.run_due()
    await process.scheduler.run_due()
    [run] = await history(process.stores, schedule)
    assert (run.outcome, run.message) == ("failed", process.engine.problem.message)


async def test_one_that_is_switched_off_starts_nothing(processes: list[Process]) -> None:
    process = processes[0]
    schedule = await keep(process.stores, is_enabled=False)
    await process.scheduler.run_due()
    assert await history(process.stores, schedule) == []


async def test_switching_off_wins_over_a_process_that_has_already_seen_it(
    stores: Stores, make_execution: MakeExecution
) -> None:
    schedule = await keep(stores)
    await stores.schedules.update("org_a", schedule.id, is_enabled=False)
    assert await claim(stores, schedule, make_execution()) == []
    assert await everything(stores) == []


async def claim(stores: Stores, schedule: Schedule, execution: Execution) -> Sequence[ScheduleRun]:
    run = ScheduleRun(
        id="tick_1",
        schedule_id=schedule.id,
        scheduled_for=TEN,
        at=TEN,
        outcome="started",
        execution_id=execution.id,
    )
    return await stores.schedules.claim(
        schedule, next_at=TEN + HOUR, runs=[run], started=[execution], may_overlap=False
    )


async def test_a_claim_whose_answer_was_lost_finds_itself_made(
    stores: Stores, make_execution: MakeExecution
) -> None:
    schedule, execution = await keep(stores), make_execution()
    first = await claim(stores, schedule, execution)
    second = await claim(stores, schedule, execution)
    assert [run.execution_id for run in second] == [run.execution_id for run in first] == [execution.id]
    assert len(await everything(stores)) == 1


async def test_a_deleted_workflow_takes_its_schedules_with_it(stores: Stores) -> None:
    schedule, other = await keep(stores), await keep(stores)
    await stores.workflows.delete("org_a", schedule.workflow_id)
    found, total = await whole(stores.schedules.list("org_a", 10, 0))
    assert ([item.id for item in found], total) == ([other.id], 1)


@pytest.mark.slow
async def test_the_history_does_not_grow_for_ever(stores: Stores) -> None:
    schedule = await keep(stores)
    for number in range(505):
        run = ScheduleRun(
            id=new_id("tick"), schedule_id=schedule.id, scheduled_for=number, at=number, outcome="missed"
        )
        await stores.schedules.claim(schedule, next_at=TEN, runs=[run], started=[], may_overlap=False)
    runs, total = await stores.schedules.runs("org_a", schedule.id, 1, 0)
    assert (runs[0].at, total) == (504, 500)
    last = await stores.schedules.last_runs([schedule.id])
    assert last[schedule.id].at == 504


async def test_a_schedule_is_due_by_the_clock_that_all_processes_share(
    stores: Stores, processes: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    process = processes[0]
    if process.database.is_sqlite:
        pytest.skip("SQLite has one process, and its clock is this machine's")
    soon = await stores.schedules.now() + 60_000
    await keep(stores, next_at=soon)
    scheduler = Scheduler(
        process.stores.schedules, cast("Engine", process.engine), process.secrets, Changes()
    )
    ahead = (soon + HOUR) * 1_000_000
    monkeypatch.setattr("pagehand.clock.time.time_ns", lambda: ahead)  # this machine's clock is wrong
    await scheduler.run_due()
    assert process.engine.queued == []

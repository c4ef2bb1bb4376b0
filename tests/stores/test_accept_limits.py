"""Limits on accepted executions are kept to the last one, whoever adds at the same moment."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest
from sqlalchemy import text

from pagehand.errors import InvalidRequest, TooMany
from pagehand.ids import new_id
from pagehand.records import Batch, Execution, Schedule, ScheduleRun, Workflow
from pagehand.storage import AcceptLimits, Database, Stores

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio

NODES = 4
MakeBatch = Callable[[int], tuple[Batch, list[Execution]]]


@pytest.fixture
async def nodes(database: Database, database_url: str) -> AsyncGenerator[list[Database]]:
    """Processes on the same database: connections and locks of their own."""
    async with AsyncExitStack() as stack:
        others = [Database(database_url) for _ in range(NODES - 1)]
        for other in others:
            stack.push_async_callback(other.close)
        yield [database, *others]


@pytest.fixture
def make_batch(make_execution: MakeExecution) -> MakeBatch:
    def make(rows: int) -> tuple[Batch, list[Execution]]:
        batch = Batch(
            id=new_id("batch"),
            organization_id="org_a",
            name="B",
            workflow_id="wf_1",
            workflow_name="Invoices",
            total=rows,
            created_at=1,
        )
        return batch, [make_execution(batch_id=batch.id) for _ in range(rows)]

    return make


async def _accepted(adding: Sequence[Awaitable[Any]]) -> list[bool]:
    """Which of these were accepted when all began at once; the others were refused by a limit."""
    outcomes = await asyncio.gather(*adding, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException) and not isinstance(outcome, TooMany):
            raise outcome
    return [not isinstance(outcome, TooMany) for outcome in outcomes]


@pytest.mark.parametrize(
    "limits", [AcceptLimits(queued=5), AcceptLimits(per_minute=5), AcceptLimits(queued=5, per_minute=9)]
)
async def test_processes_together_accept_as_many_as_one_may(
    nodes: list[Database], make_execution: MakeExecution, limits: AcceptLimits
) -> None:
    stores = [Stores(node, limits) for node in nodes]
    accepted = await _accepted(
        [
            stores[number % NODES].executions.add(
                make_execution(), (f"key {number}", b"digest") if number % 2 else None
            )
            for number in range(20)
        ]
    )
    assert sum(accepted) == 5
    assert await stores[0].executions.count_queued("org_a") == 5


async def test_batches_and_single_ones_share_the_room(
    nodes: list[Database], make_execution: MakeExecution, make_batch: MakeBatch
) -> None:
    # more than a server's connections: PostgreSQL lets single ones add together while there is so much room
    limit = 110
    stores = [Stores(node, AcceptLimits(queued=limit)) for node in nodes]
    adding: list[tuple[int, Awaitable[Any]]] = []
    for number in range(16):
        own = stores[number % NODES]
        adding += [
            (12, own.batches.add(*make_batch(12))),
            (1, own.executions.add(make_execution())),
        ]
    accepted = await _accepted([call for _, call in adding])
    queued = sum(size for (size, _), is_in in zip(adding, accepted, strict=True) if is_in)
    assert limit - 12 < queued <= limit
    assert await stores[0].executions.count_queued("org_a") == queued
    assert (await stores[0].batches.list("org_a", 100, 0))[1] == sum(accepted[::2])


async def test_a_repeat_is_given_though_the_queue_is_full(
    database: Database, make_execution: MakeExecution
) -> None:
    stores = Stores(database, AcceptLimits(queued=1))
    first = await stores.executions.add(make_execution(), ("key", b"digest"))
    repeated = await stores.executions.add(make_execution(), ("key", b"digest"))
    assert repeated.id == first.id
    with pytest.raises(TooMany, match="1 executions of this organization wait already, and 1 may"):
        await stores.executions.add(make_execution())


async def test_the_key_of_a_refused_request_stays_free(
    database: Database, make_execution: MakeExecution
) -> None:
    full = Stores(database, AcceptLimits(queued=1))
    await full.executions.add(make_execution())
    refused = make_execution()
    with pytest.raises(TooMany):
        await full.executions.add(refused, ("key", b"digest"))
    wider = Stores(database, AcceptLimits(queued=2))
    assert (await wider.executions.add(refused, ("key", b"digest"))).id == refused.id


async def test_other_organizations_have_room_of_their_own(
    database: Database, make_execution: MakeExecution
) -> None:
    executions = Stores(database, AcceptLimits(queued=1, per_minute=1)).executions
    for organization in ("org_a", "org_b"):
        await executions.add(make_execution(organization_id=organization))
        with pytest.raises(TooMany):
            await executions.add(make_execution(organization_id=organization))


async def _age(database: Database, seconds: int) -> None:
    """Let what was accepted so far be older."""
    async with database.write() as connection:
        await connection.execute(text("UPDATE recent_accepts SET at = at - :ms"), {"ms": seconds * 1000})


async def test_a_minute_later_there_is_room_again(database: Database, make_execution: MakeExecution) -> None:
    executions = Stores(database, AcceptLimits(per_minute=2)).executions
    await executions.add(make_execution(), ("key", b"digest"))
    await _age(database, 40)
    await executions.add(make_execution())
    await executions.add(make_execution(), ("key", b"digest"))  # repeats the first, and counts no more
    with pytest.raises(TooMany, match="2 executions within a minute, and 2 are allowed") as refused:
        await executions.add(make_execution())
    assert 15 <= refused.value.retry_after_seconds <= 20  # when the first is a minute old
    await _age(database, 21)
    await executions.add(make_execution())
    with pytest.raises(TooMany) as refused:
        await executions.add(make_execution())
    assert 34 <= refused.value.retry_after_seconds <= 39


async def test_a_clock_that_is_set_back_does_not_refuse_for_longer(
    database: Database, make_execution: MakeExecution
) -> None:
    executions = Stores(database, AcceptLimits(per_minute=1)).executions
    await executions.add(make_execution())
    await _age(database, -3600)
    await executions.add(make_execution())
    with pytest.raises(TooMany):
        await executions.add(make_execution())


async def test_a_batch_is_accepted_whole_or_not_at_all(database: Database, make_batch: MakeBatch) -> None:
    stores = Stores(database, AcceptLimits(per_minute=5))
    await stores.batches.add(*make_batch(1))
    await _age(database, 30)
    await stores.batches.add(*make_batch(3))
    with pytest.raises(TooMany) as refused:
        await stores.batches.add(*make_batch(3))
    assert 55 <= refused.value.retry_after_seconds <= 60  # the first alone makes no room for three
    for looked_at in (stores.batches.add(*make_batch(6)), stores.executions.refuse_if_full("org_a", 6)):
        with pytest.raises(InvalidRequest, match="6 executions at once are more than the 5"):
            await looked_at
    assert (await stores.batches.list("org_a", 10, 0))[1] == 2
    assert await stores.executions.count_queued("org_a") == 4


async def test_a_schedule_without_room_stays_due(database: Database, make_execution: MakeExecution) -> None:
    stores = Stores(database, AcceptLimits(per_minute=1))
    await stores.workflows.add(
        Workflow(id="wf_1", organization_id="org_a", name="W", version=1, blocks=[]), []
    )
    schedule = Schedule(
        id="sch_1",
        organization_id="org_a",
        workflow_id="wf_1",
        name="S",
        cron="* * * * *",
        time_zone="UTC",
        params={},
        created_at=1,
        next_at=5,
    )
    await stores.schedules.add(schedule)
    await stores.executions.add(make_execution())
    execution = make_execution()
    run = ScheduleRun(
        id="tick_1",
        schedule_id="sch_1",
        scheduled_for=5,
        at=6,
        outcome="started",
        is_manual=False,
        execution_id=execution.id,
    )
    with pytest.raises(TooMany):
        await stores.schedules.claim(schedule, next_at=9, runs=[run], started=[execution], may_overlap=True)
    with pytest.raises(TooMany):
        await stores.schedules.add_run(schedule, run, execution)
    assert [due.id for due in await (await stores.schedules.due(7)).all()] == ["sch_1"]
    assert await stores.executions.find_in_any_organization(execution.id) is None

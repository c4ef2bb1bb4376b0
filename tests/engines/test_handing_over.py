"""Which executions are handed to the queue that workers share."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.clock import now_ms
from pagehand.engine.port import ExecutionRequest
from pagehand.engine.postgres.jobs import Jobs
from pagehand.ids import new_id
from pagehand.records import Execution
from pagehand.storage import Database, Stores
from pagehand.storage.admission import Candidate
from pagehand.storage.exclusive_logins import LoginTurn
from support.engines import FINAL, shared_services

pytestmark = pytest.mark.anyio


@pytest.fixture
async def opened(database: str) -> AsyncGenerator[Database]:
    made = Database(database)
    await made.open()
    yield made
    await made.close()


def execution(organization: str = "org_1", **more: object) -> Execution:
    now = now_ms()
    plain: dict[str, object] = {
        "id": new_id("exec"),
        "organization_id": organization,
        "workflow_id": "wf_1",
        "workflow_name": "w",
        "workflow_version": 1,
        "browser_session_id": new_id("bs"),
        "accepted_at": now,
        "start_time": now,
        "deadline_at": now + 60_000,
    }
    return Execution(**{**plain, **more})  # pyright: ignore[reportArgumentType] - fields by name


async def handed_over(stores: Stores, jobs: Jobs, *executions: Execution) -> list[str]:
    """The ids in the order in which a worker gets them."""
    for item in executions:
        await stores.executions.add(item)
    for organization in await stores.admission.organizations():
        await stores.admission.admit(organization, 4, jobs.defer)
    worker = await jobs.register()
    taken: list[str] = []
    while (job := await stores.job_queue.take(worker, low=1)) is not None:
        taken.append(job.execution.id)
    return taken


async def test_only_a_few_of_an_organization_and_those_of_highest_priority_first(opened: Database) -> None:
    stores, jobs = Stores(opened), Jobs(opened)
    await jobs.open()
    await jobs.open()  # every process does
    plain = [execution() for _ in range(5)]
    urgent, other = execution(priority=5), execution("org_2")
    taken = await handed_over(stores, jobs, *plain, urgent, other)
    assert taken[0] == urgent.id
    assert set(taken[1:]) == {*(field.id for field in plain[:3]), other.id}


async def test_one_of_several_workers_refills_a_queue_that_runs_low(opened: Database) -> None:
    stores, jobs = Stores(opened), Jobs(opened)
    await jobs.open()
    for _ in range(3):
        await stores.executions.add(execution())

    async def while_another_is_at_it(connection: AsyncConnection, found: Sequence[Candidate]) -> None:
        assert await stores.admission.admit("org_1", 4, jobs.defer, unless_others_do=True) == 0
        await jobs.defer(connection, found)

    assert await stores.admission.admit("org_1", 2, while_another_is_at_it) == 2
    assert await stores.admission.admit("org_1", 4, jobs.defer, unless_others_do=True) == 1


async def test_an_exclusive_login_is_used_by_one_at_a_time(opened: Database) -> None:
    stores, jobs = Stores(opened), Jobs(opened)
    await jobs.open()
    first, second = (execution(exclusive_logins=["login_1"]) for _ in range(2))
    free = execution()
    assert await handed_over(stores, jobs, first, second, free) == [first.id, free.id]
    assert await stores.exclusive_logins.take(free.id, "login_1") is LoginTurn.WAITING
    assert await stores.exclusive_logins.take(first.id, "login_1") is LoginTurn.GRANTED
    [stalled] = [item for item in await stores.job_queue.stalled(-1) if item.execution_id == first.id]
    await stores.job_queue.end(stalled.number, first.id)
    # asked for in the middle of its run
    assert await stores.exclusive_logins.take(free.id, "login_1") is LoginTurn.GRANTED
    assert await handed_over(stores, jobs) == []  # both wait for `free`
    await stores.job_queue.end(stalled.number, free.id)  # late, of an attempt that was taken over
    assert await stores.exclusive_logins.take(second.id, "login_1") is LoginTurn.WAITING


async def test_two_executions_never_wait_for_each_others_logins(opened: Database) -> None:
    stores, jobs = Stores(opened), Jobs(opened)
    await jobs.open()
    runs = [execution() for _ in range(3)]
    await handed_over(stores, jobs, *runs)
    first, second, third = (one.id for one in runs)
    take = stores.exclusive_logins.take
    for run, login in ((first, "login_1"), (second, "login_2"), (third, "login_3")):
        assert await take(run, login) is LoginTurn.GRANTED
    assert await take(first, "login_2") is LoginTurn.WAITING
    assert await take(second, "login_3") is LoginTurn.WAITING
    assert await take(third, "login_1") is LoginTurn.DEADLOCK  # a circle of three
    assert await take(first, "login_2") is LoginTurn.WAITING  # as often as it looks
    await stores.admission.release([third])
    assert await take(second, "login_3") is LoginTurn.GRANTED
    await stores.admission.release([second])
    assert await take(first, "login_2") is LoginTurn.GRANTED
    assert await take(second, "login_1") is LoginTurn.WAITING  # nobody remembers that first waited


async def test_a_batch_has_as_many_handed_over_as_it_may_and_delays_no_others(opened: Database) -> None:
    stores, jobs = Stores(opened), Jobs(opened)
    await jobs.open()
    rows = [execution(batch_id="batch_1", batch_concurrency=1) for _ in range(6)]
    other = execution()
    assert await handed_over(stores, jobs, *rows, other) == [rows[0].id, other.id]


@pytest.mark.slow
async def test_ten_times_as_many_of_one_organization_do_not_starve_another(
    database: str, tmp_path: Path
) -> None:
    async with shared_services(database, tmp_path) as fleet:
        workflow = await fleet.api.create({"type": "Wait", "data": {"durationMs": 50}})
        many = [await fleet.api.start(workflow) for _ in range(40)]
        worker = await fleet.worker()
        found = await worker.stores.executions.find(many[0])
        assert found is not None
        version = await worker.stores.workflows.get(found.organization_id, workflow)
        assert version is not None
        stranger = await worker.stores.organizations.ensure("stranger")
        version.organization_id, version.id = stranger.id, new_id("wf")
        await worker.stores.workflows.add(version, [])
        single = await worker.engine.accept(stranger.id, ExecutionRequest(workflow_id=version.id))
        assert (await worker.engine.wait(single)).status in FINAL
        left = [item for item in many if (await fleet.api.get(item))["status"] not in FINAL]
        assert len(left) >= 15


async def test_a_job_whose_worker_did_not_receive_it_is_queued_again(opened: Database) -> None:
    stores, jobs = Stores(opened), Jobs(opened)
    await jobs.open()
    known, unheard = execution(), execution()
    for item in (known, unheard):
        await stores.executions.add(item)
    await stores.admission.admit("org_1", 4, jobs.defer)
    worker = await jobs.register()
    first, second = [await stores.job_queue.take(worker, low=1) for _ in range(2)]
    assert first is not None
    assert second is not None
    assert await stores.job_queue.return_unknown(worker, [first.number]) == [unheard.id]
    assert await stores.admission.admit("org_1", 4, jobs.defer) == 1
    again = await stores.job_queue.take(worker, low=1)
    assert again is not None
    assert again.execution.id == unheard.id


async def test_a_worker_hears_that_the_queue_is_low_only_while_more_wait(opened: Database) -> None:
    stores, jobs = Stores(opened), Jobs(opened)
    await jobs.open()
    for _ in range(5):
        await stores.executions.add(execution())
    await stores.admission.admit("org_1", 4, jobs.defer)
    worker = await jobs.register()
    taken = [await stores.job_queue.take(worker, low=2) for _ in range(3)]
    assert [job.is_low for job in taken if job is not None] == [False, False, True]  # 3, 2 and 1 are left
    await stores.admission.admit("org_1", 4, jobs.defer)  # the fifth: none waits outside the queue any more
    last = [await stores.job_queue.take(worker, low=2) for _ in range(2)]
    assert [job.is_low for job in last if job is not None] == [False, False]


async def test_an_end_makes_room_only_where_something_waited_for_it(opened: Database) -> None:
    stores, jobs = Stores(opened), Jobs(opened)
    await jobs.open()
    plain, with_login, limited = (
        execution(),
        execution(exclusive_logins=["login_1"]),
        execution(batch_id="batch_1", batch_concurrency=1),
    )
    room: list[bool] = []
    for item in (plain, with_login, limited):
        await stores.executions.add(item)
        await stores.admission.admit("org_1", 4, jobs.defer)
        job = await stores.job_queue.take(await jobs.register(), low=1)
        assert job is not None
        await stores.executions.claim(item.id, at=1)
        room.append(await stores.job_queue.end(job.number, item.id))
    assert room == [False, True, True]


@pytest.mark.slow
async def test_an_execution_takes_few_statements_from_queue_to_end(database: str, tmp_path: Path) -> None:
    async with shared_services(database, tmp_path) as fleet:
        await fleet.worker()
        workflow = await fleet.api.create({"type": "Wait", "data": {"durationMs": 0}})
        await fleet.api.wait_for(await fleet.api.start(workflow), *FINAL)
        statements: list[str] = []

        def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
            statements.append(statement)

        event.listen(Engine, "before_cursor_execute", note)
        try:
            rows: list[dict[str, str]] = [{} for _ in range(60)]
            made = await fleet.api.call("/batches/create", name="Many", workflowId=workflow, rows=rows)
            batch = made["batch"]
            while batch["status"] != "finished":
                await asyncio.sleep(0.5)
                batch = (await fleet.api.call("/batches/get", id=batch["id"]))["batch"]
        finally:
            event.remove(Engine, "before_cursor_execute", note)
        # what looks around by the clock, and this test itself, is part of it
        assert len(statements) / len(rows) < 14, Counter(text[:60] for text in statements).most_common(12)

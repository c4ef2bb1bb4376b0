"""Which executions workers take from the queue that they share."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, text

from pagehand.clock import now_ms
from pagehand.engine.port import ExecutionRequest
from pagehand.errors import Conflict
from pagehand.ids import new_id
from pagehand.records import Execution
from pagehand.storage import Database, Stores, migrations
from pagehand.storage.exclusive_logins import LoginTurn
from pagehand.storage.shared_queue import FOR_ANY, Room
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


async def taken(stores: Stores, *executions: Execution) -> list[str]:
    """The ids in the order in which a worker gets them."""
    for item in executions:
        await stores.executions.add(item)
    return await taken_by(stores, "worker_1")


async def test_organizations_take_turns_and_the_highest_priority_comes_first(opened: Database) -> None:
    plain = [execution() for _ in range(4)]
    urgent, others = execution(priority=5), [execution("org_2") for _ in range(2)]
    mixed = [urgent, others[0], plain[0], others[1], plain[1], plain[2], plain[3]]
    assert await taken(Stores(opened), *plain, urgent, *others) == [item.id for item in mixed]


async def test_several_workers_take_each_execution_once_and_no_more_than_a_batch_may_run(
    opened: Database,
) -> None:
    stores = Stores(opened)
    limited = [execution(batch_id="batch_1", batch_concurrency=3) for _ in range(6)]
    plain = [execution() for _ in range(20)]
    for item in (*limited, *plain):
        await stores.executions.add(item)

    takers = (taken_by(stores, worker) for worker in "abcd")
    ids = [item for found in await asyncio.gather(*takers) for item in found]
    assert len(set(ids)) == len(ids) == 3 + len(plain)
    assert {item.id for item in plain} <= set(ids)


async def taken_by(stores: Stores, worker: str) -> list[str]:
    await stores.shared_queue.add_worker(worker, "http://127.0.0.1:8710")
    found: list[str] = []
    while (item := (await stores.shared_queue.take(worker)).execution) is not None:
        found.append(item.id)
    return found


async def test_a_worker_that_is_not_registered_gets_nothing(opened: Database) -> None:
    stores = Stores(opened)
    await stores.executions.add(execution())
    assert (await stores.shared_queue.take("worker_lost")).execution is None


async def test_an_exclusive_login_is_used_by_one_at_a_time(opened: Database) -> None:
    stores = Stores(opened)
    first, second = (execution(exclusive_logins=["login_1"]) for _ in range(2))
    free = execution()
    assert await taken(stores, first, second, free) == [first.id, free.id]
    assert await stores.exclusive_logins.take(free.id, "login_1") is LoginTurn.WAITING
    assert await stores.exclusive_logins.take(first.id, "login_1") is LoginTurn.GRANTED
    await stores.shared_queue.end("worker_1", first.id)
    # asked for in the middle of its run
    assert await stores.exclusive_logins.take(free.id, "login_1") is LoginTurn.GRANTED
    await stores.executions.claim(first.id, at=1)  # else it would be next
    assert await taken(stores) == []  # `second` waits for `free`
    await stores.shared_queue.end("worker_2", free.id)  # late, of an attempt that was taken over
    assert await stores.exclusive_logins.take(second.id, "login_1") is LoginTurn.WAITING


async def test_two_executions_never_wait_for_each_others_logins(opened: Database) -> None:
    stores = Stores(opened)
    runs = [execution() for _ in range(3)]
    first, second, third = await taken(stores, *runs)
    take = stores.exclusive_logins.take
    for run, login in ((first, "login_1"), (second, "login_2"), (third, "login_3")):
        assert await take(run, login) is LoginTurn.GRANTED
    assert await take(first, "login_2") is LoginTurn.WAITING
    assert await take(second, "login_3") is LoginTurn.WAITING
    assert await take(third, "login_1") is LoginTurn.DEADLOCK  # a circle of three
    assert await take(first, "login_2") is LoginTurn.WAITING  # as often as it looks
    await stores.shared_queue.end("worker_1", third)
    assert await take(second, "login_3") is LoginTurn.GRANTED
    await stores.shared_queue.end("worker_1", second)
    assert await take(first, "login_2") is LoginTurn.GRANTED
    assert await take(second, "login_1") is LoginTurn.WAITING  # nobody remembers that first waited


async def test_a_batch_runs_as_many_as_it_may_and_delays_no_others(opened: Database) -> None:
    rows = [execution(batch_id="batch_1", batch_concurrency=1) for _ in range(6)]
    other = execution()
    assert await taken(Stores(opened), *rows, other) == [rows[0].id, other.id]


async def test_a_taken_execution_says_which_others_wait(opened: Database) -> None:
    stores = Stores(opened)
    await stores.shared_queue.add_worker("worker_1", "http://127.0.0.1:8710")
    for item in (execution(priority=2), execution("org_2", priority=1), execution(needs_browser=False)):
        await stores.executions.add(item)
    seen = [await stores.shared_queue.take("worker_1") for _ in range(4)]
    assert [(item.waiting[True], item.waiting[False]) for item in seen] == [
        (["org_2"], ["org_1"]),
        ([], ["org_1"]),
        ([], []),
        ([], []),
    ]
    assert [item.execution is None for item in seen] == [False, False, False, True]


async def test_executions_without_room_are_not_taken_for_absent(opened: Database) -> None:
    stores, full = Stores(opened), Room(of_any=False, of_others=True, present=["org_1"])
    await stores.shared_queue.add_worker("worker_1", "http://127.0.0.1:8710")
    await stores.executions.add(execution())
    taken = await stores.shared_queue.take("worker_1", browser=full)
    assert (taken.execution, taken.waiting) == (None, {True: ["org_1"], False: []})
    assert not full.fits(["org_1"])
    assert all(room.fits(["org_1"]) for room in (FOR_ANY, Room(of_any=False, of_others=True, present=[])))


PROCRASTINATE = """
    CREATE TYPE procrastinate_job_status AS ENUM ('todo', 'doing');
    CREATE TABLE procrastinate_workers (id bigint PRIMARY KEY, last_heartbeat timestamptz NOT NULL);
    CREATE TABLE procrastinate_jobs (id bigserial PRIMARY KEY, queue_name text, task_name text, lock text,
      status procrastinate_job_status, worker_id bigint REFERENCES procrastinate_workers (id));
    CREATE TABLE procrastinate_periodic_defers (id bigserial PRIMARY KEY, task_name text,
      job_id bigint REFERENCES procrastinate_jobs (id));
    CREATE TABLE procrastinate_events (job_id bigint REFERENCES procrastinate_jobs (id) ON DELETE CASCADE);
    CREATE FUNCTION procrastinate_fetch_job_v2(bigint) RETURNS procrastinate_jobs LANGUAGE sql
      AS 'SELECT * FROM procrastinate_jobs WHERE id = $1';
    INSERT INTO workers (number, id, address) VALUES (7, 'worker_7', 'http://old');
    INSERT INTO procrastinate_workers VALUES (7, now());
"""
JOB = "INSERT INTO procrastinate_jobs (queue_name, task_name, lock, status, worker_id) VALUES ('org_1', "
LEFT = text("""
    SELECT tables.table_name, count(columns.column_name) FROM information_schema.tables
    LEFT JOIN information_schema.columns ON columns.table_name = tables.table_name
    WHERE tables.table_name LIKE 'procrastinate%' GROUP BY 1 ORDER BY 1
""")


async def before_the_upgrade(database: Database, *statements: str) -> None:
    async with database.write() as connection:
        await connection.run_sync(migrations.migrate, "0024")
        for statement in (PROCRASTINATE, *statements):
            await connection.exec_driver_sql(statement)


async def test_what_waits_and_runs_survives_the_move_from_procrastinates_tables(database: str) -> None:
    older, stores = Database(database), Stores(Database(database))
    queued, running, free = execution(), execution(), execution()
    await before_the_upgrade(
        older,
        f"{JOB}'pagehand.execution', '{queued.id}', 'todo', NULL)",
        f"{JOB}'pagehand.execution', '{running.id}', 'doing', 7)",
    )
    for item in (queued, running, free):
        await stores.executions.add(item)
    await stores.executions.claim(running.id, at=1)
    assert await older.open() == "0024"
    assert await taken(stores) == [queued.id, free.id]
    # the worker of the version before keeps what it runs until it is lost
    assert (await stores.shared_queue.unassigned(10), await stores.shared_queue.stalled(30)) == ([], [])
    assert await stores.shared_queue.worker_address(running.id) == "http://old"
    async with older.write() as connection:
        # nothing works with these, and a process of the version before makes no new ones
        left = [tuple(row) for row in await connection.execute(LEFT)]
        await connection.execute(text("UPDATE workers SET beat_at = beat_at - 31000 WHERE number = 7"))
    assert left == [("procrastinate_jobs", 0), ("procrastinate_workers", 0)]
    assert [item.execution_id for item in await stores.shared_queue.stalled(30)] == [running.id]
    await older.close()
    await stores.database.close()


SILENT = "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'"


@pytest.mark.parametrize(
    "theirs",
    [
        f"{JOB}'theirs', NULL, 'todo', NULL)",
        "INSERT INTO procrastinate_workers VALUES (8, now())",
        "INSERT INTO procrastinate_periodic_defers (task_name) VALUES ('theirs')",
        "CREATE TABLE invoices (id bigint)",
        "CREATE SCHEMA theirs; CREATE TABLE theirs.invoices (job bigint REFERENCES procrastinate_jobs (id))",
        "CREATE SCHEMA theirs; CREATE VIEW theirs.waiting AS SELECT id FROM procrastinate_jobs",
        "CREATE ROLE {role}; ALTER TABLE procrastinate_jobs OWNER TO {role}",
    ],
    ids=["job", "worker", "periodic task", "table", "reference", "view", "owner"],
)
async def test_procrastinates_tables_stay_where_another_application_may_use_them(
    database: str, theirs: str
) -> None:
    opened, running = Database(database), execution()
    ours = f"{JOB}'pagehand.execution', '{running.id}', 'doing', 7)"
    await before_the_upgrade(opened, ours, SILENT, theirs.format(role=new_id("role")))
    await opened.open()
    async with opened.read() as connection:
        left = dict(tuple(row) for row in await connection.execute(LEFT))
        jobs = (await connection.scalars(text("SELECT task_name FROM procrastinate_jobs"))).all()
        assigned = (await connection.scalars(text("SELECT execution_id FROM assignments"))).all()
    assert len(left) == 4
    assert all(left.values())
    assert (set(jobs) <= {"theirs"}, assigned) == (True, [running.id])
    await opened.close()


async def test_tables_that_stay_are_not_left_to_a_worker_of_the_version_before(database: str) -> None:
    opened = Database(database)
    await before_the_upgrade(opened, "CREATE TABLE invoices (id bigint)")
    with pytest.raises(Conflict, match="Stop those workers"):
        await opened.open()
    async with opened.write() as connection:
        await connection.execute(text(SILENT))
    assert await opened.open() == "0024"
    await opened.close()


@pytest.mark.slow
async def test_ten_times_as_many_of_one_organization_do_not_starve_another(
    database: str, tmp_path: Path
) -> None:
    async with shared_services(database, tmp_path) as fleet:
        workflow = await fleet.api.create({"type": "Wait", "data": {"durationMs": 50}})
        many = [await fleet.api.start(workflow) for _ in range(40)]
        worker = await fleet.worker()
        found = await worker.stores.executions.find_in_any_organization(many[0])
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


async def test_an_execution_whose_worker_did_not_receive_it_is_queued_again(opened: Database) -> None:
    stores = Stores(opened)
    known, unheard = await taken(stores, execution(), execution())
    assert await stores.shared_queue.return_unknown("worker_1", [known]) == [unheard]
    assert await taken(stores) == [unheard]


async def test_only_executions_of_silent_and_removed_workers_are_stalled(opened: Database) -> None:
    stores = Stores(opened)
    queue = stores.shared_queue
    [lost] = await taken(stores, execution())
    assert await queue.stalled(30) == []
    await queue.remove_silent_workers(30)
    assert await queue.beat("worker_1")
    async with opened.write() as connection:
        await connection.execute(text("UPDATE workers SET beat_at = beat_at - 31000"))
    assert [item.execution_id for item in await queue.stalled(30)] == [lost]
    assert await queue.count_workers(30) == 0
    await queue.remove_silent_workers(30)
    assert not await queue.beat("worker_1")
    assert [item.execution_id for item in await queue.stalled(30)] == [lost]


async def test_an_end_makes_room_only_where_something_waited_for_it(opened: Database) -> None:
    stores = Stores(opened)
    plain, with_login, limited = (
        execution(),
        execution(exclusive_logins=["login_1"]),
        execution(batch_id="batch_1", batch_concurrency=1),
    )
    room: list[bool] = []
    for item in (plain, with_login, limited):
        assert await taken(stores, item) == [item.id]
        await stores.executions.claim(item.id, at=1)
        room.append(await stores.shared_queue.end("worker_1", item.id))
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
        assert (
            sum("RECURSIVE lanes" in item for item in statements) / len(rows) < 1.3
        )  # hardly one finds nothing
        assert len(statements) / len(rows) < 14, Counter(item[:60] for item in statements).most_common(12)

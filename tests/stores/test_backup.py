"""A backup of either database restored into either: every row comes back, derived tables are filled."""

from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from sqlalchemy import URL, func, make_url, select

from pagehand.clock import now_ms
from pagehand.engine.schedules.cron import skip_restored
from pagehand.errors import Conflict, UserMistake
from pagehand.records import (
    ApiKey,
    Batch,
    Delivery,
    Execution,
    Owner,
    SavedSession,
    Schedule,
    Status,
    Workflow,
)
from pagehand.storage import Database, Stores, backup, tables
from pagehand.storage.executions import ExecutionFilter
from pagehand.storage.migrations import HEAD
from pagehand.storage.restored import Settled, refuse_while_used, settle
from pagehand.storage.sqlite import make_file

pytestmark = pytest.mark.anyio
Lines = dict[str, list[bytes]]


def written(url: URL) -> Lines:
    with backup.snapshot(url) as connection:
        return {table.name: [*backup.rows_of(connection, table)] for table in backup.tables_of(connection)}


def restored(url: URL, lines: Lines, revision: str = HEAD) -> Settled:
    with backup.empty_database(url) as connection:
        for name, table in backup.prepare(connection, revision).items():
            backup.restore_rows(connection, table, lines[name])
        backup.finish_restore(connection)
        return settle(connection, skip_restored)


@pytest.fixture(params=["sqlite", "postgres"])
def target(
    request: pytest.FixtureRequest, tmp_path: Path, new_postgres: Callable[[], Generator[str]]
) -> Generator[URL]:
    """An empty database to restore into."""
    if request.param == "sqlite":
        path = tmp_path / "restored" / "pagehand.db"
        make_file(path)
        yield make_url(f"sqlite+aiosqlite:///{path}")
        return
    for url in new_postgres():
        yield make_url(url)


async def test_rows_come_back_the_same_and_are_found_counted_and_continued(
    stores: Stores, database_url: str, target: URL, make_execution: Callable[..., Execution]
) -> None:
    owner = await stores.organizations.ensure("Acme Köln")
    key = ApiKey(
        id="key_1", organization_id=owner.id, name=None, digest=b"\0\xff", scopes=["run"], created_at=now_ms()
    )
    await stores.keys.add(key)
    done = make_execution(
        organization_id=owner.id, name="ACME-17", params={"n": 1.0, "text": "Zürich"}, status=Status.COMPLETED
    )
    watched = "https://before.example/live?t=x"
    begun = make_execution(organization_id=owner.id, status=Status.IN_PROGRESS, live_view_url=watched)
    for execution in (done, begun):
        await stores.executions.add(execution)

    lines = written(make_url(database_url))
    assert restored(target, lines).executions == 1

    copied = {name: found for name, found in written(target).items() if name != "executions"}
    assert copied == {name: found for name, found in lines.items() if name != "executions"}
    opened = Database(target.render_as_string(hide_password=False))
    await opened.open()
    try:
        stores = Stores(opened)
        back = await stores.executions.get(owner.id, done.id)
        assert back is not None
        assert (back.params, back.status, back.name) == (done.params, Status.COMPLETED, "ACME-17")
        found = await stores.executions.list(owner.id, ExecutionFilter(search=["zürich"]))
        assert ([execution.id for execution in found.items], found.total) == ([done.id], 1)
        ended = await stores.executions.get(owner.id, begun.id)
        assert ended is not None
        assert ended.status is Status.FAILED
        assert ended.failure is not None
        assert "retry it" in ended.failure.message
        assert ended.live_view_url is None
        failed = await stores.executions.list(owner.id, ExecutionFilter(status=Status.FAILED))
        assert failed.total == 1
        await stores.executions.add(make_execution(organization_id=owner.id))
        async with opened.read() as connection:
            numbers = list(await connection.scalars(select(tables.executions.c.n).order_by("n")))
        assert numbers == sorted(set(numbers))
        assert len(numbers) == 3
    finally:
        await opened.close()


async def test_a_database_that_holds_something_is_left_alone(stores: Stores, database_url: str) -> None:
    await stores.organizations.ensure("Acme")
    lines = written(make_url(database_url))
    with pytest.raises(Conflict, match="already holds organizations"):
        restored(make_url(database_url), lines)
    assert written(make_url(database_url)) == lines


@pytest.mark.slow
async def test_a_restore_that_fails_leaves_nothing_behind(
    stores: Stores, database_url: str, target: URL
) -> None:
    await stores.organizations.ensure("Acme")
    lines = written(make_url(database_url))
    lines["workflows"].append(b"[1]")  # a row that was cut off
    with pytest.raises(ValueError, match="shorter"):
        restored(target, lines)
    with backup.empty_database(target) as connection:
        backup.prepare(connection, HEAD)
        assert connection.execute(select(func.count()).select_from(tables.organizations)).scalar() == 0


async def test_a_backup_of_an_older_version_is_brought_up_to_date(target: URL) -> None:
    with backup.empty_database(target) as connection:
        old = {table.name: table for table in backup.prepare(connection, "0005").values()}
        connection.execute(old["organizations"].insert(), {"id": "org_1", "name": "Old", "created_at": 1})
        lines = {name: [*backup.rows_of(connection, table)] for name, table in old.items()}
        connection.rollback()
        assert "schedules" not in lines
    restored(target, lines, "0005")
    opened = Database(target.render_as_string(hide_password=False))
    assert await opened.open() == HEAD
    assert (await Stores(opened).organizations.ensure("Old")).id == "org_1"
    await opened.close()


async def test_a_backup_of_a_newer_version_is_refused(target: URL) -> None:
    with pytest.raises(UserMistake, match="newer Pagehand"):
        restored(target, {}, "9999")


async def test_backup_of_nothing_is_refused_with_a_sentence(tmp_path: Path) -> None:
    missing = make_url(f"sqlite+aiosqlite:///{tmp_path / 'none.db'}")
    with pytest.raises(UserMistake, match="there is no database"), backup.snapshot(missing):
        pass
    assert not (tmp_path / "none.db").exists()


async def test_nothing_that_waited_is_done_after_a_restore(
    stores: Stores,
    database_url: str,
    target: URL,
    make_execution: Callable[..., Execution],
) -> None:
    owner = await stores.organizations.ensure("Acme")
    key = ApiKey(
        id="key_1", organization_id=owner.id, name="old", digest=b"x", scopes=["run"], created_at=now_ms()
    )
    await stores.keys.add(key)
    workflow = Workflow(
        id="wf_1", organization_id=owner.id, name="W", version=1, blocks=[], created_at=1, updated_at=1
    )
    await stores.workflows.add(workflow, [])
    batch = Batch(
        id="batch_1",
        organization_id=owner.id,
        name="B",
        workflow_id="wf_1",
        workflow_name="W",
        total=1,
        created_at=1,
    )
    await stores.batches.add(batch, [make_execution(organization_id=owner.id, batch_id=batch.id)])
    schedule = Schedule(
        id="schedule_1",
        organization_id=owner.id,
        workflow_id="wf_1",
        cron="* * * * *",
        time_zone="UTC",
        params={},
        catch_up="all",
        next_at=now_ms() - 600_000,
    )
    await stores.schedules.add(schedule)
    delivery = Delivery(
        id="delivery_1",
        organization_id=owner.id,
        webhook_id="webhook_1",
        message_id="msg_1",
        event="execution.completed",
        body="{}",
        created_at=1,
        next_at=1,
    )
    await stores.deliveries.add([delivery])
    session = SavedSession(
        login_id="login_1",
        organization_id=owner.id,
        generation="g",
        login_version=1,
        sealed=b"x",
        saved_at=1,
    )
    await stores.login_states.put_session(session)

    settled = restored(target, written(make_url(database_url)))
    assert (settled.executions, settled.schedules, settled.deliveries) == (1, 1, 1)
    assert settled.keys == ["Acme: key_1 (old)"]
    opened = Database(target.render_as_string(hide_password=False))
    await opened.open()
    try:
        reopened = Stores(opened)
        assert await (await reopened.schedules.due(now_ms())).all() == []
        runs, _ = await reopened.schedules.runs(owner.id, schedule.id, 10, 0)
        assert [run.outcome for run in runs] == ["missed"]
        taken = await reopened.deliveries.take(now=now_ms(), until=now_ms(), busy=[], per_webhook=4, limit=4)
        assert taken == []
        kept = await reopened.deliveries.get(owner.id, "webhook_1", "delivery_1")
        assert kept is not None
        assert kept.status == "unsent"
        assert await reopened.login_states.session(owner.id, "login_1") is None
        found = await reopened.batches.get(owner.id, batch.id)
        assert found is not None
        assert found.announced_at is not None
    finally:
        await opened.close()


async def test_a_database_in_use_is_not_settled(stores: Stores, database_url: str) -> None:
    owner = Owner(token="t", installation="i", description="d")
    await stores.owner.take(owner, None)
    with (
        backup.existing_database(make_url(database_url)) as connection,
        pytest.raises(Conflict, match="stop it"),
    ):
        refuse_while_used(connection)

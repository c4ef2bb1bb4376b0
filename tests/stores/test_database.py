"""Opening, migrating, writing from many sides at once, and a database that is not there."""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, column, table, text, update

from pagehand.errors import Unavailable
from pagehand.storage import Database, ExecutionFilter, Stores, migrations, sqlite
from pagehand.storage.tables import metadata
from support.postgres import execute_statement

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio

OUTSIDE_METADATA = ("execution_trigrams", "execution_count_changes", "execution_counts_empty")


def is_ours(name: str | None, *_rest: object) -> bool:
    return not (name or "").startswith(OUTSIDE_METADATA)


async def test_migrations_make_the_tables_the_code_declares(database: Database) -> None:
    def differences(connection: Connection) -> list[Any]:
        context = MigrationContext.configure(
            connection,
            opts={
                "compare_type": False,
                "include_name": is_ours,
            },
        )
        return compare_metadata(context, metadata)

    async with database.read() as connection:
        assert await connection.run_sync(differences) == []


async def test_sqlite_has_large_columns_behind_all_others(tmp_path: Path) -> None:
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'pagehand.db'}")
    await database.open()
    async with database.read() as connection:
        rows = (await connection.execute(text("PRAGMA table_info(executions)"))).all()
    await database.close()
    names = [row.name for row in rows]
    # SQLite walks through megabytes of them to reach a column that comes later
    assert set(names[-5:]) == {"params", "secret_params", "start_block", "response", "context"}


def test_the_steps_are_numbered_without_a_gap_and_in_order() -> None:
    assert list(migrations.STEPS) == [f"{number:04}" for number in range(1, int(migrations.HEAD) + 1)]


async def test_opening_again_keeps_what_is_there(empty_url: str, make_execution: MakeExecution) -> None:
    for expected in (1, 2):
        database = Database(empty_url)
        await database.open()
        stores = Stores(database)
        await stores.executions.add(make_execution())
        assert (await stores.executions.list("org_a", ExecutionFilter())).total == expected
        await database.close()


async def test_two_may_open_a_new_database_at_once(empty_url: str) -> None:
    databases = [Database(empty_url) for _ in range(3)]
    await asyncio.gather(*(database.open() for database in databases))
    for database in databases:
        assert await Stores(database).organizations.get("none") is None
        await database.close()


@pytest.mark.slow
def test_several_may_make_the_sqlite_file_at_once(tmp_path: Path) -> None:
    start = Barrier(4)

    def make(number: int) -> None:
        start.wait(30)
        sqlite.make_file(tmp_path / f"{number}.db")

    with ThreadPoolExecutor(4) as hands:
        for number in range(150):
            for making in [hands.submit(make, number) for _ in range(4)]:
                making.result(30)


async def test_many_writers_at_once_queue_up(stores: Stores, make_execution: MakeExecution) -> None:
    sent = [make_execution() for _ in range(150)]

    async def live(number: int) -> None:
        await stores.executions.add(sent[number])
        claimed = await stores.executions.claim(sent[number].id, at=1)
        assert claimed is not None
        assert await stores.executions.update(sent[number].id, claimed.fence, session_id="s")

    await asyncio.gather(*(live(number) for number in range(150)))
    assert (await stores.executions.list("org_a", ExecutionFilter())).total == 150


@pytest.mark.slow
async def test_another_process_may_write_meanwhile(
    stores: Stores, database_url: str, make_execution: MakeExecution
) -> None:
    program = (
        "import asyncio, sys\n"
        "from pagehand.storage import Database, Stores\n"
        "async def main():\n"
        "    database = Database(sys.argv[1])\n"
        "    await database.open()\n"
        "    for k in range(20):\n"
        "        await Stores(database).organizations.ensure(f'organization {k}')\n"
        "    await database.close()\n"
        "asyncio.run(main())\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, database_url)
    try:
        while process.returncode is None:
            await stores.executions.add(make_execution())
            await asyncio.sleep(0.001)
    finally:
        assert await process.wait() == 0
    assert (await stores.organizations.ensure("organization 19")).created_at > 0


async def test_a_cancelled_write_leaves_the_database_usable(
    stores: Stores, make_execution: MakeExecution
) -> None:
    for delay in (0.0, 0.0005, 0.001, 0.002, 0.004):
        writing = asyncio.create_task(stores.executions.add(make_execution()))
        await asyncio.sleep(delay)
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
    await asyncio.wait_for(stores.executions.add(make_execution()), 10)
    page = await stores.executions.list("org_a", ExecutionFilter())
    assert page.total == len(page.items)


async def test_an_unreachable_postgres_is_unavailable() -> None:
    database = Database("postgresql+psycopg://nobody@127.0.0.1:1/none")
    with pytest.raises(Unavailable, match="database"):
        await database.open()
    await database.close()


async def test_an_unreachable_sqlite_file_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'taken'}")
    with pytest.raises(Unavailable, match="database"):
        await database.open()
    await database.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["postgres"])
async def test_a_process_that_stands_still_in_a_transaction_keeps_nobody_out(
    database: Database, make_execution: MakeExecution, monkeypatch: pytest.MonkeyPatch
) -> None:
    execution = await Stores(database).executions.add(make_execution())
    monkeypatch.setattr("pagehand.storage.database._IDLE_SECONDS", 1)
    frozen = Database(str(database.url.render_as_string(hide_password=False)))
    row = table("executions", column("id"), column("name"))
    change = update(row).where(row.c.id == execution.id)

    async def stand_still() -> None:
        async with frozen.write() as connection:
            await connection.execute(change.values(name="half done"))
            async with asyncio.timeout(10), database.write() as other:
                await other.execute(change.values(name="taken over"))
            await connection.execute(change.values(name="done"))

    with pytest.raises(Unavailable):
        await stand_still()
    found = await Stores(database).executions.find_in_any_organization(execution.id)
    assert found is not None
    assert found.name == "taken over"
    async with Stores(frozen).retention.turn() as is_ours:
        await asyncio.sleep(2)
        assert is_ours
    await frozen.close()


async def test_a_database_that_stores_nothing_says_why_until_it_does(
    stores: Stores, database: Database, make_execution: MakeExecution, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = make_execution(params={"text": "x" * 1_000_000})
    await _refuse_writes(database, is_refused=True)
    with pytest.raises(Unavailable, match=r"is full|read-only") as refusal:
        await stores.executions.add(large)
    assert database.problem == refusal.value.message
    assert (await stores.executions.list("org_a", ExecutionFilter())).total == 0
    await _refuse_writes(database, is_refused=False)
    await stores.executions.add(large)
    assert database.problem
    monkeypatch.setattr("pagehand.storage.database._PROBLEM_SECONDS", 0)
    await stores.executions.add(make_execution())
    assert database.problem == ""


async def _refuse_writes(database: Database, *, is_refused: bool) -> None:
    """Fill the disk of SQLite; make PostgreSQL read-only, as hosts do when a disk is nearly full."""
    if database.is_sqlite:
        pages = 1 if is_refused else 1_000_000
        await database.commit(lambda writer: writer.exec_driver_sql(f"PRAGMA max_page_count = {pages}"))
        return
    server = database.url.set(drivername="postgresql", database="postgres").render_as_string(
        hide_password=False
    )
    name = database.url.database
    word = "on" if is_refused else "off"
    execute_statement(server, f"ALTER DATABASE {name} SET default_transaction_read_only = {word}")
    cut = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"  # noqa: S608 - our own name
    execute_statement(server, cut)
    for use in (database.now, lambda: database.execute(update(table("executions", column("n"))).values(n=0))):
        with suppress(Unavailable):  # its connection was cut; the next one is new
            await use()

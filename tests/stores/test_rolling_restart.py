"""Tables only gain from one step to the next, so that an older version works beside a newer one."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, inspect, text

from pagehand.storage import Database, Stores, migrations, sqlite

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio

STEPS = sorted(
    path.name[:4]
    for path in (Path(migrations.__file__).parent / "versions").glob("0*.py")
    if re.match(r"\d{4}_", path.name)
)
LAST_BEFORE_THE_PROMISE = "0008"
Columns = dict[tuple[str, str], dict[str, Any]]


def columns_of(connection: Connection) -> Columns:
    """Every column of every table."""
    found = inspect(connection)
    return {
        (table, item["name"]): dict(item)
        for table in found.get_table_names()
        for item in found.get_columns(table)
    }


def demands_a_value(column: dict[str, Any]) -> bool:
    """Whether a row cannot be written by somebody who does not know the column."""
    return not column["nullable"] and column["default"] is None and column.get("autoincrement") is not True


@pytest.mark.parametrize("step", [step for step in STEPS if step > LAST_BEFORE_THE_PROMISE])
async def test_a_step_takes_nothing_away_and_demands_nothing_new(empty_url: str, step: str) -> None:
    database = Database(empty_url)
    if database.is_sqlite and database.url.database:
        await asyncio.to_thread(sqlite.make_file, Path(database.url.database))
    async with database.write() as connection:
        await connection.run_sync(migrations.migrate, STEPS[STEPS.index(step) - 1])
        before = await connection.run_sync(columns_of)
        await connection.run_sync(migrations.migrate, step)
        after = await connection.run_sync(columns_of)
    await database.close()
    assert before.keys() <= after.keys()
    tightened = [key for key in before if before[key]["nullable"] and not after[key]["nullable"]]
    assert tightened == []
    old_tables = {table for table, _ in before}
    added = [key for key in after.keys() - before.keys() if key[0] in old_tables]
    assert [key for key in added if demands_a_value(after[key])] == []


async def test_a_version_starts_beside_tables_of_a_later_one(
    database_url: str, make_execution: MakeExecution
) -> None:
    later = Database(database_url)
    await later.open()
    async with later.write() as connection:
        await connection.execute(text("ALTER TABLE executions ADD COLUMN of_a_later_version TEXT"))
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    await later.close()
    database = Database(database_url)
    assert await database.open() == "9999"
    execution = make_execution()
    stores = Stores(database)
    await stores.executions.add(execution)
    assert await stores.executions.get("org_a", execution.id) == execution
    await database.close()

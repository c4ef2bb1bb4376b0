"""Tables only gain from one step to the next, so that an older version works beside a newer one."""

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import Column, Connection, MetaData, inspect, select, text

from pagehand.records import Json
from pagehand.storage import Database, Stores, migrations, sqlite, tables
from pagehand.storage.columns import JsonStructList, JsonText, StatusText

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio

STEPS = list(migrations.STEPS)
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


async def test_rows_of_every_table_survive_every_step_and_can_be_read(empty_url: str) -> None:
    database = Database(empty_url)
    if database.is_sqlite and database.url.database:
        await asyncio.to_thread(sqlite.make_file, Path(database.url.database))
    written: dict[str, Json] = {}
    for step in STEPS:
        async with database.write() as connection:
            await connection.run_sync(migrations.migrate, step)
            await connection.run_sync(fill_new_tables, written)
    async with database.read() as connection:
        for table in tables.metadata.sorted_tables:
            rows = [dict(row) for row in (await connection.execute(select(table))).mappings()]
            assert any(written[table.name].items() <= row.items() for row in rows), table.name
    await database.close()
    assert await database.open() == migrations.HEAD
    await database.close()


def fill_new_tables(connection: Connection, written: dict[str, Json]) -> None:
    """Write a row into every table that is new; what it reads as is added to `written`."""
    found = MetaData()
    found.reflect(connection, only=lambda name, _: name in tables.metadata.tables and name not in written)
    for reflected in found.sorted_tables:
        if reflected.name in written:  # one that a new table refers to
            continue
        known = tables.metadata.tables[reflected.name].c
        required = [column for column in reflected.columns if not column.nullable]
        row = {column.name: some_value(known.get(column.name, column)) for column in required}
        connection.execute(reflected.insert().values({name: as_stored(row[name]) for name in row}))
        written[reflected.name] = {name: value for name, value in row.items() if name in known}


def some_value(column: Column[Any]) -> Any:
    """A value that the column can hold."""
    if isinstance(column.type, JsonStructList):
        return []
    if isinstance(column.type, JsonText):
        return {"a": 1}
    if isinstance(column.type, StatusText):
        return "Completed"
    return {bool: False, int: 1, bytes: b"x"}.get(column.type.python_type, "x")


def as_stored(value: Any) -> Any:
    """A value as the column has it."""
    return orjson.dumps(value).decode() if isinstance(value, dict | list) else value

"""What is old goes whole, what is not stays, on both databases and in the file store."""

import asyncio
import json
import random
import re
from base64 import b85encode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, text

from pagehand.clock import now_ms
from pagehand.errors import NotFound
from pagehand.files import LocalFiles
from pagehand.files.retention import Retention
from pagehand.records import Event, Execution, FileInfo
from pagehand.storage import Database, ExecutionFilter, Stores
from pagehand.storage.retention import OldExecution
from support.ending import final_state
from support.waiting import until

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio

DAY = 86_400_000
_INSERT_TEXTS = text("""
    INSERT INTO execution_search (n, organization_id, text, is_long)
    SELECT key, 'org_a', value, 0 FROM json_each(:texts)
""")
_LARGE_BUFFER = text(
    "INSERT INTO execution_trigrams (execution_trigrams, rank) VALUES ('hashsize', 100000000)"
)


@pytest.fixture
def files(tmp_path: Path) -> LocalFiles:
    return LocalFiles(tmp_path / "files")


async def finished(stores: Stores, files: LocalFiles, execution: Execution, end_time: int) -> list[str]:
    """Run an execution to its end, with an event, a picture and a file; the keys of the latter."""
    await stores.executions.add(execution, (f"key of {execution.id}", b"digest"))
    keys = [f"org_a/{execution.id}/{name}" for name in ("shot.jpg", f"file_{execution.id}")]
    for key in keys:
        await files.put(key, b"bytes")
    await stores.events.add(
        [
            Event(
                execution_id=execution.id,
                seq=1,
                at=1,
                type="block.finished",
                message="m",
                screenshot_key=keys[0],
            )
        ]
    )
    info = FileInfo(f"file_{execution.id}", "org_a", execution.id, "f", "text/plain", 5, keys[1], 1)
    await stores.files.add(info)
    await stores.executions.finish(
        final_state(execution.id, end_time=end_time),
        None,
    )
    return keys


async def is_there(files: LocalFiles, key: str) -> bool:
    try:
        return bool(await files.read(key))
    except NotFound:
        return False


async def total(stores: Stores, **fields: Any) -> int:
    return (await stores.executions.list("org_a", ExecutionFilter(**fields))).total


async def test_old_executions_go_with_everything_and_new_ones_stay(
    stores: Stores, files: LocalFiles, make_execution: MakeExecution
) -> None:
    now = now_ms()
    old, new = now - 10 * DAY, now - DAY
    gone = make_execution(accepted_at=old, params={"who": "zebra crossing"})
    kept = make_execution(accepted_at=new, params={"who": "zebra rest"})
    running = make_execution(accepted_at=old, params={"who": "zebra awake"})
    gone_keys = await finished(stores, files, gone, old)
    kept_keys = await finished(stores, files, kept, new)
    await stores.executions.add(running)
    retention = Retention(stores.retention, stores.deliveries, files, 5)
    assert await retention.sweep(5) == 1
    assert [await is_there(files, key) for key in gone_keys + kept_keys] == [False, False, True, True]
    assert await stores.executions.find_in_any_organization(gone.id) is None
    assert await stores.executions.find_in_any_organization(kept.id) is not None
    assert await total(stores) == await total(stores, search=["zebra"]) == 2
    assert await total(stores, search=["crossing"]) == 0
    assert await stores.events.last_seq(gone.id) == 0
    assert (await stores.files.list("org_a", execution_id=gone.id, limit=5, offset=0))[1] == 0
    assert await retention.sweep(5) == 0


async def test_bytes_that_nothing_leads_to_go_with_their_execution(
    stores: Stores, files: LocalFiles, make_execution: MakeExecution
) -> None:
    old = make_execution(accepted_at=1)
    await finished(stores, files, old, 2)
    left = f"org_a/{old.id}/page_1.json"  # its process died before it had written the event
    await files.put(left, b"bytes")
    await Retention(stores.retention, stores.deliveries, files, 5).sweep(5)
    assert not await is_there(files, left)


async def test_a_number_that_is_given_again_finds_the_new_execution_alone(
    stores: Stores, files: LocalFiles, make_execution: MakeExecution
) -> None:
    """SQLite may number the next execution like a deleted one."""
    old = make_execution(accepted_at=1, params={"who": "crossing"})
    await finished(stores, files, old, 2)
    await Retention(stores.retention, stores.deliveries, files, 5).sweep(5)
    await stores.executions.add(make_execution(params={"who": "resting"}))
    assert await total(stores, search=["crossing"]) == 0
    assert await total(stores, search=["resting"]) == 1


async def test_old_uploads_go_and_new_ones_stay(stores: Stores, files: LocalFiles) -> None:
    now = now_ms()
    old = FileInfo("file_1", "org_a", None, "f", "text/plain", 5, "org_a/uploads/file_1", now - 10 * DAY)
    new = replace(old, id="file_2", key="org_a/uploads/file_2", created_at=now)
    for info in (old, new):
        await stores.files.add(info)
        await files.put(info.key, b"bytes")
    assert await stores.files.total_bytes("org_a") == 10
    assert await Retention(stores.retention, stores.deliveries, files, 5).sweep(5) == 1
    assert (await is_there(files, old.key), await is_there(files, new.key)) == (False, True)
    assert await stores.files.total_bytes("org_a") == 5


async def test_no_statement_of_the_clean_up_reads_a_whole_table(
    database: Database, files: LocalFiles, make_execution: MakeExecution
) -> None:
    """With a million rows in each table, a scan for every few executions would keep all writers waiting."""
    stores = Stores(database)
    for organization in ("org_a", "org_b", "org_b"):
        await finished(stores, files, make_execution(accepted_at=1, organization_id=organization), 2)
    await stores.files.add(FileInfo("file_1", "org_a", None, "f", "text/plain", 5, "org_a/uploads/1", 1))
    async with statements() as made:
        await Retention(stores.retention, stores.deliveries, files, 5).sweep(5)
    assert len(made) >= 10
    for statement, values in made:
        plan = await explained(database, statement, values)
        assert not re.search(_WHOLE_TABLE, plan), (statement, plan)


_WHOLE_TABLE = r"Seq Scan|SCAN (?!\d+ CONSTANT ROW|CONSTANT ROW)"


@asynccontextmanager
async def statements() -> AsyncGenerator[list[tuple[str, Any]]]:
    """What is sent to the database to read or delete, with its values."""
    made: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, values: Any, *_rest: object) -> None:
        if statement.lstrip().startswith(("SELECT", "DELETE", "INSERT")):
            made.append((statement, values))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield made
    finally:
        event.remove(Engine, "before_cursor_execute", note)


async def explained(database: Database, statement: str, values: Any) -> str:
    """The plan of a statement; PostgreSQL's for tables too large to be read as a whole."""
    explain = "EXPLAIN QUERY PLAN" if database.is_sqlite else "EXPLAIN"
    async with database.write() as connection:
        if not database.is_sqlite:
            await connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        rows = (await connection.exec_driver_sql(f"{explain} {statement}", values)).all()
    return "\n".join(str(row[-1]) for row in rows)


async def test_nothing_is_swept_unless_asked_for(stores: Stores, files: LocalFiles) -> None:
    retention = Retention(stores.retention, stores.deliveries, files, None)
    retention.start()
    assert "retention" not in {task.get_name() for task in asyncio.all_tasks()}
    await retention.stop()


async def test_it_sweeps_by_itself_while_it_runs(
    stores: Stores, files: LocalFiles, make_execution: MakeExecution
) -> None:
    execution = make_execution(accepted_at=1)
    await finished(stores, files, execution, 2)
    retention = Retention(stores.retention, stores.deliveries, files, 1)
    retention.start()

    async def is_gone() -> bool:
        return await stores.executions.find_in_any_organization(execution.id) is None

    await until(is_gone)
    await retention.stop()


@pytest.mark.slow
async def test_no_transaction_rewrites_the_search_index(stores: Stores, database: Database) -> None:
    if not database.is_sqlite:
        pytest.skip("PostgreSQL's index has no segments")
    chance = random.Random(7)  # noqa: S311 - any texts
    old = [OldExecution(number, "org_a", f"exec_{number}") for number in range(5_000)]
    texts = json.dumps([b85encode(chance.randbytes(40)).decode() for _ in old])

    def make_one_segment(connection: Connection) -> None:
        connection.execute(_LARGE_BUFFER)
        connection.execute(_INSERT_TEXTS, {"texts": texts})

    await database.commit(make_one_segment)
    before, most = await _pages(database), 0
    total = sum(before.values())
    for start in range(0, 90, 5):
        await stores.retention.delete_executions(old[start : start + 5])
        after = await _pages(database)
        most = max(most, *(pages - before.get(segment, 0) for segment, pages in after.items()))
        before = after
    assert most < total / 2


async def _pages(database: Database) -> dict[int, int]:
    """How many pages each segment of the search index has."""
    pages = (
        "SELECT id >> 37 AS segment, count(*) AS pages FROM execution_trigrams_data WHERE id > 10 GROUP BY 1"
    )
    return {row["segment"]: row["pages"] for row in await database.all(text(pages))}

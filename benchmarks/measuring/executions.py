"""Very many executions, written past the store: the same rows in a fraction of the time.

Indexes and SQLite's triggers wait until the rows are in; `check` then holds what came of it against the
store's own way of writing and against a plain reading of the tables.
"""

import random
import sqlite3
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.records import Execution
from pagehand.storage import Database, ExecutionFilter, Stores
from pagehand.storage.counts import HOUR_MS, fold_counts
from pagehand.storage.execution_rows import encode_execution
from pagehand.storage.search_index import search_row, trigram_hash, trigram_hashes

ORGANIZATION = "org_bench"
DAYS = 90
WAITING = 50  # the newest have not begun
CITIES = ["Lisbon", "Porto", "Oslo", "Vienna", "Graz", "Ghent", "Turin", "Lyon", "Malmö", "Kraków"]
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
PAIRS = [a + b for a in ALPHABET for b in ALPHABET]
MARK = "\x1f"  # separates the pieces of a text

# What differs from one execution to the next; all other columns are as `_constants` says.
FIELDS = [
    "n", "id", "workflow_id", "login_id", "batch_id", "status", "is_test", "accepted_at", "start_time",
    "deadline_at", "queued_at", "browser_session_id", "params", "params_bytes",
    "metadata", "end_time",
]  # fmt: skip
Row = tuple[Any, ...]


class Made:
    """One execution: the values of FIELDS, and its text in the parts that its trigrams are made of."""

    __slots__ = ("parts", "row")

    def __init__(self, row: Row, parts: tuple[str, str, str, str]) -> None:
        self.row = row
        self.parts = parts

    @property
    def text(self) -> str:
        """What `search_row` would make of it."""
        first, second, third, fourth = self.parts
        return f"{first}{MARK}{second}{third}{MARK}{fourth}"


def make_executions(rows: int, end_ms: int) -> Iterator[Made]:
    """Executions of 90 days in the order they were accepted."""
    chance = random.Random(7)
    pick, some = chance.choices, chance.random
    step = DAYS * 86_400_000 / rows
    for i in range(rows):
        accepted = int(end_ms - (rows - i) * step)
        id_ = f"exec_{accepted:010x}{''.join(pick(PAIRS, k=8))}"
        customer, city, amount = int(some() * 200_000), CITIES[int(some() * 10)], int(some() * 1000) / 2
        express = "true" if some() < 0.2 else "false"
        status = "Enqueued" if rows - i <= WAITING else "Failed" if some() < 0.1 else "Completed"
        params = (
            f'{{"customer":"Customer {customer}","orderNumber":"PO-{i:07d}","city":"{city}",'
            f'"amount":{amount},"express":{express}}}'
        )
        row = (
            i + 1,
            id_,
            f"wf_{int(some() * 50):02d}",
            f"login_{int(some() * 20):02d}",
            f"batch_{int(some() * 200):03d}",
            status,
            some() < 0.05,
            accepted,
            accepted + int(some() * 20_000),
            accepted + 10_800_000,
            accepted,
            f"bs_{i:012d}",
            params,
            len(params),
            f'{{"acceptedAt":{accepted}}}',
            None if status == "Enqueued" else accepted + 30_000,
        )
        yield Made(
            row,
            (
                id_ + MARK,  # the name is empty
                f"customer{MARK}customer {customer}{MARK}ordernumber{MARK}po-",
                f"{i:07d}",
                f"city{MARK}{city.lower()}{MARK}amount{MARK}{amount}{MARK}express{MARK}{express}",
            ),
        )


def _in_parts(made: Iterator[Made], size: int = 20_000) -> Iterator[list[Made]]:
    while part := [item for _, item in zip(range(size), made, strict=False)]:
        yield part


def _constants() -> dict[str, Any]:
    """The columns that are alike in all rows."""
    example = Execution(
        id="",
        organization_id=ORGANIZATION,
        workflow_id="",
        workflow_name="Order entry",
        workflow_version=1,
        browser_session_id="",
        accepted_at=0,
        start_time=0,
        deadline_at=0,
        batch_name="Monthly",
    )
    return {name: value for name, value in encode_execution(example).items() if name not in FIELDS}


def seed_sqlite(path: Path, rows: int, end_ms: int) -> None:
    """Fill the tables of an opened database."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -400000")
    connection.execute("PRAGMA temp_store = MEMORY")
    dropped = connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('index', 'trigger')"
        " AND tbl_name IN ('executions', 'execution_search') ORDER BY type"
    ).fetchall()
    connection.execute("BEGIN")
    for kind, name, _ in dropped:
        connection.execute(f"DROP {kind} {name}")
    constants = _constants()
    insert = (
        f"INSERT INTO executions ({', '.join([*FIELDS, *constants])})"  # noqa: S608  (our own names, here and below)
        f" VALUES ({', '.join('?' * len(FIELDS))}, {', '.join(map(_literal, constants.values()))})"
    )
    counters = _Counters()
    for part in _in_parts(make_executions(rows, end_ms)):
        connection.executemany(insert, (made.row for made in part))
        for made in part:
            counters.count(made.row)
        connection.executemany(
            f"INSERT INTO execution_search VALUES (?, '{ORGANIZATION}', ?, 0)",  # noqa: S608  (as above)
            ((made.row[0], made.text) for made in part),
        )
    counters.write(connection)
    _fill_sqlite_trigrams(connection)
    for _, _, statement in dropped:
        connection.execute(statement)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    return str(int(value)) if isinstance(value, int) else f"'{value}'"


class _Counters:
    """What SQLite's triggers would have counted."""

    def __init__(self) -> None:
        self._counted: dict[tuple[str, str, str, bool], int] = {}
        self._newest: dict[tuple[str, str, str, bool], int] = {}

    def count(self, row: Row) -> None:
        """Count one execution."""
        n, _, workflow_id, login_id, batch_id, status, is_test, _, start_time, *_ = row
        for dimension, key in (
            ("workflow", workflow_id),
            ("login", login_id),
            ("workflow login", f"{workflow_id} {login_id}"),
            ("batch", batch_id),
            ("hour", f"{start_time // HOUR_MS:08d}"),
        ):
            cell = (dimension, key, status, is_test)
            self._counted[cell] = self._counted.get(cell, 0) + 1
            self._newest[cell] = n

    def write(self, connection: sqlite3.Connection) -> None:
        """Fill `execution_counts`."""
        connection.executemany(
            "INSERT INTO execution_counts (organization_id, dimension, key, status, is_test, count, newest)"  # noqa: S608  (as above)
            f" VALUES ('{ORGANIZATION}', ?, ?, ?, ?, ?, ?)",
            ((*cell, count, self._newest[cell]) for cell, count in self._counted.items()),
        )


def _fill_sqlite_trigrams(connection: sqlite3.Connection) -> None:
    # a large hash table: fewer segments to merge afterwards
    connection.execute(
        "INSERT INTO execution_trigrams (execution_trigrams, rank) VALUES ('hashsize', 67108864)"
    )
    connection.execute(
        "INSERT INTO execution_trigrams (rowid, text) SELECT n, text || char(31) FROM execution_search"
    )
    connection.execute(
        "INSERT INTO execution_trigrams (execution_trigrams, rank) VALUES ('hashsize', 1048576)"
    )


def seed_postgres(url: str, rows: int, end_ms: int) -> None:
    """The same with COPY; the triggers count whole parts at once, so they stay."""
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("SET maintenance_work_mem = '1GB'")
        connection.execute("SET synchronous_commit = off")
        # the unique index on ids stays: events refer to it
        dropped = connection.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE indexname LIKE 'executions\\_%'"
            " AND indexname NOT IN ('executions_pkey', 'executions_by_id')"
            " OR indexname = 'execution_trigrams_index'"
        ).fetchall()
        for name, _ in dropped:
            connection.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))
        constants = _constants()
        tail = "".join(f"\t{_copied(value)}" for value in constants.values()) + "\n"
        for part in _in_parts(make_executions(rows, end_ms)):
            names = [*FIELDS, *constants]
            _copy(
                connection, "executions", names, ("\t".join(map(_copied, made.row)) + tail for made in part)
            )
            texts = (f"{made.row[0]}\t{ORGANIZATION}\t{made.text}\tf\n" for made in part)
            _copy(connection, "execution_search", ["n", "organization_id", "text", "is_long"], texts)
            grams = (f"{made.row[0]}\t{{{_hashes(made)}}}\n" for made in part)
            _copy(connection, "execution_trigrams", ["n", "trigrams"], grams)
        connection.execute("SELECT setval(pg_get_serial_sequence('executions', 'n'), %s)", [rows])
        for _, statement in dropped:
            connection.execute(statement)


def _copied(value: Any) -> str:
    return "\\N" if value is None else str(value)


def _copy(connection: psycopg.Connection[Any], table: str, names: list[str], lines: Iterator[str]) -> None:
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, names))
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.write("".join(lines))


def _hashes(made: Made) -> str:
    """What `trigram_hashes` gives, as COPY writes it; some are there twice, which the index ignores."""
    first, second, third, fourth = made.parts
    return ",".join(
        (
            _ORGANIZATION_HASH,
            _hashes_of.__wrapped__(f"{first}{MARK}{second[0]}"),
            _hashes_of(f"{MARK}{second}"),
            _hashes_of.__wrapped__(f"{second[-2:]}{third}{MARK}{fourth[0]}"),
            _hashes_of(f"{MARK}{fourth}"),
        )
    )


@lru_cache(maxsize=1 << 18)
def _hashes_of(part: str) -> str:
    return ",".join([_hash_as_text(part[start : start + 3]) for start in range(len(part) - 2)])


@lru_cache(maxsize=1 << 18)
def _hash_as_text(gram: str) -> str:
    return str(trigram_hash(gram))


_ORGANIZATION_HASH = str(trigram_hash(ORGANIZATION))


_KEYS = {
    "workflow": "workflow_id",
    "login": "login_id",
    "workflow login": "workflow_id || ' ' || login_id",
    "batch": "batch_id",
}


async def check(database: Database, rows: int) -> None:
    """Raise AssertionError unless all is as if the store had written it."""
    stores = Stores(database)
    if not database.is_sqlite:
        await fold_counts(database)
    async with database.read() as connection:
        if not database.is_sqlite:
            await connection.execute(text("VACUUM ANALYZE"))
        for n in range(1, rows + 1, rows // 40):
            await _check_row(connection, stores, n)
        for dimension, key in _KEYS.items():
            await _check_counters(connection, dimension, key)
        for term in ("z7", "pri", "ghent", "customer 1777", "po-0000", "nowhere"):
            plain = text("SELECT count(*) FROM execution_search WHERE text LIKE :pattern")
            counted = (await connection.execute(plain, {"pattern": f"%{term}%"})).scalar()
            found = await stores.executions.list(ORGANIZATION, ExecutionFilter(search=[term]))
            while not found.is_total_exact:  # each search counts on
                found = await stores.executions.list(ORGANIZATION, ExecutionFilter(search=[term]))
            _hold(f"search for {term}", found.total, counted)


async def _check_row(connection: AsyncConnection, stores: Stores, n: int) -> None:
    stored = (
        (await connection.execute(text("SELECT * FROM executions WHERE n = :n"), {"n": n})).mappings().one()
    )
    execution = await stores.executions.get(ORGANIZATION, stored["id"])
    if execution is None:
        raise AssertionError(f"The store does not find execution {n}.")
    _hold(f"row {n}", encode_execution(execution) | {"n": n}, dict(stored))
    query = text("SELECT organization_id, text, is_long FROM execution_search WHERE n = :n")
    searchable = dict((await connection.execute(query, {"n": n})).mappings().one())
    _hold(f"text {n}", search_row(execution), searchable)
    if connection.dialect.name != "sqlite":
        query = text("SELECT trigrams FROM execution_trigrams WHERE n = :n")
        trigrams = (await connection.execute(query, {"n": n})).scalar_one()
        _hold(f"trigrams {n}", set(trigram_hashes(searchable)), set(trigrams))


async def _check_counters(connection: AsyncConnection, dimension: str, key: str) -> None:
    counted = text(
        "SELECT key, status, is_test, count, newest FROM execution_counts WHERE dimension = :dimension"
    )
    plain = text(f"SELECT {key}, status, is_test, count(*), max(n) FROM executions GROUP BY 1, 2, 3")  # noqa: S608  (as above)
    ours = (await connection.execute(counted, {"dimension": dimension})).all()
    _hold(f"counters by {dimension}", set(ours), set((await connection.execute(plain)).all()))


def _hold(name: str, ours: object, plain: object) -> None:
    if ours != plain:
        raise AssertionError(f"{name}: {ours!r:.500} is not {plain!r:.500}")

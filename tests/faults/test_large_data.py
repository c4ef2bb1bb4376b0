"""Many rows and large rows: lists, exports, archives, searches and clean-up keep nobody waiting.

The rows are written directly into the database: running so many executions would take an hour.
"""

import asyncio
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest
from sqlalchemy import text

from pagehand.clock import now_ms
from pagehand.ids import new_id
from pagehand.records import Batch, Execution
from pagehand.storage import Database, Stores
from support.health import Health, held_loop
from support.postgres import new_database
from support.service import Api, Json, RunningService

HEALTH_SECONDS = 0.3
GROWN_MB = 150
MANY = 20_000
LARGE = 16
"""More than `GROWN_MB` of responses together."""
_LARGE_RESPONSE = {f"part{number}": "x" * 4_500_000 for number in range(4)}
_NESTED_RESPONSE = {"rows": [{"id": n, "name": f"Name {n}", "price": n * 1.5} for n in range(250_000)]}
_FINISH = text("""
    UPDATE executions SET status = 'Completed', response = :response, end_time = accepted_at, duration_ms = 5,
      summary = '', error_analysis = '', context = '{}' WHERE batch_id = :batch_id
""")


@dataclass
class Stored:
    """A service, and the batches that were written before it started."""

    service: RunningService
    api: Api
    ids: dict[str, str]
    """Of the batches, and of an execution of each."""


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('large') / 'pagehand.db'}"
    else:
        with new_database(request.getfixturevalue("postgres_url")) as url:
            yield url


@pytest.fixture(scope="module")
def stored(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stored]:
    small = {"answer": "yes", "number": 5}
    many, large, nested = asyncio.run(
        _write(database, [(MANY, small), (LARGE, _LARGE_RESPONSE), (4, _NESTED_RESPONSE)])
    )
    service = _service(tmp_path_factory.mktemp("large") / "data", database)
    api = service.start().api()
    ids = {"many": many, "large": large, "nested": nested}
    for name, batch_id in list(ids.items()):
        found = api.call("/executions/list", {"batch": batch_id, "limit": 1})["executions"]
        ids[f"first of {name}"] = found[0]["id"]
    yield Stored(service, api, ids)
    service.stop()


def _service(folder: Path, database: str, **env: str) -> RunningService:
    return RunningService(folder, "--database", database, PAGEHAND_BROWSER_POOL="0", **env)


async def _write(url: str, batches: list[tuple[int, Json]]) -> list[str]:
    database = Database(url)
    await database.open()
    stores = Stores(database)
    owner = await stores.organizations.ensure("default")
    written: list[str] = []
    for rows, response in batches:
        batch = Batch(
            id=new_id("batch"),
            organization_id=owner.id,
            name="b",
            workflow_id="wf_1",
            workflow_name="W",
            total=rows,
            created_at=now_ms(),
        )
        await stores.batches.add(batch, [_execution(batch, number) for number in range(rows)])
        async with database.write() as connection:
            values = {"response": orjson.dumps(response).decode(), "batch_id": batch.id}
            await connection.execute(_FINISH, values)
        written.append(batch.id)
    await database.close()
    return written


def _execution(batch: Batch, number: int) -> Execution:
    return Execution(
        id=new_id("exec"),
        organization_id=batch.organization_id,
        workflow_id=batch.workflow_id,
        workflow_name=batch.workflow_name,
        workflow_version=1,
        browser_session_id=new_id("bs"),
        accepted_at=1_700_000_000_000 + number,
        start_time=1_700_000_000_000 + number,
        deadline_at=1_700_000_100_000,
        batch_id=batch.id,
        batch_name=batch.name,
        params={"number": number, "customer": f"Customer {number}"},
    )


@contextmanager
def answering(service: RunningService) -> Generator[None]:
    """Within, `/healthz` answers at once, nothing holds the event loop, and the memory hardly grows."""
    start = service.log.stat().st_size
    with Health(service, pause_seconds=0.01).watched() as health:
        yield
    held = held_loop(service.log.read_bytes()[start:])
    assert health.slowest <= HEALTH_SECONDS, held
    assert max((seconds for seconds, _ in held), default=0) <= HEALTH_SECONDS, held
    assert health.grown_mb <= GROWN_MB


def received(api: Api, path: str, fields: Json) -> int:
    """How many bytes the answer has; they are not kept."""
    with api.http.stream("POST", path, json=fields) as answer:
        assert answer.status_code == 200, answer.read()
        return sum(len(piece) for piece in answer.iter_raw())


def _long_term(number: int) -> str:
    """A term of 200 characters with few trigrams twice."""
    return "".join(chr(97 + (number * 7 + place * place) % 26) for place in range(200))


@pytest.mark.parametrize(
    ("path", "fields", "least_bytes"),
    [
        ("/executions/list", {"batch": "many", "limit": 1000}, 300_000),
        ("/executions/list", {"batch": "large", "limit": 1000}, 5_000),
        ("/executions/list", {"search": ["customer 1999", "zzz"]}, 3_000),
        ("/executions/list", {"search": [_long_term(number) for number in range(50)]}, 20),
        ("/executions/get", {"id": "first of large"}, 18_000_000),
        ("/executions/get", {"id": "first of nested"}, 10_000_000),
        ("/executions/evidence", {"id": "first of nested"}, 10_000),
        ("/batches/results", {"id": "many"}, 2_000_000),
        ("/batches/results", {"id": "large"}, LARGE * 18_000_000),
        ("/batches/results", {"id": "nested"}, 4 * 10_000_000),
        ("/batches/resultsZip", {"id": "many"}, 100_000),
        ("/batches/resultsZip", {"id": "large"}, 100_000),
        ("/batches/list", {}, 100),
        ("/statistics/get", {}, 100),
    ],
)
def test_large_answers_keep_nobody_waiting(stored: Stored, path: str, fields: Json, least_bytes: int) -> None:
    given = {name: stored.ids.get(str(value), value) for name, value in fields.items()}
    with answering(stored.service):
        assert received(stored.api, path, given) >= least_bytes


def test_clean_up_keeps_nobody_waiting(database: str, stored: Stored, tmp_path: Path) -> None:
    stored.service.stop()
    cleaning = _service(tmp_path / "data", database, PAGEHAND_KEEP_DAYS="1")
    api = cleaning.start().api()
    end = time.monotonic() + 120
    with answering(cleaning):
        while api.call("/executions/list", {"limit": 1})["total"] > MANY - 300:
            assert time.monotonic() < end, "the clean-up is not done"
            time.sleep(0.2)
    cleaning.stop()

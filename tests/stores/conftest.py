"""The same tests over SQLite and over a real PostgreSQL."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from pagehand.clock import now_ms
from pagehand.ids import new_id
from pagehand.records import Execution
from pagehand.storage import Database, Stores
from support.postgres import execute_statement, url_of

MakeExecution = Callable[..., Execution]


async def _migrate(url: str) -> None:
    database = Database(url)
    await database.open()
    await database.close()


@pytest.fixture(scope="session")
def postgres_template(postgres_url: str) -> Generator[str]:
    """The name of a migrated database to copy: much quicker than migrating for every test."""
    name = f"pagehand_{uuid4().hex}"
    execute_statement(postgres_url, f"CREATE DATABASE {name}")
    asyncio.run(_migrate(url_of(postgres_url, name)))
    yield name
    execute_statement(postgres_url, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated file to copy."""
    path = tmp_path_factory.mktemp("template") / "pagehand.db"
    asyncio.run(_migrate(f"sqlite+aiosqlite:///{path}"))
    return path


@pytest.fixture(params=["sqlite", "postgres"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def empty_url(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Generator[str]:
    """A database nobody has opened yet."""
    if kind == "sqlite":
        yield f"sqlite+aiosqlite:///{tmp_path / 'folder' / 'pagehand.db'}"
    else:
        yield from _postgres_database(request.getfixturevalue("postgres_url"), "template0")


@pytest.fixture
def database_url(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Generator[str]:
    """A database with all its tables."""
    if kind == "sqlite":
        path = shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / "pagehand.db")
        yield f"sqlite+aiosqlite:///{path}"
    else:
        template = request.getfixturevalue("postgres_template")
        yield from _postgres_database(request.getfixturevalue("postgres_url"), template)


@pytest.fixture
def new_postgres(request: pytest.FixtureRequest) -> Callable[[], Generator[str]]:
    """Makes a PostgreSQL database nobody has opened yet; PostgreSQL is only started when it is called."""
    return lambda: _postgres_database(request.getfixturevalue("postgres_url"), "template0")


def _postgres_database(server_url: str, template: str) -> Generator[str]:
    name = f"pagehand_{uuid4().hex}"
    execute_statement(server_url, f"CREATE DATABASE {name} TEMPLATE {template}")
    yield url_of(server_url, name)
    execute_statement(server_url, f"DROP DATABASE {name} WITH (FORCE)")


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

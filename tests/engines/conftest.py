"""The same tests over both engines: one process on SQLite, and an API node and a worker on PostgreSQL."""

from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import pytest

from support.engines import RunningServices, shared_services, single_service
from support.postgres import new_database


@pytest.fixture
def database(postgres_url: str) -> Iterator[str]:
    with new_database(postgres_url) as url:
        yield url


@pytest.fixture(params=["local", "postgres"])
async def running(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[RunningServices]:
    """One service that does everything, or two API nodes and a worker that share a database."""
    if request.param == "local":
        async with single_service(tmp_path / "only") as only:
            yield only
    else:
        async with shared_services(request.getfixturevalue("database"), tmp_path) as fleet:
            await fleet.worker()
            yield fleet

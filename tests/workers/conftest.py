"""Fleets of API nodes and workers on a real PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.postgres import new_database
from support.workers import Fleet


@pytest.fixture
def database(postgres_url: str) -> Iterator[str]:
    with new_database(postgres_url) as url:
        yield url


@pytest.fixture
def fleet(database: str, tmp_path: Path) -> Iterator[Fleet]:
    made = Fleet(tmp_path, database)
    yield made
    made.stop()

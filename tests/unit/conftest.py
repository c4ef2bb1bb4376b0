"""What unit tests share: the real stores over an SQLite file of their own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import structlog

from pagehand.storage import Stores
from pagehand.testing.harness import opened_database


@pytest.fixture(autouse=True, scope="session")
def plain_logs() -> None:
    """Log lines without pictures of every frame, which take longer than most tests."""
    structlog.configure(
        processors=[structlog.processors.format_exc_info, structlog.processors.KeyValueRenderer()]
    )


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    path = tmp_path / "stores.db"
    database = await opened_database(path, f"sqlite+aiosqlite:///{path}")
    yield Stores(database)
    await database.close()

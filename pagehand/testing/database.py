"""Databases for tests: migrated once in a process, then copied."""

import asyncio
from pathlib import Path

from pagehand.storage import Database

_migrated: list[bytes] = []
"""An empty database with all tables, once there is one: migrating takes longer than most tests."""


async def opened_database(path: Path, url: str) -> Database:
    """A database at `path` (of `url`) with all tables and no rows."""
    if not _migrated:
        first = Database(url)
        await first.open()
        await first.close()
        _migrated.append(await asyncio.to_thread(path.read_bytes))
    await asyncio.to_thread(path.write_bytes, _migrated[0])
    database = Database(url)
    await database.open()
    return database

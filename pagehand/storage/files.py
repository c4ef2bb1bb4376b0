"""Stored files: names, sizes and owners; their bytes are in `pagehand.files`."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.dialects import postgresql

from pagehand.records import FileInfo
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.pages import contains, folded, is_row, newest_first
from pagehand.storage.run_claim import require_claim, retry_in_runs
from pagehand.storage.tables import files

FILE_COLUMNS = [column for column in files.c if column.name != "search_text"]
"""The columns of a `FileInfo`."""
# during a rolling restart, processes of the previous version write no `search_text`
_SEARCHED = func.coalesce(files.c.search_text, func.lower(files.c.name))


def file_values(info: FileInfo) -> dict[str, Any]:
    """The row of a file."""
    return asdict(info) | {"search_text": folded(info.name)}


@retry_in_runs
class FileInfoStore:
    """An organization's files."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def add(self, info: FileInfo) -> None:
        """Add a file; refused for a run that lost its claim."""
        # idempotent: a retry after a lost answer finds the row
        add = postgresql.insert(files).values(file_values(info)).on_conflict_do_nothing(index_elements=["id"])
        async with self._database.write() as connection:
            await require_claim(connection)
            await connection.execute(add)

    async def get(self, organization_id: str, file_id: str) -> FileInfo | None:
        """The file with that id."""
        query = select(*FILE_COLUMNS).where(is_row(files, organization_id, file_id))
        row = await self._database.first(query)
        return FileInfo(**row) if row else None

    async def list(
        self,
        organization_id: str,
        *,
        execution_id: str | None,
        limit: int,
        offset: int,
        search: str | None = None,
    ) -> tuple[list[FileInfo], int]:
        """Files, newest first: those of one execution, those with `search` in their name, or all."""
        query = select(*FILE_COLUMNS).where(files.c.organization_id == organization_id)
        if execution_id is not None:
            query = query.where(files.c.execution_id == execution_id)
        if search:
            query = query.where(contains(_SEARCHED, search))
        rows, total = await self._database.page(newest_first(query, files), limit, offset)
        return [FileInfo(**row) for row in rows], total

    async def total_bytes(self, organization_id: str) -> int:
        """The size of all of the organization's files."""
        query = select(func.coalesce(func.sum(files.c.size_bytes), 0)).where(
            files.c.organization_id == organization_id
        )
        async with self._database.read() as connection:
            return int((await connection.execute(query)).scalar_one())

    @uncancellable
    async def delete(self, organization_id: str, file_id: str) -> FileInfo | None:
        """Delete a file's row; returns it, so that its bytes can be deleted too."""
        remove = delete(files).where(is_row(files, organization_id, file_id))
        async with self._database.write() as connection:
            row = (await connection.execute(remove.returning(*FILE_COLUMNS))).mappings().first()
        return FileInfo(**row) if row else None

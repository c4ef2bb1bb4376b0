"""What is known of stored files; their bytes are in `pagehand.files`."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.dialects import postgresql

from pagehand.records import FileInfo
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.on_behalf import demand_claim, waits_for_database
from pagehand.storage.pages import contains, folded, read_page
from pagehand.storage.tables import files

FILE_COLUMNS = [column for column in files.c if column.name != "search_text"]
"""What makes a `FileInfo`."""
# a process of the version before writes no text for searches while both are running
_SEARCHED = func.coalesce(files.c.search_text, func.lower(files.c.name))


def file_values(info: FileInfo) -> dict[str, Any]:
    """The row of a file."""
    return asdict(info) | {"search_text": folded(info.name)}


@waits_for_database
class FileInfoStore:
    """An organization's files."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def add(self, info: FileInfo) -> None:
        """Keep what is known of a new file; a run that lost its claim keeps nothing."""
        # asked again after its answer was lost, it finds the row it has made
        add = postgresql.insert(files).values(file_values(info)).on_conflict_do_nothing(index_elements=["id"])
        async with self._database.write() as connection:
            await demand_claim(connection)
            await connection.execute(add)

    async def get(self, organization_id: str, file_id: str) -> FileInfo | None:
        """The file with that id."""
        query = select(*FILE_COLUMNS).where(files.c.id == file_id, files.c.organization_id == organization_id)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
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
        query = query.order_by(files.c.created_at.desc(), files.c.id.desc())
        async with self._database.read() as connection:
            rows, total = await read_page(connection, query, limit, offset)
        return [FileInfo(**row) for row in rows], total

    async def total_bytes(self, organization_id: str) -> int:
        """How much the organization keeps."""
        query = select(func.coalesce(func.sum(files.c.size_bytes), 0)).where(
            files.c.organization_id == organization_id
        )
        async with self._database.read() as connection:
            return int((await connection.execute(query)).scalar_one())

    @uncancellable
    async def delete(self, organization_id: str, file_id: str) -> FileInfo | None:
        """Forget a file and say what it was, so that its bytes can go too."""
        remove = delete(files).where(files.c.id == file_id, files.c.organization_id == organization_id)
        async with self._database.write() as connection:
            row = (await connection.execute(remove.returning(*FILE_COLUMNS))).mappings().first()
        return FileInfo(**row) if row else None

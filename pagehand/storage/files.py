"""Stored files: names, sizes and owners; their bytes are in `pagehand.files`."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Select, delete, func, or_, select
from sqlalchemy.dialects import postgresql

from pagehand.errors import TooLarge
from pagehand.records import RESPONSE_FILE_NAME, FileInfo
from pagehand.storage.accepting import AcceptLimits
from pagehand.storage.advisory_locks import lock_organization
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.pages import contains, folded, is_row, newest_first
from pagehand.storage.run_claim import Store, require_claim
from pagehand.storage.tables import files

_MB = 1024 * 1024
FILE_COLUMNS = [column for column in files.c if column.name != "search_text"]
"""The columns of a `FileInfo`."""
# during a rolling restart, processes of the previous version write no `search_text`
_SEARCHED = func.coalesce(files.c.search_text, func.lower(files.c.name))


def file_values(info: FileInfo) -> dict[str, Any]:
    """The row of a file."""
    return asdict(info) | {"search_text": folded(info.name)}


class FileInfoStore(Store):
    """An organization's files."""

    def __init__(self, database: Database, limits: AcceptLimits | None = None) -> None:
        super().__init__(database)
        self._max_bytes = limits.stored_bytes if limits else 0

    @uncancellable
    async def add(self, info: FileInfo) -> None:
        """Add a file; refused beyond the organization's limit, and for a run that lost its claim."""
        # idempotent: a retry after a lost answer finds the row
        add = postgresql.insert(files).values(file_values(info)).on_conflict_do_nothing(index_elements=["id"])
        async with self._database.write() as connection:
            await require_claim(connection)
            await connection.execute(add)
            if self._max_bytes:
                # last: the lock is held for a moment, and a retry after a lost answer is not counted twice
                await lock_organization(connection, info.organization_id, "files")
                total = (await connection.execute(_total_bytes(info.organization_id))).scalar_one()
                self._check_total(int(total) - info.size_bytes, info.size_bytes)

    async def check_room(self, organization_id: str, more_bytes: int) -> None:
        """Raise TooLarge if so many more bytes would exceed the limit now; `add` decides.

        Called before the bytes are stored, so that a full organization does not fill the disk.
        """
        if self._max_bytes:
            self._check_total(await self.total_bytes(organization_id), more_bytes)

    def _check_total(self, kept: int, more_bytes: int) -> None:
        if kept + more_bytes > self._max_bytes:
            raise TooLarge(
                f"This organization may keep {self._max_bytes / _MB:.1f} MB of files and has "
                f"{kept / _MB:.1f}: {more_bytes / _MB:.1f} MB more do not fit. Delete files, or have the "
                "operator raise `PAGEHAND_MAX_STORED_BYTES`."
            )

    async def get(self, organization_id: str, file_id: str) -> FileInfo | None:
        """The file with that id."""
        query = select(*FILE_COLUMNS).where(is_row(files, organization_id, file_id))
        row = await self._database.lookup(query)
        return FileInfo(**row) if row else None

    async def list(
        self,
        organization_id: str,
        *,
        execution_id: str | None,
        limit: int,
        offset: int,
        search: str | None = None,
        without_responses: bool = False,
    ) -> tuple[list[FileInfo], int]:
        """Files, newest first: those of one execution, those with `search` in their name, or all.

        `without_responses` leaves out the responses of executions, which are more than all other files.
        """
        query = select(*FILE_COLUMNS).where(files.c.organization_id == organization_id)
        if execution_id is not None:
            query = query.where(files.c.execution_id == execution_id)
        if search:
            query = query.where(contains(_SEARCHED, search))
        if without_responses:
            query = query.where(or_(files.c.execution_id.is_(None), files.c.name != RESPONSE_FILE_NAME))
        rows, total = await self._database.page(newest_first(query, files), limit, offset)
        return [FileInfo(**row) for row in rows], total

    async def count_by_execution(self, organization_id: str, ids: Sequence[str]) -> dict[str, int]:
        """How many files each of these executions has; those without are left out."""
        query = (
            select(files.c.execution_id, func.count())
            .where(files.c.organization_id == organization_id, files.c.execution_id.in_(list(ids)))
            .group_by(files.c.execution_id)
        )
        async with self._database.read() as connection:
            return {row[0]: row[1] for row in await connection.execute(query)}

    async def total_bytes(self, organization_id: str) -> int:
        """The size of all of the organization's files."""
        # summed each time: a counter would drift with every crash
        async with self._database.read() as connection:
            return int((await connection.execute(_total_bytes(organization_id))).scalar_one())

    @uncancellable
    async def delete(self, organization_id: str, file_id: str) -> FileInfo | None:
        """Delete a file's row; returns it, so that its bytes can be deleted too."""
        remove = delete(files).where(is_row(files, organization_id, file_id))
        async with self._database.write() as connection:
            row = (await connection.execute(remove.returning(*FILE_COLUMNS))).mappings().first()
        return FileInfo(**row) if row else None


def _total_bytes(organization_id: str) -> Select[Any]:
    total = func.coalesce(func.sum(files.c.size_bytes), 0)
    return select(total).where(files.c.organization_id == organization_id)

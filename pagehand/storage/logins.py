"""Stored logins; their secrets arrive encrypted."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.records import Login
from pagehand.storage.advisory_locks import lock_organization
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.pages import Parts, contains, folded, is_row, newest_first
from pagehand.storage.run_claim import retry_in_runs
from pagehand.storage.tables import login_health, login_mails, login_sessions, logins

LoginRevision = tuple[int, str | None, int | None]
"""How many logins there are, the id of the newest, and the time of the last change."""
_COLUMNS = [column for column in logins.c if column.name != "search_text"]


@retry_in_runs
class LoginStore:
    """An organization's logins."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def add(self, login: Login, revision: LoginRevision | None = None) -> bool:
        """Add a login; False if the organization's logins have changed since `revision`."""
        async with self._database.write() as connection:
            await lock_organization(connection, login.organization_id, "logins")
            if revision is not None and revision != await _revision(connection, login.organization_id):
                return False
            await connection.execute(logins.insert().values(_values(login)))
            return True

    async def revision(self, organization_id: str) -> LoginRevision:
        """A value that differs after every change to the organization's logins."""
        async with self._database.read() as connection:
            return await _revision(connection, organization_id)

    async def get(self, organization_id: str, login_id: str) -> Login | None:
        """The login with that id."""
        row = await self._database.first(select(*_COLUMNS).where(is_row(logins, organization_id, login_id)))
        return Login(**row) if row else None

    async def list(
        self, organization_id: str, *, search: str | None, limit: int, offset: int
    ) -> tuple[Parts[Login], int]:
        """Logins, newest first: those with `search` in their name or username, or all."""
        query = select(*_COLUMNS).where(logins.c.organization_id == organization_id)
        if search:
            query = query.where(contains(logins.c.search_text, search))
        query, read = newest_first(query, logins), self._database.reader(Login)
        large = [logins.c.fields, logins.c.secrets]
        return await self._database.parts(query, logins.c.id, large, read, (limit, offset))

    @uncancellable
    async def save(self, login: Login) -> bool:
        """Replace a login; False if its organization has none with that id."""
        own = is_row(logins, login.organization_id, login.id)
        return await self._database.execute(update(logins).values(_values(login)).where(own)) == 1

    @uncancellable
    async def delete(self, organization_id: str, login_id: str) -> bool:
        """Delete a login with its health, saved session and mail."""
        remove = delete(logins).where(is_row(logins, organization_id, login_id))
        async with self._database.write() as connection:
            is_deleted = (await connection.execute(remove)).rowcount == 1
            # only after that: the id may be of another organization's login
            for table in (login_health, login_sessions, login_mails) if is_deleted else ():
                await connection.execute(delete(table).where(table.c.login_id == login_id))
            return is_deleted

    async def find(self, login_id: str) -> Login | None:
        """The login with that id, of any organization; for mail that arrives at its address."""
        row = await self._database.first(select(*_COLUMNS).where(logins.c.id == login_id))
        return Login(**row) if row else None


async def _revision(connection: AsyncConnection, organization_id: str) -> LoginRevision:
    query = select(func.count(), func.max(logins.c.id), func.max(logins.c.updated_at))
    row = (await connection.execute(query.where(logins.c.organization_id == organization_id))).one()
    return row[0], row[1], row[2]


def _values(login: Login) -> dict[str, Any]:
    # a line break between the two, so that no search matches across them
    return asdict(login) | {"search_text": folded(f"{login.name}\n{login.username}")}

"""Stored logins; what is secret in them arrives encrypted."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.records import Login
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.organization_turn import take_turn
from pagehand.storage.pages import contains, folded, read_page
from pagehand.storage.tables import login_health, login_mails, login_sessions, logins

LoginRevision = tuple[int, str | None, int | None]
"""How many there are, the newest, and the last change."""
_COLUMNS = [column for column in logins.c if column.name != "search_text"]


@waits_for_database
class LoginStore:
    """An organization's logins."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def add(self, login: Login, revision: LoginRevision | None = None) -> bool:
        """Keep a new login; False when its organization's logins are not those of `revision` any more."""
        async with self._database.write() as connection:
            await take_turn(connection, login.organization_id, "logins")
            if revision is not None and revision != await _revision(connection, login.organization_id):
                return False
            await connection.execute(logins.insert().values(_values(login)))
            return True

    async def revision(self, organization_id: str) -> LoginRevision:
        """What is another after every change to an organization's logins."""
        async with self._database.read() as connection:
            return await _revision(connection, organization_id)

    async def get(self, organization_id: str, login_id: str) -> Login | None:
        """The login with that id."""
        query = select(*_COLUMNS).where(logins.c.id == login_id, logins.c.organization_id == organization_id)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
        return Login(**row) if row else None

    async def list(
        self, organization_id: str, *, search: str | None, limit: int, offset: int
    ) -> tuple[list[Login], int]:
        """Logins, newest first: those with `search` in their name or username, or all."""
        query = select(*_COLUMNS).where(logins.c.organization_id == organization_id)
        if search:
            query = query.where(contains(logins.c.search_text, search))
        query = query.order_by(logins.c.created_at.desc(), logins.c.id.desc())
        async with self._database.read() as connection:
            rows, total = await read_page(connection, query, limit, offset)
        return [Login(**row) for row in rows], total

    @uncancellable
    async def save(self, login: Login) -> bool:
        """Replace a login; False if its organization has none with that id."""
        change = update(logins).values(_values(login))
        change = change.where(logins.c.id == login.id, logins.c.organization_id == login.organization_id)
        async with self._database.write() as connection:
            return (await connection.execute(change)).rowcount == 1

    @uncancellable
    async def delete(self, organization_id: str, login_id: str) -> bool:
        """Forget a login, and what was kept beside it."""
        remove = delete(logins).where(logins.c.id == login_id, logins.c.organization_id == organization_id)
        async with self._database.write() as connection:
            is_gone = (await connection.execute(remove)).rowcount == 1
            # only if it was the organization's own: another's state must not go with a wrong id
            for table in (login_health, login_sessions, login_mails) if is_gone else ():
                await connection.execute(delete(table).where(table.c.login_id == login_id))
            return is_gone

    async def find(self, login_id: str) -> Login | None:
        """Any login, whatever its organization; for mail that arrives at its address."""
        async with self._database.read() as connection:
            row = (
                (await connection.execute(select(*_COLUMNS).where(logins.c.id == login_id)))
                .mappings()
                .first()
            )
        return Login(**row) if row else None


async def _revision(connection: AsyncConnection, organization_id: str) -> LoginRevision:
    query = select(func.count(), func.max(logins.c.id), func.max(logins.c.updated_at))
    row = (await connection.execute(query.where(logins.c.organization_id == organization_id))).one()
    return row[0], row[1], row[2]


def _values(login: Login) -> dict[str, Any]:
    # a line between the two, so that no search finds the end of one with the start of the other
    return asdict(login) | {"search_text": folded(f"{login.name}\n{login.username}")}

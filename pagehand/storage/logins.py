"""Stored logins, whose secrets arrive encrypted: health, saved sessions, and mail to their addresses."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, Table, case, delete, func, or_, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.records import Json, Login, LoginHealth, ReceivedMail, SavedSession
from pagehand.storage.advisory_locks import lock_organization
from pagehand.storage.database import uncancellable
from pagehand.storage.pages import Parts, contains, folded, is_row, newest_first
from pagehand.storage.run_claim import Store, require_claim
from pagehand.storage.tables import login_health, login_mails, login_sessions, logins

LoginRevision = tuple[int, str | None, int | None]
"""How many logins there are, the id of the newest, and the time of the last change."""
_COLUMNS = [column for column in logins.c if column.name != "search_text"]


class LoginStore(Store):
    """An organization's logins."""

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

    async def find_in_any_organization(self, login_id: str) -> Login | None:
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


_MAIL_LIFETIME_MS = 3_600_000


_MOST_FAILING = 1000


class LoginStateStore(Store):
    """The state of an organization's logins; secrets in it arrive encrypted."""

    async def health(self, organization_id: str, login_id: str) -> LoginHealth | None:
        """A login's health; None if it was never used."""
        row = await self._row(login_health, organization_id, login_id)
        return LoginHealth(**row) if row else None

    async def failing(self, organization_id: str, times: int) -> list[LoginHealth]:
        """Logins that are held back or failed at least `times` in a row, the latest failure first."""
        is_failing = or_(login_health.c.held_version.is_not(None), login_health.c.failures >= times)
        query = select(login_health).where(login_health.c.organization_id == organization_id, is_failing)
        query = query.order_by(login_health.c.last_failure_at.desc()).limit(_MOST_FAILING)
        return [LoginHealth(**row) for row in await self._database.all(query)]

    async def note_success(self, login: Login, at: int) -> None:
        """Record a sign-in that worked; the login is no longer held back."""
        await self._upsert(
            login_health,
            {"login_id": login.id, "organization_id": login.organization_id},
            {"last_success_at": at, "held_version": None, "held_at": None, "failures": 0},
        )

    async def note_failure(self, login: Login, at: int, reason: str, *, hold: bool) -> None:
        """Record a failed sign-in; `hold` keeps runs from trying this version of the login again."""
        changes: dict[str, Any] = {"last_failure_at": at, "last_failure": reason}
        if hold:
            changes |= {"held_version": login.updated_at, "held_at": at}
        key = {"login_id": login.id, "organization_id": login.organization_id}
        await self._upsert(
            login_health,
            key,
            {**changes, "failures": 1},
            {
                "failures": case(
                    # failures from before the login was changed do not count
                    (login_health.c.last_failure_at < login.updated_at, 1),
                    # the same failure again: the answer to the first try was lost
                    (login_health.c.last_failure_at == at, login_health.c.failures),
                    else_=login_health.c.failures + 1,
                )
            },
        )

    @uncancellable
    async def release(self, organization_id: str, login_id: str) -> None:
        """Let runs try the login again."""
        change = update(login_health).values(held_version=None, held_at=None, failures=0)
        await self._database.execute(change.where(*_own(login_health, organization_id, login_id)))

    async def session(self, organization_id: str, login_id: str) -> SavedSession | None:
        """The saved session of a login."""
        row = await self._row(login_sessions, organization_id, login_id)
        return SavedSession(**row) if row else None

    async def put_session(self, saved: SavedSession) -> None:
        """Save a session, replacing any other."""
        values = asdict(saved)
        key = {name: values.pop(name) for name in ("login_id", "organization_id")}
        await self._upsert(login_sessions, key, values)

    @uncancellable
    async def refresh_session(self, saved: SavedSession) -> bool:
        """Update a saved session; False if a newer sign-in has replaced it."""
        change = update(login_sessions).values(sealed=saved.sealed, saved_at=saved.saved_at)
        change = change.where(
            *_own(login_sessions, saved.organization_id, saved.login_id),
            login_sessions.c.generation == saved.generation,
        )
        async with self._database.write() as connection:
            await require_claim(connection)
            return (await connection.execute(change)).rowcount == 1

    @uncancellable
    async def add_mail(self, mail: ReceivedMail) -> None:
        """Keep a mail for an hour; older ones are deleted."""
        async with self._database.write() as connection:
            # here, because only arriving mail makes the table grow
            old = login_mails.c.received_at < mail.received_at - _MAIL_LIFETIME_MS
            await connection.execute(delete(login_mails).where(old))
            await connection.execute(login_mails.insert().values(asdict(mail)))

    async def mails(self, organization_id: str, login_id: str, since: int) -> list[ReceivedMail]:
        """Mail to a login's address since then, newest first."""
        query = select(login_mails).where(
            *_own(login_mails, organization_id, login_id), login_mails.c.received_at >= since
        )
        query = query.order_by(login_mails.c.received_at.desc(), login_mails.c.id.desc()).limit(20)
        return [ReceivedMail(**row) for row in await self._database.all(query)]

    async def _row(self, table: Table, organization_id: str, login_id: str) -> RowMapping | None:
        return await self._database.first(select(table).where(*_own(table, organization_id, login_id)))

    @uncancellable
    async def _upsert(
        self, table: Table, key: dict[str, Any], changes: dict[str, Any], on_update: Json | None = None
    ) -> None:
        """Insert or update a row; `on_update` overrides some of the changes if the row exists."""
        insert = postgresql.insert(table).values(**key, **changes)
        insert = insert.on_conflict_do_update(
            index_elements=["login_id"],
            set_={**changes, **(on_update or {})},
            # the id may be of another organization's login: its row must not be overwritten
            where=table.c.organization_id == key["organization_id"],
        )
        async with self._database.write() as connection:
            await require_claim(connection)
            await connection.execute(insert)


def _own(table: Table, organization_id: str, login_id: str) -> tuple[ColumnElement[bool], ...]:
    return table.c.organization_id == organization_id, table.c.login_id == login_id

"""The process that owns this database's executions, with its heartbeat on the database's clock."""

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    bindparam,
    delete,
    literal_column,
    select,
    text,
    update,
)

from pagehand.records import Owner
from pagehand.storage import advisory_locks
from pagehand.storage.database import POSTGRES_NOW_MS, uncancellable
from pagehand.storage.run_claim import Store
from pagehand.storage.tables import engine_owner

_ROW = 1
_LOCK = text(f"SELECT pg_advisory_xact_lock({advisory_locks.OWNERSHIP})")
_NOW_MS = {
    "sqlite": "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
    "postgresql": POSTGRES_NOW_MS,
}
_HELD = engine_owner.c.token == bindparam("held_token")


class OwnerStore(Store):
    """At most one owner, identified by a token."""

    @uncancellable
    async def take(self, wanted: Owner, instead_of: Owner | None) -> Owner | None:
        """Become the owner if there is none, or if it is still `instead_of`; otherwise the current owner.

        An owner of the same installation is replaced at once: a lock on the data folder proves that its
        process has ended.
        """

        def work(connection: Connection) -> Owner | None:
            other = _present(connection)
            is_ours = other is not None and (
                other.installation == wanted.installation
                or (instead_of is not None and _is_same(other, instead_of))
            )
            if other is not None and not is_ours:
                return other
            # at most one row: the new owner replaces the old one
            connection.execute(delete(engine_owner))
            row = {"id": _ROW, "token": wanted.token, "beat_at": 0}
            row |= {"installation": wanted.installation, "description": wanted.description}
            connection.execute(engine_owner.insert().values(row))
            _beat(connection, wanted.token)
            return None

        return await self._database.commit(work)

    @uncancellable
    async def present(self) -> Owner | None:
        """The current owner, alive or not."""
        return await self._database.commit(_present)

    @uncancellable
    async def beat(self, token: str) -> bool:
        """Record a heartbeat; False if another process has become the owner."""
        return await self._database.commit(lambda connection: _beat(connection, token))

    @uncancellable
    async def leave(self, token: str) -> None:
        """Give up ownership."""
        await self._database.commit(
            lambda connection: connection.execute(delete(engine_owner).where(_HELD), {"held_token": token})
        )


def _present(connection: Connection) -> Owner | None:
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK)
    silent = _now(connection) - engine_owner.c.beat_at
    query = select(
        engine_owner.c.token,
        engine_owner.c.installation,
        engine_owner.c.description,
        engine_owner.c.beat_at,
        silent.label("silent_ms"),
    )
    row = connection.execute(query).mappings().first()
    return Owner(**row) if row else None


def _is_same(first: Owner, second: Owner) -> bool:
    return (first.token, first.beat_at) == (second.token, second.beat_at)


def _beat(connection: Connection, token: str) -> bool:
    beat = update(engine_owner).where(_HELD).values(beat_at=_now(connection))
    return connection.execute(beat, {"held_token": token}).rowcount == 1


def _now(connection: Connection) -> ColumnElement[int]:
    return literal_column(_NOW_MS[connection.dialect.name], BigInteger)

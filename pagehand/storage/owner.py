"""The one process that runs this database's executions, by its heartbeat on the database's clock."""

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
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.tables import engine_owner

_ROW = 1
_LOCK = text(f"SELECT pg_advisory_xact_lock({advisory_locks.OWNERSHIP})")
_CLOCKS = {
    "sqlite": "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
    "postgresql": "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
}
_HELD = engine_owner.c.token == bindparam("held_token")


@waits_for_database
class OwnerStore:
    """At most one owner; a token proves who it is."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def take(self, wanted: Owner, instead_of: Owner | None) -> Owner | None:
        """Become the owner if there is none, or only `instead_of` and it has not moved; else the other one.

        Whoever runs on the same installation is replaced at once: a lock on its folder says that the process
        before is gone.
        """

        def work(connection: Connection) -> Owner | None:
            other = _present(connection)
            is_ours = other is not None and (
                other.installation == wanted.installation
                or (instead_of is not None and _is_same(other, instead_of))
            )
            if other is not None and not is_ours:
                return other
            # one row at most: whoever takes over replaces whoever was there
            connection.execute(delete(engine_owner))
            row = {"id": _ROW, "token": wanted.token, "beat_at": 0}
            row |= {"installation": wanted.installation, "description": wanted.description}
            connection.execute(engine_owner.insert().values(row))
            _beat(connection, wanted.token)
            return None

        return await self._database.commit(work)

    @uncancellable
    async def present(self) -> Owner | None:
        """Who owns the executions now, alive or not."""
        return await self._database.commit(_present)

    @uncancellable
    async def beat(self, token: str) -> bool:
        """Show that the owner lives; False when another has taken its place."""
        return await self._database.commit(lambda connection: _beat(connection, token))

    @uncancellable
    async def leave(self, token: str) -> None:
        """Be the owner no longer."""
        await self._database.commit(
            lambda connection: connection.execute(delete(engine_owner).where(_HELD), {"held_token": token})
        )


def _present(connection: Connection) -> Owner | None:
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK)
    silent = _clock(connection) - engine_owner.c.beat_at
    query = select(
        engine_owner.c.token,
        engine_owner.c.installation,
        engine_owner.c.description,
        engine_owner.c.beat_at,
        silent.label("silent_ms"),
    )
    row = connection.execute(query).mappings().first()
    return Owner(**row) if row else None


def _is_same(one: Owner, other: Owner) -> bool:
    return (one.token, one.beat_at) == (other.token, other.beat_at)


def _beat(connection: Connection, token: str) -> bool:
    beat = update(engine_owner).where(_HELD).values(beat_at=_clock(connection))
    return connection.execute(beat, {"held_token": token}).rowcount == 1


def _clock(connection: Connection) -> ColumnElement[int]:
    return literal_column(_CLOCKS[connection.dialect.name], BigInteger)

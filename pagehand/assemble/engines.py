"""Which engine runs executions, and what it needs beside the parts that both have."""

from collections.abc import Callable
from typing import Protocol

from pagehand.assemble.published_stores import PublishedStores
from pagehand.engine.local.engine import LocalEngine
from pagehand.engine.local.ownership import Ownership
from pagehand.engine.port import Engine
from pagehand.engine.services import EngineServices
from pagehand.errors import Conflict, UserMistake
from pagehand.settings import Settings
from pagehand.storage import AcceptLimits, Database

_SILENT_SECONDS = 30.0
"""Whoever was silent for longer is gone."""


class RunnableEngine(Engine, Protocol):
    """An engine as whoever starts the process sees it."""

    def start(self) -> None:
        """Begin to work."""
        ...

    async def stop(self) -> None:
        """Take nothing new, let running ones finish for a while, put the rest back into the queue."""
        ...

    def abandon(self, reason: str) -> None:
        """End what runs here at once: another process has taken over."""
        ...


class LocalChoice:
    """The engine of one process, which owns the database's executions while it works."""

    def __init__(
        self, settings: Settings, database: Database, installation: str, on_lost: Callable[[str], None]
    ) -> None:
        self.stores = PublishedStores(database, _limits(settings))
        self._ownership = Ownership(self.stores.owner, installation, on_lost)
        self._works = settings.worker
        self._is_postgres = not database.is_sqlite

    def engine(self, services: EngineServices) -> LocalEngine:
        """The engine; nothing runs before `open`."""
        return LocalEngine(services)

    def worker_id(self) -> str:
        """There is only one."""
        return "worker"

    async def count_workers(self) -> int:
        """Whether this process runs the executions, as a number."""
        return int(self._works)

    async def open(self) -> None:
        """Become the owner of the executions; raises Conflict while workers share them."""
        if not self._works:
            return
        if self._is_postgres and await self.stores.admission.living_workers(_SILENT_SECONDS):
            raise Conflict(
                "workers run this database's executions: start this service with `--no-worker`, or have it "
                "share them with `PAGEHAND_ENGINE=postgres`."
            )
        await self._ownership.take()

    async def close(self) -> None:
        """Let the next owner begin at once."""
        await self._ownership.leave()


class SharedChoice:
    """The engine of several processes on one PostgreSQL database."""

    def __init__(self, settings: Settings, database: Database, address: str) -> None:
        from pagehand.engine.postgres.changes import SharedChanges  # noqa: PLC0415 - Procrastinate is loaded by those who use it
        from pagehand.engine.postgres.notices import Notices  # noqa: PLC0415 - as above

        self._database = database
        self._address = address
        self._notices = Notices(database)
        self.stores = PublishedStores(database, _limits(settings), SharedChanges(self._notices))

    def engine(self, services: EngineServices) -> RunnableEngine:
        """The engine; nothing runs before `open`."""
        from pagehand.engine.postgres.engine import PostgresEngine  # noqa: PLC0415 - as above
        from pagehand.engine.postgres.jobs import Jobs  # noqa: PLC0415 - as above

        self._engine = PostgresEngine(services, Jobs(self._database), self._notices, self._address)
        return self._engine

    def worker_id(self) -> str:
        """By which people know this process among the workers."""
        return self._engine.worker_id

    async def count_workers(self) -> int:
        """How many workers live, whichever process is asked."""
        return await self.stores.admission.living_workers(_SILENT_SECONDS)

    async def open(self) -> None:
        """Become one of the processes that share the queue; raises Conflict while another runs everything."""
        owner = await self.stores.owner.present()
        if owner is not None and owner.silent_ms < _SILENT_SECONDS * 1000:
            raise Conflict(
                f"another Pagehand service ({owner.description}) runs this database's executions alone. Stop "
                "it, or start it with `PAGEHAND_ENGINE=postgres` so that it shares them."
            )
        await self._engine.open()

    async def close(self) -> None:
        """The engine leaves by itself when it stops."""


def engine_choice(
    settings: Settings,
    database: Database,
    installation: str,
    address: str,
    on_lost: Callable[[str], None],
) -> LocalChoice | SharedChoice:
    """The engine that the settings ask for; raises what they lack."""
    if not settings.is_shared:
        return LocalChoice(settings, database, installation, on_lost)
    _check_shared(settings)
    return SharedChoice(settings, database, address)


def _limits(settings: Settings) -> AcceptLimits:
    return AcceptLimits(queued=settings.max_queued, per_minute=settings.max_per_minute)


def _check_shared(settings: Settings) -> None:
    """Several processes need one database, one key and one place for files; raises what is missing."""
    # each is reported by itself, in the order in which an operator sets them up
    if not settings.database_url.startswith("postgresql"):
        raise UserMistake(
            "several processes need PostgreSQL: name it with `--database postgresql://…`. "
            "A lone `pagehand serve` runs on SQLite."
        )
    if settings.master_key is None:
        raise UserMistake(
            "several processes need one master key: set `PAGEHAND_MASTER_KEY` to the same 32 random bytes "
            "everywhere, as `openssl rand -base64 32` prints them."
        )
    if settings.files is None:
        raise UserMistake(
            "several processes need one place for files: set `PAGEHAND_FILES` everywhere to the same folder "
            "(`file:///srv/pagehand/files`) or object storage (`s3://bucket/prefix`)."
        )

"""Chooses the engine that runs executions, and sets up what only that engine needs."""

from collections.abc import Callable

from pagehand.engine.base import Engine
from pagehand.engine.changes import ChangePublisher, Changes
from pagehand.engine.local.engine import LocalEngine
from pagehand.engine.local.ownership import Ownership
from pagehand.engine.services import EngineServices
from pagehand.errors import Conflict, UserMistake
from pagehand.records import LOST_AFTER_SECONDS
from pagehand.settings import Settings
from pagehand.storage import AcceptLimits, Database, Stores
from pagehand.storage.executions import ExecutionStore


class LocalEngineSetup:
    """For the engine of one process, which owns the database's executions while it runs."""

    def __init__(
        self, settings: Settings, database: Database, installation: str, on_lost: Callable[[str], None]
    ) -> None:
        self.changes = Changes()
        self.stores = _stores(settings, database, self.changes)
        self._ownership = Ownership(self.stores.owner, installation, on_lost)
        self._runs_executions = settings.worker
        self._is_postgres = not database.is_sqlite

    def engine(self, services: EngineServices) -> LocalEngine:
        """The engine; nothing runs before `open`."""
        return LocalEngine(services)

    def worker_id(self) -> str:
        """A fixed name: there is only one worker."""
        return "worker"

    async def count_workers(self) -> int:
        """1 when this process runs the executions, else 0."""
        return int(self._runs_executions)

    async def open(self) -> None:
        """Become the owner of the executions; raises Conflict while workers share them."""
        if not self._runs_executions:
            return
        if self._is_postgres and await self.stores.shared_queue.count_workers(LOST_AFTER_SECONDS):
            raise Conflict(
                "workers run this database's executions: start this service with `--no-worker`, or have it "
                "share them with `PAGEHAND_ENGINE=postgres`."
            )
        await self._ownership.take()

    async def close(self) -> None:
        """Give up ownership, so that the next process can take it at once."""
        await self._ownership.leave()


class SharedEngineSetup:
    """For the engine of several processes on one PostgreSQL database."""

    def __init__(self, settings: Settings, database: Database, address: str) -> None:
        from pagehand.engine.postgres.notifications import Notifications, SharedChanges  # noqa: PLC0415 - the driver is loaded by those who use it

        self._address = address
        self._notifications = Notifications(database)
        self.changes = SharedChanges(self._notifications)
        self.stores = _stores(settings, database, self.changes)

    def engine(self, services: EngineServices) -> Engine:
        """The engine; nothing runs before `open`."""
        from pagehand.engine.postgres.engine import PostgresEngine  # noqa: PLC0415 - as above

        self._engine = PostgresEngine(services, self._notifications, self._address)
        return self._engine

    def worker_id(self) -> str:
        """The name of this process among the workers."""
        return self._engine.worker_id

    async def count_workers(self) -> int:
        """How many workers are alive, counted in the database."""
        return await self.stores.shared_queue.count_workers(LOST_AFTER_SECONDS)

    async def open(self) -> None:
        """Join the processes that share the queue; raises Conflict while another runs everything."""
        owner = await self.stores.owner.present()
        if owner is not None and owner.silent_ms < LOST_AFTER_SECONDS * 1000:
            raise Conflict(
                f"another Pagehand service ({owner.description}) runs this database's executions alone. Stop "
                "it, or start it with `PAGEHAND_ENGINE=postgres` so that it shares them."
            )
        await self._engine.open()

    async def close(self) -> None:
        """Do nothing: the engine leaves when it stops."""


def choose_engine(
    settings: Settings,
    database: Database,
    installation: str,
    address: str,
    on_lost: Callable[[str], None],
) -> LocalEngineSetup | SharedEngineSetup:
    """The setup of the engine that the settings ask for; raises UserMistake for what they lack."""
    if not settings.is_shared:
        return LocalEngineSetup(settings, database, installation, on_lost)
    _check_shared(settings)
    return SharedEngineSetup(settings, database, address)


def _stores(settings: Settings, database: Database, changes: Changes) -> Stores:
    """The stores, which publish what they write."""
    limits = AcceptLimits(
        queued=settings.max_queued,
        per_minute=settings.max_per_minute,
        stored_bytes=settings.max_stored_bytes or 0,
    )
    publish = ChangePublisher(changes, ExecutionStore(database).without_values)
    return Stores(database, limits, publish)


def _check_shared(settings: Settings) -> None:
    """Several processes need one database, one key and one place for files; raises UserMistake."""
    # one at a time, in the order in which an operator sets them up
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

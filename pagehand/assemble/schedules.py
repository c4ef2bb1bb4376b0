"""Schedules wired to the engine, the vault and those who watch."""

from pagehand.assemble.logins import LoginParts
from pagehand.engine.changes import Changes
from pagehand.engine.port import Engine
from pagehand.engine.schedules.scheduler import Scheduler
from pagehand.engine.schedules.stored import StoredSchedules
from pagehand.storage import Stores


class Schedules:
    """The two sides of schedules: what callers may do with them, and what starts them."""

    def __init__(self, stores: Stores, engine: Engine, logins: LoginParts, changes: Changes) -> None:
        secrets = logins.schedule_secrets
        self.stored = StoredSchedules(stores.schedules, engine, secrets, logins.secret_params)
        self.scheduler = Scheduler(stores.schedules, engine, secrets, changes)

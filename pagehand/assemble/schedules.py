"""Wires schedules to the engine, the vault and the stream of changes."""

from pagehand.assemble.logins import LoginServices
from pagehand.engine.base import Engine
from pagehand.engine.changes import Changes
from pagehand.engine.schedules.scheduler import Scheduler
from pagehand.engine.schedules.stored import StoredSchedules
from pagehand.storage import Stores


class ScheduleServices:
    """Stored schedules, and the scheduler that starts them."""

    def __init__(self, stores: Stores, engine: Engine, logins: LoginServices, changes: Changes) -> None:
        secrets = logins.schedule_secrets
        self.stored = StoredSchedules(stores.schedules, engine, secrets, logins.secret_params)
        self.scheduler = Scheduler(stores.schedules, engine, secrets, changes)

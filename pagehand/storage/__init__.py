"""What Pagehand remembers: one store per noun, over SQLite or PostgreSQL."""

from pagehand.storage.accepting import AcceptLimits
from pagehand.storage.batches import BatchStore
from pagehand.storage.database import Database, OnChange, ignore_change
from pagehand.storage.events import EventStore, OutputStore
from pagehand.storage.exclusive_logins import ExclusiveLoginStore
from pagehand.storage.execution_list import ExecutionFilter, ExecutionPage
from pagehand.storage.executions import ExecutionStore
from pagehand.storage.files import FileInfoStore
from pagehand.storage.knowledge import KnowledgeStore
from pagehand.storage.logins import LoginStateStore, LoginStore
from pagehand.storage.memories import MemoryStore, PlanStore
from pagehand.storage.organizations import ConsoleSessionStore, KeyStore, OrganizationStore
from pagehand.storage.owner import OwnerStore
from pagehand.storage.retention import RetentionStore
from pagehand.storage.run_messages import RunMessageStore
from pagehand.storage.schedules import ScheduleStore
from pagehand.storage.sealed import SealedStore
from pagehand.storage.shared_queue import SharedQueueStore
from pagehand.storage.statistics import StatisticsStore
from pagehand.storage.threads import ProposalStore, ThreadStore
from pagehand.storage.webhooks import DeliveryStore, WebhookStore
from pagehand.storage.workflows import TagStore, WorkflowStore


class Stores:
    """One store per noun."""

    def __init__(
        self,
        database: Database,
        limits: AcceptLimits | None = None,
        on_change: OnChange = ignore_change,
    ) -> None:
        """`limits` apply to executions and files that are added; without them there is no limit.

        `on_change` is called where things are written, so that no caller can forget it.
        """
        self.database = database
        self.organizations = OrganizationStore(database)
        self.keys = KeyStore(database)
        self.console_sessions = ConsoleSessionStore(database)
        self.workflows = WorkflowStore(database)
        self.tags = TagStore(database)
        self.batches = BatchStore(database, limits, on_change)
        self.executions = ExecutionStore(database, limits, on_change)
        self.outputs = OutputStore(database)
        self.owner = OwnerStore(database)
        self.shared_queue = SharedQueueStore(database)
        self.exclusive_logins = ExclusiveLoginStore(database)
        self.run_messages = RunMessageStore(database)
        self.events = EventStore(database, on_change)
        self.files = FileInfoStore(database, limits)
        self.logins = LoginStore(database)
        self.threads = ThreadStore(database)
        self.login_states = LoginStateStore(database)
        self.sealed = SealedStore(database)
        self.memories = MemoryStore(database)
        self.plans = PlanStore(database)
        self.schedules = ScheduleStore(database, limits)
        self.proposals = ProposalStore(database)
        self.webhooks = WebhookStore(database)
        self.deliveries = DeliveryStore(database)
        self.knowledge = KnowledgeStore(database)
        self.retention = RetentionStore(database)
        self.statistics = StatisticsStore(database)

"""What the engine needs from the rest of the house, as Protocols; `assemble` hands over the real things."""

from pagehand.engine.needs.browsers import (
    BrowserOrder,
    OpenBrowser,
    PickedElement,
    Proposal,
    Proxies,
    SaveFile,
    Session,
    Tell,
)
from pagehand.engine.needs.files import FileBytes, KnowledgeBase
from pagehand.engine.needs.logins import Logins, Redactor, SecretParams, SigningRun
from pagehand.engine.needs.models import Models, ModelUsage, RunModel
from pagehand.engine.needs.stores import (
    BatchStore,
    EventStore,
    ExecutionStore,
    FileRecords,
    LoginStore,
    MemoryStore,
    OutputStore,
    OwnerStore,
    PlanStore,
    SaveChanges,
    Stores,
    ThreadStore,
    WorkflowStore,
)
from pagehand.engine.needs.webhooks import Announcer

__all__ = [
    "Announcer",
    "BatchStore",
    "BrowserOrder",
    "EventStore",
    "ExecutionStore",
    "FileBytes",
    "FileRecords",
    "KnowledgeBase",
    "LoginStore",
    "Logins",
    "MemoryStore",
    "ModelUsage",
    "Models",
    "OpenBrowser",
    "OutputStore",
    "OwnerStore",
    "PickedElement",
    "PlanStore",
    "Proposal",
    "Proxies",
    "Redactor",
    "RunModel",
    "SaveChanges",
    "SaveFile",
    "SecretParams",
    "Session",
    "SigningRun",
    "Stores",
    "Tell",
    "ThreadStore",
    "WorkflowStore",
]

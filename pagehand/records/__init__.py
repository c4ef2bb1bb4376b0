"""What Pagehand stores, as plain data, shared by storage, engine and API.

Moments are milliseconds since 1970 (UTC) and end in `_at`, or are named as the API names them.
"""

from pagehand.records.authentication import (
    Authentication,
    AuthenticationStatus,
    ContextAuthentication,
    ExecutionLogin,
    LoginSummary,
)
from pagehand.records.captcha import Captcha
from pagehand.records.execution import (
    Batch,
    Cancellation,
    Event,
    Execution,
    ExecutionFailure,
    FinalState,
    OutputPiece,
    QueueEntry,
    Requeue,
    Waiting,
)
from pagehand.records.file import DownloadState, DownloadStatus, FileInfo, StoredFile
from pagehand.records.fingerprint import ElementTraits, Fingerprint, LinkAddress, Memory
from pagehand.records.json_object import Json, is_array, is_object
from pagehand.records.knowledge import Document, Passage, PassageDraft
from pagehand.records.login import Login, LoginFacts, LoginHealth, ReceivedMail, SavedSession
from pagehand.records.organization import ApiKey, ConsoleSession, Organization, Owner
from pagehand.records.status import ProposalState, Status, WaitingKind
from pagehand.records.thread import Message, Reply, Thread, Tool, ToolCall
from pagehand.records.webhook import BatchEnd, Delivery, DeliveryStatus, Webhook, WebhookEvent
from pagehand.records.workflow import (
    CachedPlan,
    CatchUp,
    Overlap,
    ProposedOperation,
    RunOutcome,
    Schedule,
    ScheduleRun,
    Tag,
    Workflow,
    WorkflowVersion,
)

__all__ = [
    "ApiKey",
    "Authentication",
    "AuthenticationStatus",
    "Batch",
    "BatchEnd",
    "CachedPlan",
    "Cancellation",
    "Captcha",
    "CatchUp",
    "ConsoleSession",
    "ContextAuthentication",
    "Delivery",
    "DeliveryStatus",
    "Document",
    "DownloadState",
    "DownloadStatus",
    "ElementTraits",
    "Event",
    "Execution",
    "ExecutionFailure",
    "ExecutionLogin",
    "FileInfo",
    "FinalState",
    "Fingerprint",
    "Json",
    "LinkAddress",
    "Login",
    "LoginFacts",
    "LoginHealth",
    "LoginSummary",
    "Memory",
    "Message",
    "Organization",
    "OutputPiece",
    "Overlap",
    "Owner",
    "Passage",
    "PassageDraft",
    "ProposalState",
    "ProposedOperation",
    "QueueEntry",
    "ReceivedMail",
    "Reply",
    "Requeue",
    "RunOutcome",
    "SavedSession",
    "Schedule",
    "ScheduleRun",
    "Status",
    "StoredFile",
    "Tag",
    "Thread",
    "Tool",
    "ToolCall",
    "Waiting",
    "WaitingKind",
    "Webhook",
    "WebhookEvent",
    "Workflow",
    "WorkflowVersion",
    "is_array",
    "is_object",
]

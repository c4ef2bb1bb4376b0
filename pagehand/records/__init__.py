"""What Pagehand stores, as plain data, shared by storage, engine and API.

Moments are milliseconds since 1970 (UTC) and end in `_at`, or are named as the API names them.
"""

from pagehand.records.execution import (
    RESPONSE_FILE_NAME,
    Batch,
    Cancellation,
    DownloadState,
    DownloadStatus,
    Event,
    Execution,
    ExecutionFailure,
    FileInfo,
    FinalState,
    OutputPiece,
    QueueEntry,
    Requeue,
    SkippedRow,
    StoredFile,
    Waiting,
)
from pagehand.records.login import (
    Authentication,
    AuthenticationStatus,
    ContextAuthentication,
    ExecutionLogin,
    Login,
    LoginFacts,
    LoginHealth,
    LoginSummary,
    ReceivedMail,
    SavedSession,
)
from pagehand.records.organization import (
    LOST_AFTER_SECONDS,
    ApiKey,
    BatchEnd,
    ConsoleSession,
    Delivery,
    DeliveryStatus,
    Document,
    Organization,
    Owner,
    Passage,
    PassageDraft,
    Webhook,
    WebhookEvent,
    WebhookFormat,
)
from pagehand.records.values import Json, ProposalState, Status, WaitingKind, is_array, is_object
from pagehand.records.workflow import (
    CachedPlan,
    CatchUp,
    ElementTraits,
    Fingerprint,
    LinkAddress,
    Memory,
    Message,
    Overlap,
    Pictured,
    ProposedOperation,
    Reply,
    RunOutcome,
    Schedule,
    ScheduleRun,
    Tag,
    Thread,
    Tool,
    ToolCall,
    Workflow,
    WorkflowVersion,
)

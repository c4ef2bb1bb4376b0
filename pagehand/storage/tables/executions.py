"""Executions, their events, files and batches, narrow tables for lists and searches, and the engine's own."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    false,
    text,
    true,
)

from pagehand.records import (
    Authentication,
    ContextAuthentication,
    DownloadState,
    ExecutionFailure,
    ExecutionLogin,
    StoredFile,
    Waiting,
)
from pagehand.storage.columns import (
    JsonStruct,
    JsonStructList,
    JsonText,
    RawJsonText,
    SanitizedText,
    Serial,
    StatusText,
    metadata,
    partial_index,
)

executions = Table(
    "executions",
    metadata,
    Column("n", Serial, primary_key=True, autoincrement=True),  # the order of acceptance
    Column("id", Text, nullable=False),
    Column("organization_id", Text, nullable=False),
    Column("workflow_id", Text, nullable=False),
    Column("login_id", Text),
    Column("batch_id", Text),
    Column("status", StatusText, nullable=False),
    Column("is_test", Boolean, nullable=False),
    Column("accepted_at", BigInteger, nullable=False),
    Column("start_time", BigInteger, nullable=False),
    Column("deadline_at", BigInteger, nullable=False),
    Column("queued_at", BigInteger, nullable=False),
    Column("not_before", BigInteger),
    Column("fence", Integer, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("total_attempts", Integer, nullable=False),
    Column("workflow_version", Integer, nullable=False),
    Column("workflow_name", SanitizedText, nullable=False),
    Column("batch_name", SanitizedText),
    Column("name", SanitizedText),
    Column("browser_session_id", Text, nullable=False),
    Column("exclusive_logins", JsonText, nullable=False),
    Column("batch_concurrency", Integer),
    Column("use_proxy", Boolean, nullable=False),
    Column("needs_browser", Boolean, nullable=False, server_default=true()),
    Column("retry_safe", Boolean, nullable=False, server_default=false()),
    Column("thread_id", Text),
    Column("parent_execution_id", Text),
    Column("start_block_id", Text),
    Column("commit_block", SanitizedText),
    Column("session_id", Text),
    Column("vendor_id", SanitizedText),
    Column("live_view_url", SanitizedText),
    Column("end_time", BigInteger),
    Column("duration_ms", BigInteger),
    Column(
        "token", Text
    ),  # identifies the latest change of state, to recognize a change whose answer was lost
    Column("params", JsonText, nullable=False),
    Column("params_bytes", BigInteger),
    Column("secret_params", Text),
    Column("metadata", JsonText, nullable=False),
    Column("logins", JsonStructList(ExecutionLogin), nullable=False),
    Column("authentications", JsonStructList(Authentication), nullable=False),
    Column("context_authentications", JsonStructList(ContextAuthentication), nullable=False),
    Column("start_block", JsonText),
    Column("downloads", JsonStruct(DownloadState)),
    Column("response", RawJsonText),
    Column("response_file", JsonStruct(StoredFile)),
    Column("summary", SanitizedText),
    Column("error_analysis", SanitizedText),
    Column("failure", JsonStruct(ExecutionFailure)),
    Column("context", RawJsonText),
    Column("waiting", JsonStruct(Waiting)),
    Column("proposal", Text),
    Column("proposal_version", Integer),
    Index("executions_by_id", "id", unique=True),
    Index("executions_by_age", "organization_id", "n"),
    Index("executions_by_workflow", "organization_id", "workflow_id", "n"),
    Index("executions_by_login", "organization_id", "login_id", "n"),
    Index("executions_by_batch", "organization_id", "batch_id", "n"),
    Index("executions_by_status", "organization_id", "status", "n"),
    Index("executions_by_test", "organization_id", "is_test", "n"),
    Index("executions_by_start", "organization_id", "start_time", "status", "is_test", "n"),
    partial_index("executions_with_proposal", "organization_id", "n", where="proposal = 'open'"),
    partial_index("executions_unfinished", "n", where="status IN ('Enqueued', 'InProgress', 'Paused')"),
)
batches = Table(
    "batches",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", SanitizedText, nullable=False),
    Column("workflow_id", Text, nullable=False),
    Column("workflow_name", SanitizedText, nullable=False),
    Column("total", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("concurrency", Integer),
    Column("paused_at", BigInteger),
    Column("cancelled_at", BigInteger),
    Column("announced_at", BigInteger),
    Index("batches_by_age", "organization_id", "created_at", "id"),
    partial_index("batches_paused", "id", where="paused_at IS NOT NULL"),
)
events = Table(
    "events",
    metadata,
    Column("execution_id", Text, ForeignKey("executions.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("type", Text, nullable=False),
    Column("message", SanitizedText, nullable=False),
    Column("block_id", Text),
    Column("block_reference_id", Text),
    Column("data", JsonText, nullable=False),
    Column("screenshot_key", Text),
)
files = Table(
    "files",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("execution_id", Text),
    Column("name", SanitizedText, nullable=False),
    Column("mime_type", SanitizedText, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("key", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("search_text", SanitizedText),
    Index("files_by_age", "organization_id", "created_at", "id"),
    Index("files_by_execution", "organization_id", "execution_id", "created_at", "id"),
    partial_index("files_uploaded", "created_at", where="execution_id IS NULL"),
)


partial_index(
    "executions_admissible",  # in the order in which an organization's are taken
    executions.c.organization_id,
    executions.c.needs_browser,
    executions.c.priority.desc(),
    executions.c.n,
    where="status = 'Enqueued'",
)


# Outputs of a running execution, piece by piece; when it ends they move into `response`.
execution_outputs = Table(
    "execution_outputs",
    metadata,
    Column("execution_id", Text, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("path", JsonText, nullable=False),
    Column("value", JsonText),
)
# The searched texts, apart from the wide executions so that a scan reads little.
execution_search = Table(
    "execution_search",
    metadata,
    Column("n", Serial, primary_key=True, autoincrement=False),
    Column("organization_id", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("is_long", Boolean, nullable=False),  # only its beginning is in the trigram index
    partial_index("execution_search_long", "organization_id", "n", where="is_long"),
)
# Counts of executions, by one dimension at a time; maintained by triggers.
execution_counts = Table(
    "execution_counts",
    metadata,
    Column("organization_id", Text, primary_key=True),
    Column("dimension", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("status", Text, primary_key=True),
    Column("is_test", Boolean, primary_key=True),
    Column("count", BigInteger, nullable=False),
    Column("newest", BigInteger, nullable=False),  # no execution counted here has a greater n
)
# What was accepted within the last minute, if a limit per minute is set; one row per request.
recent_accepts = Table(
    "recent_accepts",
    metadata,
    Column("n", Serial, primary_key=True, autoincrement=True),
    Column("organization_id", Text, nullable=False),
    Column("at", BigInteger, nullable=False),  # by the database's clock
    Column("count", Integer, nullable=False),
    Index("recent_accepts_by_age", "organization_id", "at"),
)
idempotency_keys = Table(
    "repeats",
    metadata,
    Column("organization_id", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("execution_id", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index("repeats_by_execution", "execution_id"),
)


# The process that runs this database's executions; at most one row.
engine_owner = Table(
    "engine_owner",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("token", Text, nullable=False),
    Column("installation", Text, nullable=False),
    Column("description", SanitizedText, nullable=False),
    Column("beat_at", BigInteger, nullable=False),  # by the database's clock
)


# Processes that run executions; `number` only says in which order they came.
workers = Table(
    "workers",
    metadata,
    Column("number", BigInteger, Identity(), primary_key=True),
    Column("id", Text, nullable=False),
    Column("address", Text, nullable=False),  # where other processes reach it
    Column("beat_at", BigInteger, nullable=False, server_default=text("0")),  # by the database's clock
    Index("workers_by_id", "id", unique=True),
)


# Which worker has an execution, from when it takes it until its attempt is over.
assignments = Table(
    "assignments",
    metadata,
    Column("execution_id", Text, primary_key=True),
    Column("worker_id", Text, nullable=False),
)


# Messages to executions that run in another process, until they are answered.
messages_to_runs = Table(
    "messages_to_runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("execution_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("body", JsonText, nullable=False),
    Column("sent_at", BigInteger, nullable=False),  # by the database's clock
    Column("answer", JsonText),
    Index("messages_to_runs_by_execution", "execution_id"),
)


# Which execution holds an exclusive login.
held_logins = Table(
    "held_logins",
    metadata,
    Column("login_id", Text, primary_key=True),
    Column("execution_id", Text, nullable=False),
    Index("held_logins_by_execution", "execution_id"),
)


# The exclusive login that a running execution waits for; to detect deadlocks.
awaited_logins = Table(
    "awaited_logins",
    metadata,
    Column("execution_id", Text, primary_key=True),
    Column("login_id", Text, nullable=False),
)

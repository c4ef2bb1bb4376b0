"""The tables; `migrations/` creates them, a test holds the two together."""

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
    Fingerprint,
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
    Column("skipped", Integer, nullable=False, server_default=text("0")),
    Column("skipped_rows", JsonText),
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


organizations = Table(
    "organizations",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
)
organization_proxies = Table(
    "organization_proxies",
    metadata,
    Column("organization_id", Text, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
)
api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, ForeignKey("organizations.id"), nullable=False),
    Column("name", SanitizedText),
    Column("digest", LargeBinary, nullable=False),
    Column("scopes", JsonText, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("last_used_at", BigInteger),
    Column("revoked_at", BigInteger),
    Index("api_keys_by_organization", "organization_id", "created_at"),
)
console_sessions = Table(
    "console_sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("key_id", Text, ForeignKey("api_keys.id"), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Index("console_sessions_by_key", "key_id", "created_at"),
)
logins = Table(
    "logins",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", SanitizedText, nullable=False),
    Column("username", SanitizedText, nullable=False),
    Column("search_text", SanitizedText, nullable=False),
    Column("fields", JsonText, nullable=False),
    Column("secrets", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("logins_by_age", "organization_id", "created_at", "id"),
)
login_health = Table(
    "login_health",
    metadata,
    Column("login_id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("last_success_at", BigInteger),
    Column("last_failure_at", BigInteger),
    Column("last_failure", SanitizedText),
    Column("held_version", BigInteger),
    Column("held_at", BigInteger),
    Column("failures", Integer, nullable=False, server_default=text("0")),
)
login_sessions = Table(
    "login_sessions",
    metadata,
    Column("login_id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("generation", Text, nullable=False),
    Column("login_version", BigInteger, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("saved_at", BigInteger, nullable=False),
)
login_mails = Table(
    "login_mails",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("login_id", Text, nullable=False),
    Column("received_at", BigInteger, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Index("login_mails_by_age", "login_id", "received_at"),
)
webhooks = Table(
    "webhooks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("url", SanitizedText, nullable=False),
    Column("events", JsonText, nullable=False),
    Column("name", SanitizedText),
    Column("is_active", Boolean, nullable=False),
    Column("secrets", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("format", Text, nullable=False, server_default="pagehand"),
    Index("webhooks_by_age", "organization_id", "created_at", "id"),
)
deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("webhook_id", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("event", Text, nullable=False),
    Column("body", SanitizedText, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("status", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", BigInteger),
    Column("last_attempt_at", BigInteger),
    Column("delivered_at", BigInteger),
    Column("response_status", Integer),
    Column("error", SanitizedText),
    Column("topic", Text),
    Column("digest_id", Text),
    Index("deliveries_by_age", "webhook_id", "created_at", "id"),
    partial_index("deliveries_due", "next_at", where="next_at IS NOT NULL"),
    partial_index("deliveries_ended", "created_at", where="next_at IS NULL"),
)


workflows = Table(
    "workflows",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", SanitizedText, nullable=False),
    Column("search_text", SanitizedText, nullable=False),
    Column("version", Integer, nullable=False),
    Column("blocks", JsonText, nullable=False),
    Column("output", JsonText),
    Column("parameters", JsonText, nullable=False),
    Column("retry_safe", Boolean, nullable=False, server_default=false()),
    Column("pictures", Text, nullable=False, server_default="all"),
    Column("file_digest", Text),
    Column("exported_digests", JsonText, nullable=False, server_default="{}"),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("deleted_at", BigInteger),
    Index("workflows_by_name", "organization_id", "name"),
    Index("workflows_by_age", "organization_id", "created_at", "id"),
)
workflow_versions = Table(
    "workflow_versions",
    metadata,
    Column("workflow_id", Text, ForeignKey("workflows.id"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("name", SanitizedText, nullable=False),
    Column("blocks", JsonText, nullable=False),
    Column("output", JsonText),
    Column("parameters", JsonText, nullable=False),
    Column("retry_safe", Boolean, nullable=False, server_default=false()),
    Column("pictures", Text, nullable=False, server_default="all"),
    Column("created_at", BigInteger, nullable=False),
)
tags = Table(
    "tags",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", SanitizedText, nullable=False),
    Index("tags_by_name", "organization_id", "name", unique=True),
)
workflow_tags = Table(
    "workflow_tags",
    metadata,
    Column("workflow_id", Text, ForeignKey("workflows.id"), primary_key=True),
    Column("tag_id", Text, ForeignKey("tags.id", ondelete="CASCADE"), primary_key=True),
    Index("workflow_tags_by_tag", "tag_id", "workflow_id"),
)
# What an element was like when a block found it; `key` stands for the locator with its templates filled in.
memories = Table(
    "memories",
    metadata,
    Column("workflow_id", Text, primary_key=True),
    Column("block_id", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("written", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("remembered_at", BigInteger, nullable=False),
    Column("healed_locator", JsonText),
    Column("fingerprint", JsonStruct(Fingerprint)),
    Column("healed_fingerprint", JsonStruct(Fingerprint)),
)
# How a block read or did something last time; `key` stands for the page and the parameters' names.
plans = Table(
    "plans",
    metadata,
    Column("workflow_id", Text, primary_key=True),
    Column("block_id", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("written", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("page", SanitizedText, nullable=False),
    Column("made_by", Text, nullable=False),
    Column("kept_at", BigInteger, nullable=False),
    Column("plan", JsonText, nullable=False),
)
threads = Table(
    "threads",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", SanitizedText, nullable=False),
    Column("workflow_id", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("workflow_version", Integer),
    Column("proposed_operations", JsonText),
    Column("proposal", Text),
    Column("proposal_version", Integer),
)
messages = Table(
    "messages",
    metadata,
    Column("thread_id", Text, ForeignKey("threads.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("role", Text, nullable=False),
    Column("text", SanitizedText, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)
schedules = Table(
    "schedules",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("workflow_id", Text, ForeignKey("workflows.id"), nullable=False),
    Column("cron", Text, nullable=False),
    Column("time_zone", Text, nullable=False),
    Column("params", JsonText, nullable=False),
    Column("secret_params", Text),
    Column("login_id", Text),
    Column("name", SanitizedText),
    Column("is_enabled", Boolean, nullable=False),
    Column("catch_up", Text, nullable=False),
    Column("overlap", Text, nullable=False),
    Column("look", Boolean, nullable=False, server_default=false()),
    Column("next_at", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("schedules_by_age", "organization_id", "created_at", "id"),
    Index("schedules_by_workflow", "workflow_id"),
    partial_index("schedules_due", "next_at", where="is_enabled"),
)
schedule_runs = Table(
    "schedule_runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("schedule_id", Text, nullable=False),
    Column("scheduled_for", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("is_manual", Boolean, nullable=False),
    Column("execution_id", Text),
    Column("message", SanitizedText),
    Index("schedule_runs_by_age", "schedule_id", "id"),
)


documents = Table(
    "documents",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", SanitizedText, nullable=False),
    Column("tags", JsonText, nullable=False),
    Column("file_id", Text),
    Column("characters", Integer, nullable=False),
    Column("passages", Integer, nullable=False),
    Column("words", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index("documents_by_age", "organization_id", "created_at", "id"),
)


document_tags = Table(
    "document_tags",
    metadata,
    Column("tag", Text, primary_key=True),
    Column("document_id", Text, primary_key=True),
    Index("document_tags_by_document", "document_id"),
)


passages = Table(
    "passages",
    metadata,
    Column("n", Serial, primary_key=True, autoincrement=True),
    Column("organization_id", Text, nullable=False),
    Column("document_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("text", SanitizedText, nullable=False),
    Column("embedding", LargeBinary),
    Index("passages_by_document", "document_id", "position", unique=True),
    Index("passages_by_organization", "organization_id"),
)


# Which words stand in which passage, and how often; `length` is the passage's, in words.
passage_words = Table(
    "passage_words",
    metadata,
    Column("organization_id", Text, primary_key=True),
    Column("word", Text, primary_key=True),
    Column("passage", Serial, primary_key=True, autoincrement=False),
    Column("count", Integer, nullable=False),
    Column("length", Integer, nullable=False),
    Index("passage_words_by_passage", "passage"),
    sqlite_with_rowid=False,
)

"""The tables; `migrations/` creates them, a test holds the two together."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    false,
    text,
)

from pagehand.records import (
    Authentication,
    ContextAuthentication,
    ExecutionFailure,
    ExecutionLogin,
    Fingerprint,
    Waiting,
)
from pagehand.storage.columns import JsonText, Prose, Record, Records, StatusText

metadata = MetaData()

# SQLite numbers rows by itself only in a column whose type is exactly INTEGER
Serial = BigInteger().with_variant(Integer(), "sqlite")

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
    Column("name", Prose),
    Column("digest", LargeBinary, nullable=False),
    Column("scopes", JsonText, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("last_used_at", BigInteger),
    Column("revoked_at", BigInteger),
    Index("api_keys_by_organization", "organization_id", "created_at"),
)

workflows = Table(
    "workflows",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", Prose, nullable=False),
    Column("search_text", Prose, nullable=False),
    Column("version", Integer, nullable=False),
    Column("blocks", JsonText, nullable=False),
    Column("output", JsonText),
    Column("parameters", JsonText, nullable=False),
    Column("retry_safe", Boolean, nullable=False, server_default=false()),
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
    Column("name", Prose, nullable=False),
    Column("blocks", JsonText, nullable=False),
    Column("output", JsonText),
    Column("parameters", JsonText, nullable=False),
    Column("retry_safe", Boolean, nullable=False, server_default=false()),
    Column("created_at", BigInteger, nullable=False),
)

tags = Table(
    "tags",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", Prose, nullable=False),
    Index("tags_by_name", "organization_id", "name", unique=True),
)

workflow_tags = Table(
    "workflow_tags",
    metadata,
    Column("workflow_id", Text, ForeignKey("workflows.id"), primary_key=True),
    Column("tag_id", Text, ForeignKey("tags.id", ondelete="CASCADE"), primary_key=True),
    Index("workflow_tags_by_tag", "tag_id", "workflow_id"),
)

batches = Table(
    "batches",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", Prose, nullable=False),
    Column("workflow_id", Text, nullable=False),
    Column("workflow_name", Prose, nullable=False),
    Column("total", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("concurrency", Integer),
    Column("paused_at", BigInteger),
    Column("cancelled_at", BigInteger),
    Column("announced_at", BigInteger),
    Index("batches_by_age", "organization_id", "created_at", "id"),
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
    Column("workflow_name", Prose, nullable=False),
    Column("batch_name", Prose),
    Column("name", Prose),
    Column("browser_session_id", Text, nullable=False),
    Column("exclusive_logins", JsonText, nullable=False),
    Column("batch_concurrency", Integer),
    Column("use_proxy", Boolean, nullable=False),
    Column("retry_safe", Boolean, nullable=False, server_default=false()),
    Column("thread_id", Text),
    Column("parent_execution_id", Text),
    Column("start_block_id", Text),
    Column("commit_block", Prose),
    Column("session_id", Text),
    Column("vendor_id", Prose),
    Column("live_view_url", Prose),
    Column("end_time", BigInteger),
    Column("duration_ms", BigInteger),
    Column("token", Text),  # names the latest change of state, so that a lost answer can be looked up
    Column("params", JsonText, nullable=False),
    Column("params_bytes", BigInteger),
    Column("secret_params", Text),
    Column("metadata", JsonText, nullable=False),
    Column("logins", Records(ExecutionLogin), nullable=False),
    Column("authentications", Records(Authentication), nullable=False),
    Column("context_authentications", Records(ContextAuthentication), nullable=False),
    Column("start_block", JsonText),
    Column("downloads", JsonText),
    Column("response", JsonText),
    Column("response_file", JsonText),
    Column("summary", Prose),
    Column("error_analysis", Prose),
    Column("failure", Record(ExecutionFailure)),
    Column("context", JsonText),
    Column("waiting", Record(Waiting)),
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
    Index(
        "executions_with_proposal",
        "organization_id",
        "n",
        sqlite_where=text("proposal = 'open'"),
        postgresql_where=text("proposal = 'open'"),
    ),
    Index(
        "executions_unfinished",
        "n",
        sqlite_where=text("status IN ('Enqueued', 'InProgress', 'Paused')"),
        postgresql_where=text("status IN ('Enqueued', 'InProgress', 'Paused')"),
    ),
)

Index(
    "executions_waiting",  # in the order in which they are handed over
    executions.c.organization_id,
    executions.c.priority.desc(),
    executions.c.n,
    sqlite_where=text("status = 'Enqueued'"),
    postgresql_where=text("status = 'Enqueued'"),
)

# What a running execution has put out so far, piece by piece; its end puts all of it into `response`.
execution_outputs = Table(
    "execution_outputs",
    metadata,
    Column("execution_id", Text, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("path", JsonText, nullable=False),
    Column("value", JsonText),
)

# The one process that runs this database's executions; at most one row.
engine_owner = Table(
    "engine_owner",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("token", Text, nullable=False),
    Column("installation", Text, nullable=False),
    Column("description", Prose, nullable=False),
    Column("beat_at", BigInteger, nullable=False),  # by the database's clock
)

# Workers of the shared engine, by the number that the queue knows them by.
workers = Table(
    "workers",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("id", Text, nullable=False),
    Column("address", Text, nullable=False),  # where other processes reach what runs there
)

# What is said to executions that run in another process, until it is answered.
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

# Which execution has a login that one execution at a time may use; several processes look here.
held_logins = Table(
    "held_logins",
    metadata,
    Column("login_id", Text, primary_key=True),
    Column("execution_id", Text, nullable=False),
    Index("held_logins_by_execution", "execution_id"),
)

# The exclusive login that a running execution waits for, so that two never wait for each other.
awaited_logins = Table(
    "awaited_logins",
    metadata,
    Column("execution_id", Text, primary_key=True),
    Column("login_id", Text, nullable=False),
)

# What `search` looks through, apart from the wide executions so that a scan reads little.
execution_search = Table(
    "execution_search",
    metadata,
    Column("n", Serial, primary_key=True, autoincrement=False),
    Column("organization_id", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("is_long", Boolean, nullable=False),  # only its beginning is in the trigram index
    Index(
        "execution_search_long",
        "organization_id",
        "n",
        sqlite_where=text("is_long"),
        postgresql_where=text("is_long"),
    ),
)

# How many executions there are, by one dimension at a time; triggers keep it.
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

idempotency_keys = Table(
    "repeats",
    metadata,
    Column("organization_id", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("execution_id", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("execution_id", Text, ForeignKey("executions.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("type", Text, nullable=False),
    Column("message", Prose, nullable=False),
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
    Column("name", Prose, nullable=False),
    Column("mime_type", Prose, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("key", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("search_text", Prose),
    Index("files_by_age", "organization_id", "created_at", "id"),
    Index("files_by_execution", "organization_id", "execution_id", "created_at", "id"),
)

logins = Table(
    "logins",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", Prose, nullable=False),
    Column("username", Prose, nullable=False),
    Column("search_text", Prose, nullable=False),
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
    Column("last_failure", Prose),
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

threads = Table(
    "threads",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", Prose, nullable=False),
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
    Column("text", Prose, nullable=False),
    Column("created_at", BigInteger, nullable=False),
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
    Column("page", Prose, nullable=False),
    Column("made_by", Text, nullable=False),
    Column("kept_at", BigInteger, nullable=False),
    Column("plan", JsonText, nullable=False),
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
    Column("fingerprint", Record(Fingerprint)),
    Column("healed_fingerprint", Record(Fingerprint)),
)

webhooks = Table(
    "webhooks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("url", Prose, nullable=False),
    Column("events", JsonText, nullable=False),
    Column("name", Prose),
    Column("is_active", Boolean, nullable=False),
    Column("secrets", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
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
    Column("body", Prose, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("status", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", BigInteger),
    Column("last_attempt_at", BigInteger),
    Column("delivered_at", BigInteger),
    Column("response_status", Integer),
    Column("error", Prose),
    Index("deliveries_by_age", "webhook_id", "created_at", "id"),
    Index(
        "deliveries_due",
        "next_at",
        sqlite_where=text("next_at IS NOT NULL"),
        postgresql_where=text("next_at IS NOT NULL"),
    ),
)

documents = Table(
    "documents",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", Prose, nullable=False),
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
    Column("text", Prose, nullable=False),
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
    Column("name", Prose),
    Column("is_enabled", Boolean, nullable=False),
    Column("catch_up", Text, nullable=False),
    Column("overlap", Text, nullable=False),
    Column("next_at", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("schedules_by_age", "organization_id", "created_at", "id"),
    Index("schedules_by_workflow", "workflow_id"),
    Index(
        "schedules_due",
        "next_at",
        sqlite_where=text("is_enabled"),
        postgresql_where=text("is_enabled"),
    ),
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
    Column("message", Prose),
    Index("schedule_runs_by_age", "schedule_id", "id"),
)

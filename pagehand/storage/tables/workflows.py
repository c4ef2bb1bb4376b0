"""Workflows, their versions, tags, schedules, threads, what executions learned, and the knowledge base."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    false,
)

from pagehand.records import Fingerprint
from pagehand.storage.columns import JsonStruct, JsonText, SanitizedText, Serial, metadata, partial_index

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

"""The tables; `migrations/` creates them, a test holds the two together.

Others import the tables from here, so that `metadata` always knows all of them: foreign keys name their
tables as text, and SQLAlchemy looks them up in it.
"""

from pagehand.storage.tables.engine import (
    awaited_logins,
    engine_owner,
    held_logins,
    messages_to_runs,
    workers,
)
from pagehand.storage.tables.executions import (
    batches,
    events,
    execution_counts,
    execution_outputs,
    execution_search,
    executions,
    files,
    idempotency_keys,
    recent_accepts,
)
from pagehand.storage.tables.knowledge import document_tags, documents, passage_words, passages
from pagehand.storage.tables.metadata import metadata
from pagehand.storage.tables.organizations import (
    api_keys,
    console_sessions,
    deliveries,
    login_health,
    login_mails,
    login_sessions,
    logins,
    organization_proxies,
    organizations,
    webhooks,
)
from pagehand.storage.tables.workflows import (
    memories,
    messages,
    plans,
    schedule_runs,
    schedules,
    tags,
    threads,
    workflow_tags,
    workflow_versions,
    workflows,
)

__all__ = [
    "api_keys",
    "awaited_logins",
    "batches",
    "console_sessions",
    "deliveries",
    "document_tags",
    "documents",
    "engine_owner",
    "events",
    "execution_counts",
    "execution_outputs",
    "execution_search",
    "executions",
    "files",
    "held_logins",
    "idempotency_keys",
    "login_health",
    "login_mails",
    "login_sessions",
    "logins",
    "memories",
    "messages",
    "messages_to_runs",
    "metadata",
    "organization_proxies",
    "organizations",
    "passage_words",
    "passages",
    "plans",
    "recent_accepts",
    "schedule_runs",
    "schedules",
    "tags",
    "threads",
    "webhooks",
    "workers",
    "workflow_tags",
    "workflow_versions",
    "workflows",
]

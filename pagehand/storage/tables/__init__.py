"""The tables; `migrations/` creates them, a test holds the two together.

Others import the tables from here, so that `metadata` always knows all of them: foreign keys name their
tables as text, and SQLAlchemy looks them up in it.
"""

from pagehand.storage.columns import metadata
from pagehand.storage.tables.executions import (
    assignments,
    awaited_logins,
    batches,
    engine_owner,
    events,
    execution_counts,
    execution_outputs,
    execution_search,
    executions,
    files,
    held_logins,
    idempotency_keys,
    messages_to_runs,
    recent_accepts,
    workers,
)
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
    document_tags,
    documents,
    memories,
    messages,
    passage_words,
    passages,
    plans,
    schedule_runs,
    schedules,
    tags,
    threads,
    workflow_tags,
    workflow_versions,
    workflows,
)

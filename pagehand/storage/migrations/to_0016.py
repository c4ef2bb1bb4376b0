"""The steps from the second version of the tables to the sixteenth."""

import sqlalchemy as sa

from pagehand.storage.migrations.first_tables import BIG, SERIAL
from pagehand.storage.migrations.operations import Operations


def step_0002(op: Operations) -> None:
    """What elements were like when blocks last found them."""
    op.create_table(
        "memories",
        sa.Column("workflow_id", sa.Text, primary_key=True),
        sa.Column("block_id", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("written", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("remembered_at", BIG, nullable=False),
        sa.Column("healed_locator", sa.Text),
        sa.Column("fingerprint", sa.Text),
        sa.Column("healed_fingerprint", sa.Text),
    )


def step_0003(op: Operations) -> None:
    """Webhooks, what is on its way to them, and which batches they were told of."""
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("events", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("secrets", sa.LargeBinary, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.Index("webhooks_by_age", "organization_id", "created_at", "id"),
    )
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("webhook_id", sa.Text, nullable=False),
        sa.Column("message_id", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_at", BIG),
        sa.Column("last_attempt_at", BIG),
        sa.Column("delivered_at", BIG),
        sa.Column("response_status", sa.Integer),
        sa.Column("error", sa.Text),
        sa.Index("deliveries_by_age", "webhook_id", "created_at", "id"),
    )
    op.create_index("deliveries_due", "deliveries", ["next_at"], where="next_at IS NOT NULL")
    op.add_column("batches", sa.Column("announced_at", BIG))


def step_0004(op: Operations) -> None:
    """How logins fare, their saved sessions and mail, and what is secret among an execution's parameters."""
    op.create_table(
        "login_health",
        sa.Column("login_id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("last_success_at", BIG),
        sa.Column("last_failure_at", BIG),
        sa.Column("last_failure", sa.Text),
        sa.Column("held_version", BIG),
        sa.Column("held_at", BIG),
    )
    op.create_table(
        "login_sessions",
        sa.Column("login_id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("generation", sa.Text, nullable=False),
        sa.Column("login_version", BIG, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("saved_at", BIG, nullable=False),
    )
    op.create_table(
        "login_mails",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("login_id", sa.Text, nullable=False),
        sa.Column("received_at", BIG, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Index("login_mails_by_age", "login_id", "received_at"),
    )
    op.add_column("executions", sa.Column("secret_params", sa.Text))


def step_0005(op: Operations) -> None:
    """How blocks read or did things last time."""
    op.create_table(
        "plans",
        sa.Column("workflow_id", sa.Text, primary_key=True),
        sa.Column("block_id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("written", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("page", sa.Text, nullable=False),
        sa.Column("made_by", sa.Text, nullable=False),
        sa.Column("kept_at", BIG, nullable=False),
        sa.Column("plan", sa.Text, nullable=False),
    )


def step_0006(op: Operations) -> None:
    """The knowledge base."""
    op.create_table(
        "documents",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("tags", sa.Text, nullable=False),
        sa.Column("file_id", sa.Text),
        sa.Column("characters", sa.Integer, nullable=False),
        sa.Column("passages", sa.Integer, nullable=False),
        sa.Column("words", sa.Integer, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Index("documents_by_age", "organization_id", "created_at", "id"),
    )
    op.create_table(
        "document_tags",
        sa.Column("tag", sa.Text, primary_key=True),
        sa.Column("document_id", sa.Text, primary_key=True),
        sa.Index("document_tags_by_document", "document_id"),
    )
    op.create_table(
        "passages",
        sa.Column("n", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("document_id", sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("embedding", sa.LargeBinary),
        sa.Index("passages_by_document", "document_id", "position", unique=True),
        sa.Index("passages_by_organization", "organization_id"),
    )
    op.create_table(
        "passage_words",
        sa.Column("organization_id", sa.Text, primary_key=True),
        sa.Column("word", sa.Text, primary_key=True),
        sa.Column("passage", SERIAL, primary_key=True, autoincrement=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("length", sa.Integer, nullable=False),
        sa.Index("passage_words_by_passage", "passage"),
        sqlite_with_rowid=False,
    )


def step_0007(op: Operations) -> None:
    """Proxies of organizations."""
    op.create_table(
        "organization_proxies",
        sa.Column("organization_id", sa.Text, primary_key=True),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )


def step_0008(op: Operations) -> None:
    """A list of the logins an execution has to itself instead of a flag; how many of a batch run at once."""
    op.add_column("executions", sa.Column("exclusive_logins", sa.Text, nullable=False, server_default="[]"))
    op.add_column("executions", sa.Column("batch_concurrency", sa.Integer))
    op.add_column("batches", sa.Column("concurrency", sa.Integer))
    # only those that still wait for their login: the others have no use for it
    op.execute(
        """UPDATE executions SET exclusive_logins = '["' || login_id || '"]'
        WHERE login_is_exclusive AND login_id IS NOT NULL
        AND status IN ('Enqueued', 'InProgress', 'Paused')"""
    )
    op.drop_column("executions", "login_is_exclusive")


def step_0009(op: Operations) -> None:
    """Workflows that may be repeated although they have effects; nothing that exists says so."""
    for table in ("workflows", "workflow_versions", "executions"):
        op.add_column(table, sa.Column("retry_safe", sa.Boolean, nullable=False, server_default=sa.false()))


def step_0010(op: Operations) -> None:
    """Why executions failed, for programs; those that failed before have none."""
    op.add_column("executions", sa.Column("failure", sa.Text))


def step_0011(op: Operations) -> None:
    """Tokens of state changes, outputs piece by piece, and the owner of the engine."""
    op.add_column("executions", sa.Column("token", sa.Text))
    op.add_column("executions", sa.Column("params_bytes", BIG))
    op.create_table(
        "execution_outputs",
        sa.Column("execution_id", sa.Text, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("value", sa.Text),
    )
    op.create_table(
        "engine_owner",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("token", sa.Text, nullable=False),
        sa.Column("installation", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("beat_at", BIG, nullable=False),
    )


def step_0012(op: Operations) -> None:
    """Schedules, and what became of each of their moments."""
    op.create_table(
        "schedules",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("workflow_id", sa.Text, sa.ForeignKey("workflows.id"), nullable=False),
        sa.Column("cron", sa.Text, nullable=False),
        sa.Column("time_zone", sa.Text, nullable=False),
        sa.Column("params", sa.Text, nullable=False),
        sa.Column("secret_params", sa.Text),
        sa.Column("login_id", sa.Text),
        sa.Column("name", sa.Text),
        sa.Column("is_enabled", sa.Boolean, nullable=False),
        sa.Column("catch_up", sa.Text, nullable=False),
        sa.Column("overlap", sa.Text, nullable=False),
        sa.Column("next_at", BIG, nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("updated_at", BIG, nullable=False),
        sa.Index("schedules_by_age", "organization_id", "created_at", "id"),
        sa.Index("schedules_by_workflow", "workflow_id"),
    )
    op.create_index("schedules_due", "schedules", ["next_at"], where="is_enabled")
    op.create_table(
        "schedule_runs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("schedule_id", sa.Text, nullable=False),
        sa.Column("scheduled_for", BIG, nullable=False),
        sa.Column("at", BIG, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("is_manual", sa.Boolean, nullable=False),
        sa.Column("execution_id", sa.Text),
        sa.Column("message", sa.Text),
        sa.Index("schedule_runs_by_age", "schedule_id", "id"),
    )


def step_0013(op: Operations) -> None:
    """Reasons of pauses, failures of a login in a row, and proposals: those made before wait for nobody."""
    op.add_column("executions", sa.Column("waiting", sa.Text))
    op.add_column("executions", sa.Column("proposal", sa.Text))
    op.add_column("executions", sa.Column("proposal_version", sa.Integer))
    op.create_index(
        "executions_with_proposal",
        "executions",
        ["organization_id", "n"],
        where="proposal = 'open'",
    )
    op.add_column(
        "login_health", sa.Column("failures", sa.Integer, nullable=False, server_default=sa.text("0"))
    )


def step_0014(op: Operations) -> None:
    """Several workers on one PostgreSQL: their addresses, messages to running executions, logins in use."""
    op.create_table(
        "workers",
        sa.Column("number", BIG, primary_key=True, autoincrement=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
    )
    op.create_table(
        "messages_to_runs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("execution_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("sent_at", BIG, nullable=False),
        sa.Column("answer", sa.Text),
    )
    op.create_index("messages_to_runs_by_execution", "messages_to_runs", ["execution_id"])
    op.create_table(
        "held_logins",
        sa.Column("login_id", sa.Text, primary_key=True),
        sa.Column("execution_id", sa.Text, nullable=False),
    )
    op.create_index("held_logins_by_execution", "held_logins", ["execution_id"])


def step_0015(op: Operations) -> None:
    """Batches that are held."""
    op.add_column("batches", sa.Column("paused_at", BIG))


def step_0016(op: Operations) -> None:
    """Which exclusive login a running execution waits for."""
    op.create_table(
        "awaited_logins",
        sa.Column("execution_id", sa.Text, primary_key=True),
        sa.Column("login_id", sa.Text, nullable=False),
    )

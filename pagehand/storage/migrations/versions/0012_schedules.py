"""Schedules, and what became of each of their moments."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the tables."""
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
        sa.Column("next_at", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Index("schedules_by_age", "organization_id", "created_at", "id"),
        sa.Index("schedules_by_workflow", "workflow_id"),
    )
    is_enabled = sa.text("is_enabled")
    op.create_index(
        "schedules_due", "schedules", ["next_at"], sqlite_where=is_enabled, postgresql_where=is_enabled
    )
    op.create_table(
        "schedule_runs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("schedule_id", sa.Text, nullable=False),
        sa.Column("scheduled_for", sa.BigInteger, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("is_manual", sa.Boolean, nullable=False),
        sa.Column("execution_id", sa.Text),
        sa.Column("message", sa.Text),
        sa.Index("schedule_runs_by_age", "schedule_id", "id"),
    )

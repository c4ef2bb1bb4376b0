"""Schedules and their runs."""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Table, Text, text

from pagehand.storage.columns import JsonText, SanitizedText
from pagehand.storage.tables.metadata import metadata

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
    Column("message", SanitizedText),
    Index("schedule_runs_by_age", "schedule_id", "id"),
)

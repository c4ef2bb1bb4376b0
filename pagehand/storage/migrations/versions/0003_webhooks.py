"""Webhooks, what is on its way to them, and which batches they were told of."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("events", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("secrets", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
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
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_at", sa.BigInteger),
        sa.Column("last_attempt_at", sa.BigInteger),
        sa.Column("delivered_at", sa.BigInteger),
        sa.Column("response_status", sa.Integer),
        sa.Column("error", sa.Text),
        sa.Index("deliveries_by_age", "webhook_id", "created_at", "id"),
    )
    is_waiting = sa.text("next_at IS NOT NULL")
    op.create_index(
        "deliveries_due", "deliveries", ["next_at"], sqlite_where=is_waiting, postgresql_where=is_waiting
    )
    op.add_column("batches", sa.Column("announced_at", sa.BigInteger))

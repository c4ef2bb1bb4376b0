"""Alerts by mail and to chats: the format of a webhook, and what belongs into one mail."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    """Webhooks that exist get what they got before."""
    op.add_column("webhooks", sa.Column("format", sa.Text, nullable=False, server_default="pagehand"))
    op.add_column("deliveries", sa.Column("topic", sa.Text))
    op.add_column("deliveries", sa.Column("digest_id", sa.Text))

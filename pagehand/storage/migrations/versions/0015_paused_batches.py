"""Batches that are held."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the column."""
    op.add_column("batches", sa.Column("paused_at", sa.BigInteger))

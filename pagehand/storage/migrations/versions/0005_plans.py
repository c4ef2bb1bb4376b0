"""How blocks read or did things last time."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create the table."""
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
        sa.Column("kept_at", sa.BigInteger, nullable=False),
        sa.Column("plan", sa.Text, nullable=False),
    )

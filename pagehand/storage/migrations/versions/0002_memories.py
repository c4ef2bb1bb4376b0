"""What elements were like when blocks last found them."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "memories",
        sa.Column("workflow_id", sa.Text, primary_key=True),
        sa.Column("block_id", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("written", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("remembered_at", sa.BigInteger, nullable=False),
        sa.Column("healed_locator", sa.Text),
        sa.Column("fingerprint", sa.Text),
        sa.Column("healed_fingerprint", sa.Text),
    )

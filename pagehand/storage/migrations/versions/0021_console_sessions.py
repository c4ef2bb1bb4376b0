"""The sessions of people who signed in to the console, so that one can be ended."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Add the table of sessions."""
    op.create_table(
        "console_sessions",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("key_id", sa.Text, sa.ForeignKey("api_keys.id"), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )
    op.create_index("console_sessions_by_key", "console_sessions", ["key_id", "created_at"])

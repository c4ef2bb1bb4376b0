"""Several workers on one PostgreSQL: their addresses, what is said to running executions, logins in use."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add tables."""
    op.create_table(
        "workers",
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
    )
    op.create_table(
        "messages_to_runs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("execution_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("sent_at", sa.BigInteger, nullable=False),
        sa.Column("answer", sa.Text),
    )
    op.create_index("messages_to_runs_by_execution", "messages_to_runs", ["execution_id"])
    op.create_table(
        "held_logins",
        sa.Column("login_id", sa.Text, primary_key=True),
        sa.Column("execution_id", sa.Text, nullable=False),
    )
    op.create_index("held_logins_by_execution", "held_logins", ["execution_id"])

"""Tokens of state changes, outputs piece by piece, and the owner of the engine."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add columns and tables."""
    op.add_column("executions", sa.Column("token", sa.Text))
    op.add_column("executions", sa.Column("params_bytes", sa.BigInteger))
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
        sa.Column("beat_at", sa.BigInteger, nullable=False),
    )

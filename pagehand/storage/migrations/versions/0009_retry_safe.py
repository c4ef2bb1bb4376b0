"""Workflows that may be repeated although they have effects."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Nothing that exists says so."""
    for table in ("workflows", "workflow_versions", "executions"):
        op.add_column(table, sa.Column("retry_safe", sa.Boolean, nullable=False, server_default=sa.false()))

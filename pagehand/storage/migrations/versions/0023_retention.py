"""Indexes by which the clean-up finds what is old and what belongs to it."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Index idempotency keys by execution, and uploads and ended deliveries by age."""
    op.create_index("repeats_by_execution", "repeats", ["execution_id"])
    for name, table, condition in (
        ("files_uploaded", "files", "execution_id IS NULL"),
        ("deliveries_ended", "deliveries", "next_at IS NULL"),
    ):
        where = sa.text(condition)
        op.create_index(name, table, ["created_at"], sqlite_where=where, postgresql_where=where)

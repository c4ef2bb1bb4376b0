"""What keeps limits on accepted executions exact when several processes accept at the same moment."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

# A function, because each of its statements sees what was committed when that statement begins: the count
# must include whatever was added before the lock was had. One statement alone would count first.
_COUNT_WITH_LOCK = """
    CREATE FUNCTION count_queued_with_lock(organization text) RETURNS bigint LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(7240537, hashtext(organization));
      RETURN (SELECT coalesce(sum(count), 0) FROM execution_counts
          WHERE organization_id = organization AND dimension = 'workflow' AND status = 'Enqueued')
        + (SELECT coalesce(sum(change), 0) FROM execution_count_changes
          WHERE organization_id = organization AND dimension = 'workflow' AND status = 'Enqueued');
    END $$
"""


def upgrade() -> None:
    """Add the table that rates are counted in, and PostgreSQL's way to count those that wait."""
    op.create_table(
        "recent_accepts",
        sa.Column(
            "n", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=True
        ),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
    )
    op.create_index("recent_accepts_by_age", "recent_accepts", ["organization_id", "at"])
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_COUNT_WITH_LOCK)

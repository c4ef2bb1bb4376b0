"""Which executions need a browser, and an index of those that wait, by that."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Add the column, true for those that wait already, and replace the index in the order of admission."""
    op.add_column(
        "executions", sa.Column("needs_browser", sa.Boolean, nullable=False, server_default=sa.true())
    )
    waits = sa.text("status = 'Enqueued'")
    op.create_index(
        "executions_admissible",
        "executions",
        ["organization_id", "needs_browser", sa.text("priority DESC"), "n"],
        sqlite_where=waits,
        postgresql_where=waits,
    )
    op.drop_index("executions_waiting", "executions")

"""An index of the executions that wait, in the order in which they are handed over."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Add an index: with thousands waiting, the next few are found without reading and sorting all."""
    waits = sa.text("status = 'Enqueued'")
    op.create_index(
        "executions_waiting",
        "executions",
        ["organization_id", sa.text("priority DESC"), "n"],
        sqlite_where=waits,
        postgresql_where=waits,
    )

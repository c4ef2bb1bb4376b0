"""Which logins an execution has to itself, and how many of a batch run at once."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Replace the flag by the list of logins."""
    op.add_column("executions", sa.Column("exclusive_logins", sa.Text, nullable=False, server_default="[]"))
    op.add_column("executions", sa.Column("batch_concurrency", sa.Integer))
    op.add_column("batches", sa.Column("concurrency", sa.Integer))
    # only those that still wait for their login: the others have no use for it
    op.execute(
        """UPDATE executions SET exclusive_logins = '["' || login_id || '"]'
        WHERE login_is_exclusive AND login_id IS NOT NULL
        AND status IN ('Enqueued', 'InProgress', 'Paused')"""
    )
    op.drop_column("executions", "login_is_exclusive")

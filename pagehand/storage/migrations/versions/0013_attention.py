"""What waits for a person: reasons of pauses, proposals, and how often a login failed in a row."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the columns; nobody is reminded of earlier proposals, but they can still be applied."""
    op.add_column("executions", sa.Column("waiting", sa.Text))
    op.add_column("executions", sa.Column("proposal", sa.Text))
    op.add_column("executions", sa.Column("proposal_version", sa.Integer))
    op.create_index(
        "executions_with_proposal",
        "executions",
        ["organization_id", "n"],
        sqlite_where=sa.text("proposal = 'open'"),
        postgresql_where=sa.text("proposal = 'open'"),
    )
    op.add_column(
        "login_health", sa.Column("failures", sa.Integer, nullable=False, server_default=sa.text("0"))
    )

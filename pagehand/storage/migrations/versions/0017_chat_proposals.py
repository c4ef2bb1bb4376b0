"""What conversations propose to change in workflows."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add the columns; earlier conversations propose nothing."""
    op.add_column("threads", sa.Column("workflow_version", sa.Integer))
    op.add_column("threads", sa.Column("proposed_operations", sa.Text))
    op.add_column("threads", sa.Column("proposal", sa.Text))
    op.add_column("threads", sa.Column("proposal_version", sa.Integer))

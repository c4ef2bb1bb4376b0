"""Why executions failed, for programs."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the column; executions that failed before have none."""
    op.add_column("executions", sa.Column("failure", sa.Text))

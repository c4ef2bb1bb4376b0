"""Why executions failed, for programs."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the column; executions that failed before have none."""
    op.add_column("executions", sa.Column("failure", sa.Text))

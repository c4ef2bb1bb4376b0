"""Which blocks of a workflow get a picture."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Workflows that exist keep a picture of every block that changes the page."""
    for table in ("workflows", "workflow_versions"):
        op.add_column(table, sa.Column("pictures", sa.Text, nullable=False, server_default="all"))

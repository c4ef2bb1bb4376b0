"""Which exclusive login a running execution waits for."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add a table."""
    op.create_table(
        "awaited_logins",
        sa.Column("execution_id", sa.Text, primary_key=True),
        sa.Column("login_id", sa.Text, nullable=False),
    )

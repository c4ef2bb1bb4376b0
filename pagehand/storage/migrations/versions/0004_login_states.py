"""How logins fare, their saved sessions and mail, and what is secret among an execution's parameters."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the tables and the column."""
    op.create_table(
        "login_health",
        sa.Column("login_id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("last_success_at", sa.BigInteger),
        sa.Column("last_failure_at", sa.BigInteger),
        sa.Column("last_failure", sa.Text),
        sa.Column("held_version", sa.BigInteger),
        sa.Column("held_at", sa.BigInteger),
    )
    op.create_table(
        "login_sessions",
        sa.Column("login_id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("generation", sa.Text, nullable=False),
        sa.Column("login_version", sa.BigInteger, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Column("saved_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "login_mails",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("login_id", sa.Text, nullable=False),
        sa.Column("received_at", sa.BigInteger, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Index("login_mails_by_age", "login_id", "received_at"),
    )
    op.add_column("executions", sa.Column("secret_params", sa.Text))

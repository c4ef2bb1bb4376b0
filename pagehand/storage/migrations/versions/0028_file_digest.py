"""What a workflow was like when its file was last applied or exported."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    """Workflows that exist have no files yet."""
    op.add_column("workflows", sa.Column("file_digest", sa.Text))

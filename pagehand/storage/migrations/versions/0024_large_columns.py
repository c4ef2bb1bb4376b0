"""The large columns of executions behind all others, in SQLite databases that have no executions yet.

SQLite walks through everything in front of a column: a list walked through 18 MB of response to show why a
run failed. Other databases keep their order: rewriting all executions takes minutes and as much disk again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

_LARGE = (
    ("params", "TEXT NOT NULL DEFAULT '{}'"),
    ("secret_params", "TEXT"),
    ("start_block", "TEXT"),
    ("context", "TEXT"),
    ("response", "TEXT"),
)


def upgrade() -> None:
    """Add the columns once more, which puts them last."""
    connection = op.get_bind()
    if connection.dialect.name != "sqlite" or connection.scalar(sa.text("SELECT n FROM executions LIMIT 1")):
        return
    for name, kind in _LARGE:
        op.execute(f"ALTER TABLE executions DROP COLUMN {name}")
        op.execute(f"ALTER TABLE executions ADD COLUMN {name} {kind}")

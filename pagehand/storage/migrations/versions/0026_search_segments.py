"""More segments in SQLite's search index before it merges them all at once, in somebody's transaction.

The clean-up merges a few pages at a time, and so does FTS5 itself. With its default of 16 segments, many
small changes beside a large segment had it rewrite the whole index while all other writers waited.
"""

from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    """Set the limit, which FTS5 stores with the index."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("INSERT INTO execution_trigrams (execution_trigrams, rank) VALUES ('crisismerge', 1000)")

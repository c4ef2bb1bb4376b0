"""The knowledge base."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

# SQLite numbers rows by itself only in a column whose type is exactly INTEGER
_Serial = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "documents",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("tags", sa.Text, nullable=False),
        sa.Column("file_id", sa.Text),
        sa.Column("characters", sa.Integer, nullable=False),
        sa.Column("passages", sa.Integer, nullable=False),
        sa.Column("words", sa.Integer, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Index("documents_by_age", "organization_id", "created_at", "id"),
    )
    op.create_table(
        "document_tags",
        sa.Column("tag", sa.Text, primary_key=True),
        sa.Column("document_id", sa.Text, primary_key=True),
        sa.Index("document_tags_by_document", "document_id"),
    )
    op.create_table(
        "passages",
        sa.Column("n", _Serial, primary_key=True, autoincrement=True),
        sa.Column("organization_id", sa.Text, nullable=False),
        sa.Column("document_id", sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("embedding", sa.LargeBinary),
        sa.Index("passages_by_document", "document_id", "position", unique=True),
        sa.Index("passages_by_organization", "organization_id"),
    )
    op.create_table(
        "passage_words",
        sa.Column("organization_id", sa.Text, primary_key=True),
        sa.Column("word", sa.Text, primary_key=True),
        sa.Column("passage", _Serial, primary_key=True, autoincrement=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("length", sa.Integer, nullable=False),
        sa.Index("passage_words_by_passage", "passage"),
        sqlite_with_rowid=False,
    )

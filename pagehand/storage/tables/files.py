"""Files; their bytes are in the file store."""

from sqlalchemy import BigInteger, Column, Index, Table, Text, text

from pagehand.storage.columns import SanitizedText
from pagehand.storage.tables.metadata import metadata

files = Table(
    "files",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("execution_id", Text),
    Column("name", SanitizedText, nullable=False),
    Column("mime_type", SanitizedText, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("key", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("search_text", SanitizedText),
    Index("files_by_age", "organization_id", "created_at", "id"),
    Index("files_by_execution", "organization_id", "execution_id", "created_at", "id"),
    Index(
        "files_uploaded",
        "created_at",
        sqlite_where=text("execution_id IS NULL"),
        postgresql_where=text("execution_id IS NULL"),
    ),
)

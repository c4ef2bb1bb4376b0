"""Documents of the knowledge base, cut into passages, and the words in them."""

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, Table, Text

from pagehand.storage.columns import JsonText, SanitizedText
from pagehand.storage.tables.metadata import Serial, metadata

documents = Table(
    "documents",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", SanitizedText, nullable=False),
    Column("tags", JsonText, nullable=False),
    Column("file_id", Text),
    Column("characters", Integer, nullable=False),
    Column("passages", Integer, nullable=False),
    Column("words", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index("documents_by_age", "organization_id", "created_at", "id"),
)

document_tags = Table(
    "document_tags",
    metadata,
    Column("tag", Text, primary_key=True),
    Column("document_id", Text, primary_key=True),
    Index("document_tags_by_document", "document_id"),
)

passages = Table(
    "passages",
    metadata,
    Column("n", Serial, primary_key=True, autoincrement=True),
    Column("organization_id", Text, nullable=False),
    Column("document_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("text", SanitizedText, nullable=False),
    Column("embedding", LargeBinary),
    Index("passages_by_document", "document_id", "position", unique=True),
    Index("passages_by_organization", "organization_id"),
)

# Which words stand in which passage, and how often; `length` is the passage's, in words.
passage_words = Table(
    "passage_words",
    metadata,
    Column("organization_id", Text, primary_key=True),
    Column("word", Text, primary_key=True),
    Column("passage", Serial, primary_key=True, autoincrement=False),
    Column("count", Integer, nullable=False),
    Column("length", Integer, nullable=False),
    Index("passage_words_by_passage", "passage"),
    sqlite_with_rowid=False,
)

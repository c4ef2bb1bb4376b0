"""How a block read or did something last time."""

from sqlalchemy import BigInteger, Column, Integer, Table, Text

from pagehand.storage.columns import JsonText, SanitizedText
from pagehand.storage.tables.metadata import metadata

# How a block read or did something last time; `key` stands for the page and the parameters' names.
plans = Table(
    "plans",
    metadata,
    Column("workflow_id", Text, primary_key=True),
    Column("block_id", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("written", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("page", SanitizedText, nullable=False),
    Column("made_by", Text, nullable=False),
    Column("kept_at", BigInteger, nullable=False),
    Column("plan", JsonText, nullable=False),
)

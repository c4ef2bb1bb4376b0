"""What an element was like when a block found it."""

from sqlalchemy import BigInteger, Column, Integer, Table, Text

from pagehand.records import Fingerprint
from pagehand.storage.columns import JsonStruct, JsonText
from pagehand.storage.tables.metadata import metadata

# What an element was like when a block found it; `key` stands for the locator with its templates filled in.
memories = Table(
    "memories",
    metadata,
    Column("workflow_id", Text, primary_key=True),
    Column("block_id", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("written", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("remembered_at", BigInteger, nullable=False),
    Column("healed_locator", JsonText),
    Column("fingerprint", JsonStruct(Fingerprint)),
    Column("healed_fingerprint", JsonStruct(Fingerprint)),
)

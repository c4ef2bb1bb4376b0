"""What happened in an execution, step by step."""

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, Table, Text

from pagehand.storage.columns import JsonText, SanitizedText
from pagehand.storage.tables.metadata import metadata

events = Table(
    "events",
    metadata,
    Column("execution_id", Text, ForeignKey("executions.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("type", Text, nullable=False),
    Column("message", SanitizedText, nullable=False),
    Column("block_id", Text),
    Column("block_reference_id", Text),
    Column("data", JsonText, nullable=False),
    Column("screenshot_key", Text),
)

"""Batches: many executions started at once."""

from sqlalchemy import BigInteger, Column, Index, Integer, Table, Text

from pagehand.storage.columns import SanitizedText
from pagehand.storage.tables.metadata import metadata

batches = Table(
    "batches",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", SanitizedText, nullable=False),
    Column("workflow_id", Text, nullable=False),
    Column("workflow_name", SanitizedText, nullable=False),
    Column("total", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("concurrency", Integer),
    Column("paused_at", BigInteger),
    Column("cancelled_at", BigInteger),
    Column("announced_at", BigInteger),
    Index("batches_by_age", "organization_id", "created_at", "id"),
)

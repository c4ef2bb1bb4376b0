"""Conversations about workflows."""

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, Table, Text

from pagehand.storage.columns import JsonText, SanitizedText
from pagehand.storage.tables.metadata import metadata

threads = Table(
    "threads",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", SanitizedText, nullable=False),
    Column("workflow_id", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("workflow_version", Integer),
    Column("proposed_operations", JsonText),
    Column("proposal", Text),
    Column("proposal_version", Integer),
)

messages = Table(
    "messages",
    metadata,
    Column("thread_id", Text, ForeignKey("threads.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("role", Text, nullable=False),
    Column("text", SanitizedText, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)

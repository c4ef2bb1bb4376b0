"""Workflows, their versions and their tags."""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table, Text, false

from pagehand.storage.columns import JsonText, SanitizedText
from pagehand.storage.tables.metadata import metadata

workflows = Table(
    "workflows",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", SanitizedText, nullable=False),
    Column("search_text", SanitizedText, nullable=False),
    Column("version", Integer, nullable=False),
    Column("blocks", JsonText, nullable=False),
    Column("output", JsonText),
    Column("parameters", JsonText, nullable=False),
    Column("retry_safe", Boolean, nullable=False, server_default=false()),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("deleted_at", BigInteger),
    Index("workflows_by_name", "organization_id", "name"),
    Index("workflows_by_age", "organization_id", "created_at", "id"),
)

workflow_versions = Table(
    "workflow_versions",
    metadata,
    Column("workflow_id", Text, ForeignKey("workflows.id"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("name", SanitizedText, nullable=False),
    Column("blocks", JsonText, nullable=False),
    Column("output", JsonText),
    Column("parameters", JsonText, nullable=False),
    Column("retry_safe", Boolean, nullable=False, server_default=false()),
    Column("created_at", BigInteger, nullable=False),
)

tags = Table(
    "tags",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", SanitizedText, nullable=False),
    Index("tags_by_name", "organization_id", "name", unique=True),
)

workflow_tags = Table(
    "workflow_tags",
    metadata,
    Column("workflow_id", Text, ForeignKey("workflows.id"), primary_key=True),
    Column("tag_id", Text, ForeignKey("tags.id", ondelete="CASCADE"), primary_key=True),
    Index("workflow_tags_by_tag", "tag_id", "workflow_id"),
)

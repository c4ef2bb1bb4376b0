"""Webhooks and what is sent to them."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, Table, Text, text

from pagehand.storage.columns import JsonText, SanitizedText
from pagehand.storage.tables.metadata import metadata

webhooks = Table(
    "webhooks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("url", SanitizedText, nullable=False),
    Column("events", JsonText, nullable=False),
    Column("name", SanitizedText),
    Column("is_active", Boolean, nullable=False),
    Column("secrets", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("webhooks_by_age", "organization_id", "created_at", "id"),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("webhook_id", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("event", Text, nullable=False),
    Column("body", SanitizedText, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("status", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", BigInteger),
    Column("last_attempt_at", BigInteger),
    Column("delivered_at", BigInteger),
    Column("response_status", Integer),
    Column("error", SanitizedText),
    Index("deliveries_by_age", "webhook_id", "created_at", "id"),
    Index(
        "deliveries_due",
        "next_at",
        sqlite_where=text("next_at IS NOT NULL"),
        postgresql_where=text("next_at IS NOT NULL"),
    ),
    Index(
        "deliveries_ended",
        "created_at",
        sqlite_where=text("next_at IS NULL"),
        postgresql_where=text("next_at IS NULL"),
    ),
)

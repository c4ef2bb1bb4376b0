"""Organizations, their proxies, their API keys and the sessions in the console."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, LargeBinary, Table, Text

from pagehand.storage.columns import JsonText, SanitizedText
from pagehand.storage.tables.metadata import metadata

organizations = Table(
    "organizations",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
)

organization_proxies = Table(
    "organization_proxies",
    metadata,
    Column("organization_id", Text, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, ForeignKey("organizations.id"), nullable=False),
    Column("name", SanitizedText),
    Column("digest", LargeBinary, nullable=False),
    Column("scopes", JsonText, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("last_used_at", BigInteger),
    Column("revoked_at", BigInteger),
    Index("api_keys_by_organization", "organization_id", "created_at"),
)

console_sessions = Table(
    "console_sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("key_id", Text, ForeignKey("api_keys.id"), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Index("console_sessions_by_key", "key_id", "created_at"),
)

"""Organizations, their proxies, API keys, console sessions, logins and webhooks."""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, LargeBinary, Table, Text, text

from pagehand.storage.columns import JsonText, SanitizedText, metadata, partial_index

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
logins = Table(
    "logins",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("name", SanitizedText, nullable=False),
    Column("username", SanitizedText, nullable=False),
    Column("search_text", SanitizedText, nullable=False),
    Column("fields", JsonText, nullable=False),
    Column("secrets", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("logins_by_age", "organization_id", "created_at", "id"),
)
login_health = Table(
    "login_health",
    metadata,
    Column("login_id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("last_success_at", BigInteger),
    Column("last_failure_at", BigInteger),
    Column("last_failure", SanitizedText),
    Column("held_version", BigInteger),
    Column("held_at", BigInteger),
    Column("failures", Integer, nullable=False, server_default=text("0")),
)
login_sessions = Table(
    "login_sessions",
    metadata,
    Column("login_id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("generation", Text, nullable=False),
    Column("login_version", BigInteger, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("saved_at", BigInteger, nullable=False),
)
login_mails = Table(
    "login_mails",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("login_id", Text, nullable=False),
    Column("received_at", BigInteger, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Index("login_mails_by_age", "login_id", "received_at"),
)
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
    Column("format", Text, nullable=False, server_default="pagehand"),
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
    Column("topic", Text),
    Column("digest_id", Text),
    Index("deliveries_by_age", "webhook_id", "created_at", "id"),
    partial_index("deliveries_due", "next_at", where="next_at IS NOT NULL"),
    partial_index("deliveries_ended", "created_at", where="next_at IS NULL"),
)

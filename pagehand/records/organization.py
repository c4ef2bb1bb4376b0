"""Organizations and their API keys."""

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class ApiKey:
    """A key of an organization; only its digest is stored."""

    id: str
    organization_id: str
    name: str | None
    digest: bytes
    scopes: list[str]
    created_at: int
    last_used_at: int | None = None
    revoked_at: int | None = None


@dataclass(slots=True, kw_only=True)
class Organization:
    """The owner of workflows, executions and logins."""

    id: str
    name: str
    created_at: int

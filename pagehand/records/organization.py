"""Organizations and their API keys."""

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class ApiKey:
    """A key of an organization; the key itself is not kept, only `digest`."""

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
    """Whom a workflow, an execution, a login belongs to."""

    id: str
    name: str
    created_at: int

"""Organizations, their API keys, and the sessions of people who signed in to the console with one."""

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
class ConsoleSession:
    """A person's session in the console; it ends with its key, at sign-out or when it expires."""

    id: str
    key_id: str
    created_at: int
    expires_at: int


@dataclass(slots=True, kw_only=True)
class Organization:
    """The owner of workflows, executions and logins."""

    id: str
    name: str
    created_at: int

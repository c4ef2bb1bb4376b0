"""Logins: what is stored, what a run may know of one, its health, and what its sign-ins leave behind."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pagehand.records.json_object import Json


@dataclass(slots=True, kw_only=True)
class Login:
    """A stored login; `secrets` is encrypted and never leaves the vault as text."""

    id: str
    organization_id: str
    name: str
    username: str
    fields: Json
    secrets: bytes
    created_at: int
    updated_at: int


@dataclass(slots=True, kw_only=True)
class LoginFacts:
    """What a run may know of a login: what templates show and what must be hidden."""

    id: str
    name: str
    is_manual: bool
    is_exclusive: bool
    uses_proxy: bool
    retries: int
    retry_delay_ms: int
    shown: Json
    """What `{{login.…}}` reads in most blocks; secrets stand there as `***`."""
    secret_values: dict[str, str] = field(repr=False)
    """What `{{login.…}}` means for the secrets among them, where they are typed or sent as auth."""
    secrets: list[str] = field(repr=False)
    site: str
    """The login's own addresses, in words."""
    is_own_url: Callable[[str], bool] = field(repr=False)
    """Whether its secrets may be typed or sent there."""


@dataclass(slots=True, kw_only=True)
class LoginHealth:
    """When a login last worked, why it last failed, and whether runs may try it."""

    login_id: str
    organization_id: str
    last_success_at: int | None = None
    last_failure_at: int | None = None
    last_failure: str | None = None
    held_version: int | None = None
    """`updated_at` of the login that no run may try again, because the site refused it."""
    held_at: int | None = None
    failures: int = 0
    """How often it failed since it last worked or was released."""


@dataclass(slots=True, kw_only=True)
class SavedSession:
    """What a site knows a browser by, encrypted; belongs to one version of one login."""

    login_id: str
    organization_id: str
    generation: str
    """Names the sign-in it came from."""
    login_version: int
    sealed: bytes
    saved_at: int


@dataclass(slots=True, kw_only=True)
class ReceivedMail:
    """A mail that came to a login's own address, encrypted."""

    id: str
    organization_id: str
    login_id: str
    received_at: int
    sealed: bytes

"""Logins, what runs may know of them, their sign-ins, health, saved sessions and received mail."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from msgspec import Struct

from pagehand.records.values import Json


@dataclass(slots=True, kw_only=True)
class Login:
    """A stored login; `secrets` is encrypted."""

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
    """What a run may know of a login: what templates show, and what must be hidden."""

    id: str
    name: str
    is_manual: bool
    is_exclusive: bool
    uses_proxy: bool
    retries: int
    retry_delay_ms: int
    shown: Json
    """The values of `{{login.…}}` in most blocks, with `***` for secrets."""
    secret_values: dict[str, str] = field(repr=False)
    """The secret values of `{{login.…}}`, for fields that are typed or sent as auth."""
    secrets: list[str] = field(repr=False)
    site: str
    """The login's own addresses, for people."""
    is_own_url: Callable[[str], bool] = field(repr=False)
    """Whether its secrets may be typed or sent there."""


@dataclass(slots=True, kw_only=True)
class LoginHealth:
    """When a login last worked, why it last failed, and whether runs may use it."""

    login_id: str
    organization_id: str
    last_success_at: int | None = None
    last_failure_at: int | None = None
    last_failure: str | None = None
    held_version: int | None = None
    """`updated_at` of the login version that the site refused, which no run may use again."""
    held_at: int | None = None
    failures: int = 0
    """How often it failed since it last worked or was released."""


@dataclass(slots=True, kw_only=True)
class SavedSession:
    """Cookies and storage of a signed-in browser, encrypted; of one version of one login."""

    login_id: str
    organization_id: str
    generation: str
    """Identifies the sign-in it came from."""
    login_version: int
    sealed: bytes
    saved_at: int


@dataclass(slots=True, kw_only=True)
class ReceivedMail:
    """A mail to a login's own address, encrypted."""

    id: str
    organization_id: str
    login_id: str
    received_at: int
    sealed: bytes


class AuthenticationStatus(StrEnum):
    """The status of a sign-in."""

    UNAUTHENTICATED = "Unauthenticated"
    IN_PROGRESS = "InProgress"
    WAITING_FOR_CODE = "WaitingForCode"
    WAITING_FOR_USER = "WaitingForUser"
    COMPLETED = "Completed"
    FAILED = "Failed"

    @property
    def is_waiting(self) -> bool:
        """True while somebody has to submit a code or sign in by hand."""
        return self in (AuthenticationStatus.WAITING_FOR_CODE, AuthenticationStatus.WAITING_FOR_USER)

    @property
    def has_ended(self) -> bool:
        """True once it went well or failed."""
        return self in (AuthenticationStatus.COMPLETED, AuthenticationStatus.FAILED)

    @property
    def is_under_way(self) -> bool:
        """True from its beginning to its end."""
        return not self.has_ended and self is not AuthenticationStatus.UNAUTHENTICATED


class Authentication(Struct, rename="camel", kw_only=True):
    """One sign-in that an execution performs."""

    browser_session_id: str
    status: AuthenticationStatus
    live_view_url: str = ""


class LoginSummary(Struct, rename="camel", kw_only=True):
    """A login in short."""

    login_id: str
    name: str
    is_manual: bool


class ContextAuthentication(Struct, rename="camel", kw_only=True):
    """A login that an execution may use, and the status of its sign-in."""

    context_authentication_id: str
    login_summary: LoginSummary
    authentication_status: AuthenticationStatus = AuthenticationStatus.UNAUTHENTICATED


class ExecutionLogin(Struct):
    """A login that an execution has signed in with or was started with."""

    id: str
    name: str

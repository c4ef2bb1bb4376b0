"""The sign-ins of an execution and their status."""

from enum import StrEnum

from msgspec import Struct


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

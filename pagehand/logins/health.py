"""The health of logins: when one last worked, why it last failed, and whether it is held back."""

from typing import Final

from pagehand.clock import now_ms
from pagehand.errors import PagehandError
from pagehand.logins import failures
from pagehand.records import Login
from pagehand.secrets.redactor import Redactor
from pagehand.storage.login_states import LoginStateStore

FAILURES_BEFORE_ATTENTION: Final = 3
"""After this many failures in a row a login is shown as needing attention."""


class LoginHealthTracker:
    """Records how sign-ins go, and stops runs from trying a password that the site has refused."""

    def __init__(self, store: LoginStateStore) -> None:
        self._store = store

    async def check(self, login: Login) -> None:
        """Raise for a login that is held back, until it is changed or released."""
        known = await self._store.health(login.organization_id, login.id)
        if known is not None and known.held_version == login.updated_at:
            raise failures.held_back(login.name, known.held_at or 0, known.last_failure or "")

    async def record_success(self, login: Login) -> None:
        """The sign-in worked."""
        await self._store.note_success(login, now_ms())

    async def record_failure(self, login: Login, error: PagehandError, secrets: Redactor) -> None:
        """The sign-in failed; only a refused password holds the login back, not a code or a broken page."""
        hold = isinstance(error, failures.CredentialsRefused) and not error.is_code
        await self._store.note_failure(login, now_ms(), secrets.text(error.message), hold=hold)

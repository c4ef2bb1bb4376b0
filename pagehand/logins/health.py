"""How a login fares: when it last worked, why it last failed, and whether runs are kept from trying it."""

from typing import Final

from pagehand.clock import now_ms
from pagehand.errors import PagehandError
from pagehand.logins.sign_in import failures
from pagehand.records import Login
from pagehand.secrets.redactor import Redactor
from pagehand.storage.login_states import LoginStateStore

FAILURES_TO_TELL: Final = 3
"""A login that failed this often in a row wants somebody to look at it."""


class Health:
    """Notes how sign-ins go, and stops runs from trying a password that the site has refused."""

    def __init__(self, store: LoginStateStore) -> None:
        self._store = store

    async def check(self, login: Login) -> None:
        """Refuse a login that is held back; changing it or releasing it ends that."""
        known = await self._store.health(login.organization_id, login.id)
        if known is not None and known.held_version == login.updated_at:
            raise failures.held_back(login.name, known.held_at or 0, known.last_failure or "")

    async def succeeded(self, login: Login) -> None:
        """The site let the login in."""
        await self._store.note_success(login, now_ms())

    async def failed(self, login: Login, error: PagehandError, secrets: Redactor) -> None:
        """The site did not; a refused password holds the login back, a code or a broken page does not."""
        hold = isinstance(error, failures.Refused) and not error.is_code
        await self._store.note_failure(login, now_ms(), secrets.text(error.message), hold=hold)

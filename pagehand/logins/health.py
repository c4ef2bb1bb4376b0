"""How a login fares: when it last worked, why it last failed, and whether runs are kept from trying it."""

from typing import Final, Protocol

from pagehand.clock import now_ms
from pagehand.errors import PagehandError
from pagehand.logins.sign_in import failures
from pagehand.records import Login, LoginHealth
from pagehand.secrets.redactor import Redactor

FAILURES_TO_TELL: Final = 3
"""A login that failed this often in a row wants somebody to look at it."""


class HealthStore(Protocol):
    """Where it is written down."""

    async def health(self, organization_id: str, login_id: str, /) -> LoginHealth | None:
        """What is known of a login."""
        ...

    async def note_success(self, login: Login, at: int, /) -> None:
        """It worked; whatever held it back does no longer."""
        ...

    async def note_failure(self, login: Login, at: int, reason: str, /, *, hold: bool) -> None:
        """It failed; with `hold` no run is to try this version of it again."""
        ...


class Health:
    """Notes how sign-ins go, and stops runs from trying a password that the site has refused."""

    def __init__(self, store: HealthStore) -> None:
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

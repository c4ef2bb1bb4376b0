"""The logins of an organization: create, update, find, delete, and compute their codes."""

from collections.abc import Callable
from dataclasses import dataclass

from pagehand.clock import now_ms
from pagehand.errors import Conflict, InvalidRequest, NotFound
from pagehand.ids import new_id
from pagehand.logins.credentials import seal, unseal
from pagehand.logins.login_fields import LoginDraft, LoginFields, apply_fields, new_draft
from pagehand.logins.profile import as_fields, profile_of
from pagehand.logins.second_factor.totp import TotpCode, code_now
from pagehand.records import Login, LoginHealth
from pagehand.secrets.vault import Vault
from pagehand.storage.logins import LoginStateStore, LoginStore
from pagehand.storage.pages import ALL_ROWS, Parts


@dataclass(slots=True, frozen=True, kw_only=True)
class LoginState:
    """The health of a login and what else its owner sees."""

    health: LoginHealth
    is_held: bool
    session_saved_at: int | None
    next_code_seconds: int | None
    code_address: str | None


class StoredLogins:
    """What API callers may do with logins; secrets go in and never come out."""

    def __init__(
        self,
        store: LoginStore,
        vault: Vault,
        states: LoginStateStore | None = None,
        code_address: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        """`code_address` gives the address to which a login's codes can be sent, by its id."""
        self._store = store
        self._vault = vault
        self._states = states
        self._code_address = code_address

    async def create(self, organization_id: str, fields: LoginFields) -> Login:
        """Create a login."""
        login = self._new(organization_id, fields)
        await self._store.add(login)
        return login

    async def get(self, organization_id: str, login_id: str) -> Login:
        """One login; `NotFound` when the organization has none of that id."""
        login = await self._store.get(organization_id, login_id)
        if login is None:
            raise _no_such_login()
        return login

    async def list(
        self, organization_id: str, *, search: str | None, limit: int, offset: int
    ) -> tuple[Parts[Login], int]:
        """Those whose name or username holds `search`, and how many there are."""
        return await self._store.list(organization_id, search=search or None, limit=limit, offset=offset)

    async def update(self, organization_id: str, login_id: str, fields: LoginFields) -> Login:
        """Change the given fields and keep the rest."""
        before = await self.get(organization_id, login_id)
        draft = apply_fields(self._draft(before), fields)
        after = self._record(
            organization_id,
            login_id,
            draft,
            created_at=before.created_at,
            # always later: the health of the old version must not count for the new one
            updated_at=max(now_ms(), before.updated_at + 1),
        )
        if not await self._store.save(after):
            raise _no_such_login()
        return after

    async def upsert(self, organization_id: str, fields: LoginFields) -> Login:
        """Change the login of the same username, email or phone, or create it."""
        while True:
            revision = await self._store.revision(organization_id)
            matching = await self._find_matching(organization_id, fields)
            if matching is not None:
                return await self.update(organization_id, matching.id, fields)
            login = self._new(organization_id, fields)
            # another caller may have added it meanwhile: then the next round finds it
            if await self._store.add(login, revision):
                return login

    async def _find_matching(self, organization_id: str, fields: LoginFields) -> Login | None:
        matching = await _find_matching(self._store, organization_id, fields)
        if len(matching) > 1:
            names = ", ".join(f"`{login.id}` ({login.name})" for login in matching)
            raise Conflict(
                f"Several logins have this username, email or phone: {names}; say which with `logins/update`"
            )
        return matching[0] if matching else None

    def _new(self, organization_id: str, fields: LoginFields) -> Login:
        now = now_ms()
        return self._record(
            organization_id, new_id("login"), new_draft(fields), created_at=now, updated_at=now
        )

    async def delete(self, organization_id: str, login_id: str) -> Login:
        """Delete a login and its secrets; returns it."""
        login = await self.get(organization_id, login_id)
        if not await self._store.delete(organization_id, login_id):
            raise _no_such_login()
        return login

    async def code(self, organization_id: str, login_id: str) -> TotpCode:
        """The one-time code a TOTP login would enter now."""
        login = await self.get(organization_id, login_id)
        seed = unseal(self._vault, login).totp_seed
        method = profile_of(login).two_factor.method
        if method != "TOTP" or not seed:
            raise Conflict(
                f"`id`: the two-factor method of the login `{login.name}` is `{method}`; "
                "codes can be computed only for `TOTP`"
            )
        return code_now(seed.reveal())

    async def release(self, organization_id: str, login_id: str) -> Login:
        """Let runs use a login again that was held back because the site refused it."""
        login = await self.get(organization_id, login_id)
        if self._states is not None:
            await self._states.release(organization_id, login_id)
        return login

    async def state(self, login: Login) -> LoginState:
        """The health of a login, its saved session and its codes."""
        health = saved = None
        if self._states is not None:
            health = await self._states.health(login.organization_id, login.id)
            saved = await self._states.session(login.organization_id, login.id)
        seed, method = unseal(self._vault, login).totp_seed, profile_of(login).two_factor.method
        return LoginState(
            health=health or LoginHealth(login_id=login.id, organization_id=login.organization_id),
            is_held=health is not None and health.held_version == login.updated_at,
            session_saved_at=saved.saved_at if saved and saved.login_version == login.updated_at else None,
            next_code_seconds=code_now(seed.reveal()).seconds_remaining
            if method == "TOTP" and seed
            else None,
            code_address=self._code_address(login.id),
        )

    def _draft(self, login: Login) -> LoginDraft:
        return LoginDraft(login.name, login.username, profile_of(login), unseal(self._vault, login))

    def _record(
        self, organization_id: str, login_id: str, draft: LoginDraft, *, created_at: int, updated_at: int
    ) -> Login:
        return Login(
            id=login_id,
            organization_id=organization_id,
            name=draft.name,
            username=draft.username,
            fields=as_fields(draft.profile),
            secrets=seal(self._vault, organization_id, login_id, draft.credentials),
            created_at=created_at,
            updated_at=updated_at,
        )


async def _find_matching(store: LoginStore, organization_id: str, fields: LoginFields) -> list[Login]:
    given = fields.configuration
    identity = _identity(given.username, given.email, given.phone)
    if not identity:
        raise InvalidRequest(
            "`loginConfiguration.username`, `.email` or `.phone` is required to find the login"
        )
    logins, _ = await store.list(organization_id, search=None, limit=ALL_ROWS, offset=0)
    return [
        login
        async for part in logins
        for login in part
        if identity & _identity(login.username, (profile := profile_of(login)).email, profile.phone)
    ]


def _identity(username: str | None, email: str | None, phone: str | None) -> set[tuple[str, str]]:
    """User name, e-mail address and phone number in comparable form; only user names are case-sensitive."""
    return {
        (kind, text)
        for kind, text in (
            ("username", (username or "").strip()),
            ("email", (email or "").strip().casefold()),
            (
                "phone",
                "".join(character for character in phone or "" if character.isalnum() or character == "+"),
            ),
        )
        if text
    }


def _no_such_login() -> NotFound:
    return NotFound("There is no login with this `id` in this organization")

"""Logins as a caller writes them, and the run's side of a sign-in as far as second factors need it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import Any

import msgspec

from pagehand.ids import new_id
from pagehand.logins.credentials import Credentials, seal
from pagehand.logins.login_fields import LoginDraft, LoginFields, new_draft
from pagehand.logins.profile import Profile, as_fields
from pagehand.logins.sign_in_context import SignInHelper
from pagehand.records import Login
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.vault import Vault

VAULT = Vault(MasterKey(bytes(32)))
SEED = "GEZDGNBVGY3TQOJQ"
SITE = "https://bank.example/sign-in"


def login_fields(configuration: dict[str, Any] | None = None, /, **fields: Any) -> LoginFields:
    """What a caller may send: wire names, a user name unless told otherwise."""
    body = {"loginConfiguration": {"username": "ann", **(configuration or {})}, **fields}
    return msgspec.convert(body, LoginFields)


def new_login(configuration: dict[str, Any] | None = None, /, **fields: Any) -> LoginDraft:
    """The draft of a new login."""
    return new_draft(login_fields(configuration, **{"name": "Bank", "authenticationUrl": SITE, **fields}))


def login_of(profile: Profile, credentials: Credentials | None = None, organization: str = "org_1") -> Login:
    """A stored login."""
    login_id = new_id("login")
    return Login(
        id=login_id,
        organization_id=organization,
        name="Bank",
        username="ann",
        fields=as_fields(profile),
        secrets=seal(VAULT, organization, login_id, credentials or Credentials()),
        created_at=1,
        updated_at=1,
    )


def sealed_login(vault: Vault, wire: Mapping[str, Any]) -> Login:
    """The stored login of what a caller sent, its secrets sealed by `vault`."""
    draft = new_draft(msgspec.convert(wire, LoginFields))
    return Login(
        id="login_1",
        organization_id="org_1",
        name=draft.name,
        username=draft.username,
        fields=as_fields(draft.profile),
        secrets=seal(vault, "org_1", "login_1", draft.credentials),
        created_at=0,
        updated_at=0,
    )


class FakeSignInContext:
    """Implements `SignInContext`: a test submits codes, or gives one for each wait, and sees the waits."""

    helper: SignInHelper | None = None

    def __init__(self, *codes: str) -> None:
        self.secrets: list[str] = []
        self.events: list[tuple[str, str]] = []
        self.waits: list[tuple[str, str]] = []
        """What was waited for, and how the site had refused the last code."""
        self._codes = list(codes)
        self._submitted: asyncio.Future[str] | None = None

    @property
    def types(self) -> list[str]:
        return [type_ for type_, _ in self.events]

    @property
    def is_submitted(self) -> bool:
        """Whether a code is there that no wait has taken."""
        return self._submitted is not None and self._submitted.done()

    def submit(self, code: str) -> None:
        """Submit a code to the wait for one, or to the next."""
        if self._submitted is None or self._submitted.done():
            self._submitted = asyncio.get_running_loop().create_future()
        self._submitted.set_result(code)

    def emit(self, type: str, message: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        del data
        self.events.append((type, message))

    def keep_secret(self, text: str) -> None:
        self.secrets.append(text)

    def limiting(self, limit: asyncio.Timeout) -> AbstractContextManager[None]:
        del limit
        return nullcontext()

    @asynccontextmanager
    async def waiting_for_code(self, reason: str, refused: str) -> AsyncGenerator["asyncio.Future[str]"]:
        self.waits.append((reason, refused))
        if self._codes:
            self.submit(self._codes.pop(0))
        if self._submitted is None or self._submitted.cancelled():  # each wait has its own future
            self._submitted = asyncio.get_running_loop().create_future()
        yield self._submitted
        if self._submitted.done():
            self._submitted = None

    @asynccontextmanager
    async def waiting_for_user(self, reason: str) -> AsyncGenerator[asyncio.Event]:
        self.waits.append((reason, ""))
        yield asyncio.Event()

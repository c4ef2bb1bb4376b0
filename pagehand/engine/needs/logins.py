"""Logins and secrets, for the engine."""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Protocol

from playwright.async_api import Locator as Element

from pagehand.ports import PageSession
from pagehand.records import (
    Execution,
    Json,
    Login,
    LoginFacts,
)


class Redactor(Protocol):
    """Takes secrets out of whatever leaves a run."""

    @property
    def count(self) -> int:
        """How many secrets it knows."""
        ...

    def add(self, secret: str) -> None:
        """Never show this again."""
        ...

    def text(self, text: str) -> str:
        """Without secrets."""
        ...

    def value(self, value: Any) -> Any:
        """Without secrets, at any depth."""
        ...


class Guide(Protocol):
    """A model beside a sign-in: it judges the page and points at controls, and sees no secret."""

    async def judge(self, statement: str) -> tuple[bool, str]:
        """Whether the page shows what the statement says, and what shows it."""
        ...

    async def point_out(self, instructions: str) -> Element | None:
        """The control to press next by these instructions; None when there is none to press."""
        ...


class SigningRun(Protocol):
    """What a sign-in may ask of the run it belongs to."""

    @property
    def guide(self) -> Guide | None:
        """The model's help; None when no model is configured."""
        ...

    def tell(self, type: str, message: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        """Write an event."""
        ...

    def keep_secret(self, text: str) -> None:
        """Take `text` out of everything the run says from now on."""
        ...

    def limiting(self, limit: asyncio.Timeout) -> AbstractContextManager[None]:
        """Stop the clock of `limit` while the run is paused."""
        ...

    def waiting_for_code(
        self, reason: str, refused: str
    ) -> AbstractAsyncContextManager["asyncio.Future[str]"]:
        """Paused within; the future gets a code handed in. `refused`: what the site said to the last."""
        ...

    def waiting_for_user(self, reason: str) -> AbstractAsyncContextManager[asyncio.Event]:
        """Paused within, until a person has signed in by hand; the event is set when they say so."""
        ...


class Logins(Protocol):
    """Reads logins and signs in with them."""

    def facts(self, login: Login) -> LoginFacts:
        """What a run may know of it."""
        ...

    async def sign_in(
        self, session: PageSession, login: Login, *, force: bool, timeout_seconds: float, run: "SigningRun"
    ) -> object:
        """Sign in with it and go on at its home page; what `keep` wants back when the run went well."""
        ...

    async def signed_out_words(self, session: PageSession) -> str:
        """What the page says if it says that nobody is signed in (an expired session); else nothing."""
        ...

    async def keep(self, session: PageSession, signed_in: Any) -> None:
        """Save what the site knows the browser by, for the next run."""
        ...


class SecretParams(Protocol):
    """Keeps the parameters that a workflow declares secret."""

    def seal(self, execution: Execution, values: Json, /) -> str:
        """Encrypt values for this execution."""
        ...

    def open(self, execution: Execution, /) -> Json:
        """The values sealed for this execution; none when it has none."""
        ...

"""What a sign-in needs from its run: events, pauses, and secrets that are redacted."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from typing import Any, Final

from playwright.async_api import Locator as Element

from pagehand.browser_session import PageSession
from pagehand.engine.reporting.events import EventLog
from pagehand.engine.signals import Signals
from pagehand.engine.signing_in.authentications import AuthenticationReport
from pagehand.engine.signing_in.codes import CodeRequest
from pagehand.ports import RunModel
from pagehand.records import AuthenticationStatus, Json, Login
from pagehand.secrets.redactor import Redactor

_VERDICT: Final[Json] = {
    "type": "object",
    "properties": {"holds": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["holds"],
}
_REFERENCE: Final[Json] = {
    "type": "object",
    "properties": {"ref": {"type": ["string", "null"]}},
    "required": ["ref"],
}


class ModelSignInHelper:
    """Implements `SignInHelper` with the run's model, which sees page descriptions without secrets."""

    def __init__(self, session: PageSession, model: RunModel) -> None:
        self._session = session
        self._model = model

    async def check_statement(self, statement: str) -> tuple[bool, str]:
        """Whether the statement is true of the page, and why."""
        prompt = self._model.prompt("condition", statement=statement)
        verdict = await self._model.data(prompt, await self._session.describe(), _VERDICT)
        return bool(verdict["holds"]), str(verdict.get("reason") or "no reason given")

    async def find_control(self, instructions: str) -> Element | None:
        """The control to press next by these instructions, if any."""
        prompt = self._model.prompt("sign_in", instructions=instructions)
        answer = await self._model.data(prompt, await self._session.describe(), _REFERENCE)
        # the model answers null when nothing has to be pressed
        if answer["ref"] is None:
            return None
        found, _ = await self._session.find_by_reference(answer["ref"])
        return found.element


class RunSignInContext:
    """Implements `SignInContext` for a run."""

    def __init__(
        self,
        login: Login,
        authentication: AuthenticationReport,
        codes: CodeRequest,
        signals: Signals,
        events: EventLog,
        redactor: Redactor,
        helper: ModelSignInHelper | None,
    ) -> None:
        self.helper = helper
        self._login = login
        self._authentication = authentication
        self._codes = codes
        self._signals = signals
        self._events = events
        self._redactor = redactor

    def emit(self, type: str, message: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        """Write an event."""
        self._events.add(type, message, None, data)

    def keep_secret(self, text: str) -> None:
        """Redact `text` in everything the run shows from now on."""
        self._redactor.add(text)

    def limiting(self, limit: asyncio.Timeout) -> AbstractContextManager[None]:
        """Stop the clock of `limit` while the run is paused."""
        return self._signals.limiting(limit)

    def waiting_for_code(
        self, reason: str, refused: str
    ) -> AbstractAsyncContextManager["asyncio.Future[str]"]:
        """Pause the run; the future gets a submitted code."""
        return self._codes.waiting(self._login, reason, refused, self._authentication.set_status)

    @asynccontextmanager
    async def waiting_for_user(self, reason: str) -> AsyncGenerator[asyncio.Event]:
        """Pause the run while a person signs in by hand; the event is set when they report it done."""
        # first: a client that sees the execution paused must also see why
        await self._authentication.set_status(AuthenticationStatus.WAITING_FOR_USER)
        async with self._signals.waiting_for_person(reason, "signIn") as done:
            yield done
            await self._authentication.set_status(AuthenticationStatus.IN_PROGRESS)

"""The context of a sign-in without the rest of a run: records events and submits codes."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from pagehand.logins.sign_in_context import SignInHelper


class ScriptedSignInContext:
    """Implements the run's side of a sign-in; `codes` are submitted one after the other."""

    def __init__(self, *codes: str) -> None:
        self.events: list[tuple[str, str, dict[str, Any]]] = []
        self.secrets: list[str] = []
        self.refusals: list[str] = []
        self.waited_for_user = 0
        self.helper: SignInHelper | None = None
        self._codes = list(codes)

    @property
    def types(self) -> list[str]:
        return [event[0] for event in self.events]

    def emit(self, type: str, message: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        self.events.append((type, message, dict(data)))

    def keep_secret(self, text: str) -> None:
        self.secrets.append(text)

    @contextmanager
    def limiting(self, limit: asyncio.Timeout) -> Generator[None]:
        del limit
        yield

    @asynccontextmanager
    async def waiting_for_code(self, reason: str, refused: str) -> AsyncGenerator["asyncio.Future[str]"]:
        self.events.append(("waiting", reason, {}))
        self.refusals.append(refused)
        handed_in: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        if self._codes:
            handed_in.set_result(self._codes.pop(0))
        yield handed_in

    @asynccontextmanager
    async def waiting_for_user(self, reason: str) -> AsyncGenerator[asyncio.Event]:
        self.events.append(("waiting", reason, {}))
        self.waited_for_user += 1
        yield asyncio.Event()

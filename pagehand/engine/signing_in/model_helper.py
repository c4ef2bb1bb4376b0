"""Asks the model during a sign-in: what the page shows, and which control to press."""

from typing import Final

from playwright.async_api import Locator as Element

from pagehand.browser_session import PageSession
from pagehand.ports import RunModel
from pagehand.records import Json

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

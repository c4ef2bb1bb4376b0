"""The model beside a sign-in: judges what the page shows and points at controls, nothing more."""

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


class SignInGuide:
    """Asks the run's model about the page of a sign-in; descriptions hold no secrets."""

    def __init__(self, session: PageSession, model: RunModel) -> None:
        self._session = session
        self._model = model

    async def judge(self, statement: str) -> tuple[bool, str]:
        """Whether the page shows what the statement says, and what shows it."""
        prompt = self._model.prompt("condition", statement=statement)
        verdict = await self._model.data(prompt, await self._session.describe(), _VERDICT)
        return bool(verdict["holds"]), str(verdict.get("reason") or "no reason given")

    async def point_out(self, instructions: str) -> Element | None:
        """The control to press next by these instructions; None when there is none to press."""
        prompt = self._model.prompt("sign_in", instructions=instructions)
        answer = await self._model.data(prompt, await self._session.describe(), _REFERENCE)
        # null is the model's way to say that nothing has to be pressed
        if answer["ref"] is None:
            return None
        found, _ = await self._session.find_by_reference(answer["ref"])
        return found.element

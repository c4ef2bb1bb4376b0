"""The model beside a sign-in: it judges and points, and gets nothing but the page's description."""

from typing import Any, cast

import pytest

from pagehand.browser import BrowserSession
from pagehand.browser_session import FoundElement
from pagehand.engine.run.authenticator import ModelSignInHelper
from pagehand.errors import NotPresent
from pagehand.ports import RunModel
from pagehand.workflow.locator import Locator
from support.attempts import ScriptedRunModel

pytestmark = pytest.mark.anyio


class Session:
    """A page with one button."""

    async def describe(self) -> str:
        return "button Sign in [ref=e1]"

    async def find_by_reference(self, reference: str) -> tuple[FoundElement, Locator]:
        if reference != "e1":
            raise NotPresent(f"There is no `{reference}` on the page.")
        return FoundElement(element=cast("Any", "the button"), matches=1, how="model"), Locator(css="button")


def guided(*answers: Any) -> tuple[ModelSignInHelper, ScriptedRunModel]:
    model = ScriptedRunModel(list(answers))
    return ModelSignInHelper(cast("BrowserSession", Session()), cast("RunModel", model)), model


async def test_a_statement_about_the_page_is_judged_with_a_reason() -> None:
    guide, model = guided({"holds": True, "reason": "there is a sign-out link"}, {"holds": False})
    assert await guide.check_statement("I am signed in") == (True, "there is a sign-out link")
    assert await guide.check_statement("I am signed in") == (False, "no reason given")
    assert model.prompts[0] == ("condition I am signed in", "button Sign in [ref=e1]")


async def test_the_control_to_press_is_pointed_out_or_there_is_none() -> None:
    guide, _ = guided({"ref": "e1"}, {"ref": None})
    assert cast("Any", await guide.find_control("press Sign in")) == "the button"
    assert await guide.find_control("press Sign in") is None


async def test_a_control_that_is_not_on_the_page_is_refused() -> None:
    guide, _ = guided({"ref": "e9"})
    with pytest.raises(NotPresent):
        await guide.find_control("press Sign in")

"""What a model adds to a report: asked only where it is free or wanted, and never in the way of the end."""

import asyncio
from typing import Any, cast

import pytest

from pagehand.browser import BrowserSession
from pagehand.engine.reporting import report
from pagehand.engine.reporting.report import explain_failure, summarize_run
from pagehand.errors import BlockFailed, BrowserLost
from pagehand.ports import RunModel
from pagehand.secrets.redactor import Redactor
from support.attempts import ScriptedRunModel

pytestmark = pytest.mark.anyio


class Session:
    """A page that describes itself, or cannot."""

    def __init__(self, trouble: Exception | None = None, seconds: float = 0.0) -> None:
        self.lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._trouble, self._seconds = trouble, seconds

    async def describe(self) -> str:
        await asyncio.sleep(self._seconds)
        if self._trouble is not None:
            raise self._trouble
        return "a page with two buttons"


def as_model(model: ScriptedRunModel) -> RunModel:
    return cast("RunModel", model)


def as_session(session: Session) -> BrowserSession:
    return cast("BrowserSession", session)


async def test_a_failure_is_explained_from_its_analysis_and_the_page() -> None:
    model = ScriptedRunModel(["The dialog was in the way."])
    view = await explain_failure(as_model(model), as_session(Session()), "No element matches.")
    assert view == "The dialog was in the way."
    [(_, facts)] = model.prompts
    assert facts == "No element matches.\n\nThe page:\na page with two buttons"


async def test_the_model_is_not_asked_about_a_page_that_is_gone() -> None:
    lost = Session()
    lost.lost.set_result("Chromium died.")
    model = ScriptedRunModel()
    assert await explain_failure(as_model(model), as_session(lost), "x") == ""
    assert await explain_failure(as_model(model), None, "x") == ""
    assert await explain_failure(None, as_session(Session()), "x") == ""
    assert model.prompts == []


@pytest.mark.parametrize("trouble", [BlockFailed("no tokens left"), BrowserLost("gone"), TimeoutError()])
async def test_a_model_or_page_in_trouble_leaves_the_report_as_it_is(trouble: Exception) -> None:
    asked = ScriptedRunModel([trouble])
    assert await explain_failure(as_model(asked), as_session(Session()), "x") == ""
    assert await explain_failure(as_model(ScriptedRunModel()), as_session(Session(trouble)), "x") == ""


async def test_a_page_that_takes_long_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "SECONDS", 0.02)
    slow = Session(seconds=5)
    assert await explain_failure(as_model(ScriptedRunModel()), as_session(slow), "x") == ""


async def test_a_run_that_asked_a_model_anyway_gets_a_story() -> None:
    model, redactor = ScriptedRunModel(["It read two rows."]), Redactor(["hunter22"])
    response: dict[str, Any] = {"rows": ["hunter22"]}
    assert (
        await summarize_run(as_model(model), redactor, ["Open: done"], response) == ""
    )  # a free run stays free
    assert await summarize_run(None, redactor, [], response) == ""
    model.usage.calls = 1
    history = [f"step {number}" for number in range(100)]
    assert await summarize_run(as_model(model), redactor, history, response) == "It read two rows."
    [(_, record)] = model.prompts
    assert "hunter22" not in record
    assert (record.splitlines()[0], len(record.splitlines())) == ("step 60", 41)


async def test_a_story_that_cannot_be_written_is_left_out() -> None:
    model = ScriptedRunModel([BlockFailed("no tokens left")])
    model.usage.calls = 1
    assert await summarize_run(as_model(model), Redactor(), [], {}) == ""

"""What a run reports of its blocks: pictures, remarks, what went in, and which block a failure belongs to."""

import asyncio
from typing import Any, cast

import pytest
from msgspec import json

from pagehand.blocks import Registry, kinds
from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.browser import BrowserSession
from pagehand.browser_session import BrowserRequest
from pagehand.engine.run import context
from pagehand.errors import BlockFailed, DialogUnanswered, SignInRefused
from pagehand.logins.saved_sessions import SessionToSave
from pagehand.logins.sign_in_context import SignInContext
from pagehand.page.phrases import Snapshot
from pagehand.page.phrases.snapshot import FrameSnapshot
from pagehand.records import Event, Login
from pagehand.testing import BlankBrowser, Harness
from pagehand.testing.fakes import FakeSignIn, NoDialogs
from support.attempts import DO, ScriptedRunModel, events_of, kinds_with, loop, run_attempt

pytestmark = pytest.mark.anyio


class UnansweredDialogs(NoDialogs):
    """Questions that the page asked and no block answers."""

    def __init__(self, questions: list[str]) -> None:
        self._questions = questions

    def raise_for_unanswered(self, cause: Exception | None = None) -> None:
        if self._questions:
            raise DialogUnanswered(f"The page asked “{self._questions.pop()}”.") from cause


class FakeSession(BlankBrowser):
    """A browser with a page that can be pictured and described."""

    questions: list[str]

    def __init__(self) -> None:
        super().__init__()
        self.questions = []
        self.dialogs = UnansweredDialogs(self.questions)

    async def screenshot(self) -> bytes | None:
        return b"jpeg"

    async def take_snapshot(self) -> Any:
        return Snapshot([FrameSnapshot(0, "#save", [], [])])


def changing(run: Any = None) -> Registry:
    """Kinds with one that changes the page."""

    class Do(Block):
        type = "Do"
        title = "Do"
        needs_page = True
        changes_page = True

        async def run(self, ctx: RunContext) -> Outcome:
            if run is not None:
                await run(ctx)
            return Outcome(message="It is pressed", remark="1 row was empty", details={"presses": 1})

    return Registry([*kinds(), Do])


@pytest.fixture
async def browser(harness: Harness) -> FakeSession:
    seen = FakeSession()

    async def opened(_: BrowserRequest) -> BrowserSession:
        return cast("BrowserSession", seen)

    harness.seams.open_browser = opened
    harness.seams.kinds = changing()
    return seen


async def of_block(harness: Harness, type_: str, **request: Any) -> tuple[Event, Any]:
    """The event of that type in a run of one block, and the row."""
    _, done = await run_attempt(harness, DO, **request)
    [event] = [event for event in await events_of(harness, done) if event.type == type_]
    return event, done


@pytest.mark.usefixtures("browser")
async def test_a_block_that_changes_the_page_has_a_picture_and_its_facts(harness: Harness) -> None:
    event, done = await of_block(harness, "block.finished")
    assert event.screenshot_key is not None
    assert await harness.file_store.read(event.screenshot_key) == b"jpeg"
    assert (event.message, event.data["presses"]) == ("It is pressed", 1)
    assert set(event.data["phasesMs"]) == {"picture"}
    assert "pageSnapshot" not in event.data
    assert "Do it (`do`): 1 row was empty." in (done.summary or "")


@pytest.mark.parametrize("ending", ["block.finished", "block.failed"])
async def test_a_page_that_hangs_does_not_hold_the_end_of_a_block(
    harness: Harness, browser: FakeSession, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr(context, "_PICTURE_SECONDS", 0.0)
    monkeypatch.setattr(context, "_LEAST_PICTURE_SECONDS", 0.01)

    async def hangs() -> bytes | None:
        await asyncio.Event().wait()

    async def ends_late(ctx: RunContext) -> None:
        await asyncio.sleep(ctx.remaining_seconds)
        if ending == "block.failed":
            raise BlockFailed("The button did nothing.")

    monkeypatch.setattr(browser, "screenshot", hangs)
    harness.seams.kinds = changing(ends_late)
    async with asyncio.timeout(20):
        _, done = await run_attempt(harness, {**DO, "data": {"timeoutMs": 50}})
    [event] = [event for event in await events_of(harness, done) if event.type == ending]
    assert event.screenshot_key is None


@pytest.mark.usefixtures("browser")
async def test_an_operator_who_wants_no_pictures_gets_none(harness: Harness) -> None:
    harness.settings.screenshots = False
    event, _ = await of_block(harness, "block.finished")
    assert event.screenshot_key is None


@pytest.mark.usefixtures("browser")
async def test_a_test_run_keeps_what_words_can_mean_on_its_pages(harness: Harness) -> None:
    event, _ = await of_block(harness, "block.finished", is_test=True)
    kept = json.decode(await harness.file_store.read(event.data["pageSnapshot"]), type=Snapshot)
    assert [frame.selector for frame in kept.frames] == ["#save"]


@pytest.mark.usefixtures("browser")
async def test_of_many_remarks_the_summary_has_the_first_five(harness: Harness) -> None:
    _, done = await run_attempt(harness, loop("rows", {"times": 7}, DO))
    assert (done.summary or "").count("1 row was empty") == 5


@pytest.mark.usefixtures("browser")
async def test_an_event_names_the_picture_of_the_page_as_it_was_before(harness: Harness) -> None:
    _, done = await run_attempt(harness, DO, {**DO, "blockReferenceId": "again"})
    first, second = [event for event in await events_of(harness, done) if event.type == "block.finished"]
    assert "pictureBefore" not in first.data
    assert second.data["pictureBefore"] == first.seq


async def test_a_failure_belongs_to_the_innermost_block_and_is_pictured_once(
    harness: Harness, browser: FakeSession
) -> None:
    del browser

    async def fails(_: RunContext) -> None:
        raise BlockFailed("The button did nothing.")

    harness.seams.kinds = changing(fails)
    _, done = await run_attempt(harness, loop("rows", {"times": 1}, DO))
    failed = [event for event in await events_of(harness, done) if event.type == "block.failed"]
    assert [event.block_reference_id for event in failed] == ["do", "rows"]
    assert [event.screenshot_key is not None for event in failed] == [True, False]
    assert done.failure is not None
    assert done.failure.block_reference_id == "do"
    assert "look at the picture of the failed block" in (done.error_analysis or "")
    assert "Page: about:blank" in (done.error_analysis or "")


class Expired(FakeSignIn):
    """A site whose pages say that the session is over, and that refuses to sign anybody in."""

    async def signed_out_words(self, session: BrowserSession) -> str:
        del session
        return "Your session has expired"

    async def sign_in(
        self,
        session: BrowserSession,
        login: Login,
        *,
        force: bool,
        timeout_seconds: float,
        run: SignInContext,
    ) -> SessionToSave | None:
        del session, force, timeout_seconds, run
        raise SignInRefused(f"`{login.name}` was refused.")


@pytest.fixture
def expired(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagehand.testing.harness.FakeSignIn", Expired)
    assert isinstance(harness.services.logins, Expired)


@pytest.mark.usefixtures("browser", "expired")
async def test_a_page_that_says_that_nobody_is_signed_in_explains_the_failure(harness: Harness) -> None:
    async def fails(_: RunContext) -> None:
        raise BlockFailed("No element matches `Save`.")

    harness.seams.kinds = changing(fails)
    _, done = await run_attempt(harness, DO)
    analysis = done.error_analysis or ""
    assert "No element matches `Save`. The page says “Your session has expired”." in analysis
    assert "Likely cause: Nobody is signed in on the page any more" in analysis
    # a kind that needs no page fails for reasons of its own
    harness.seams.kinds = kinds_with(fails)
    _, other = await run_attempt(harness, DO)
    assert "session" not in (other.error_analysis or "")


@pytest.mark.usefixtures("browser", "expired")
async def test_a_sign_in_that_fails_before_the_first_block_is_reported_with_a_picture(
    harness: Harness,
) -> None:
    login = await harness.add_login("https://portal.example/")
    event, done = await of_block(harness, "authentication.failed", login_id=login.id)
    assert (event.message, event.screenshot_key is not None) == ("`Test login` was refused.", True)
    assert (done.failure.code, done.failure.block_id) == ("SignInRefused", None)
    assert [str(item.status) for item in done.authentications] == ["Failed"]


async def test_a_question_that_comes_after_the_last_block_fails_it(
    harness: Harness, browser: FakeSession
) -> None:
    async def settles() -> None:
        browser.questions.append("Really leave?")

    browser.settle = settles
    event, done = await of_block(harness, "block.failed")
    assert (event.block_reference_id, done.failure.code) == ("do", "DialogUnanswered")


async def test_a_question_that_came_up_during_a_failure_is_the_reason(
    harness: Harness, browser: FakeSession
) -> None:
    async def fails(_: RunContext) -> None:
        browser.questions.append("Delete all?")
        raise BlockFailed("Nothing happened.")

    harness.seams.kinds = changing(fails)
    _, done = await of_block(harness, "block.failed")
    assert (done.failure.code, "Delete all?" in done.failure.message) == ("DialogUnanswered", True)


async def test_what_goes_into_a_block_is_shown_without_secrets(harness: Harness) -> None:
    result = await harness.run(
        {"type": "Transform", "blockReferenceId": "a", "data": {"input": "{{params.pin}}", "code": "1"}},
        params={"pin": "4711"},
    )
    [event] = [event for event in result.events if event.type == "block.finished"]
    assert event.data["input"] == {"input": "4711", "code": "1"}


async def test_how_often_a_block_asked_the_model_is_in_its_event(harness: Harness) -> None:
    async def asks(context: RunContext) -> Any:
        await context.model.text("count", "a page")
        return await context.model.text("count", "a page")

    harness.seams.kinds = kinds_with(asks)
    harness.seams.models = ScriptedRunModel(["1", "2", "It counted."])
    event, _ = await of_block(harness, "block.finished")
    assert event.data["modelCalls"] == 2

"""A live session: blocks run as they are asked for, in a browser that stays."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from msgspec.json import decode

from pagehand.blocks import Registry
from pagehand.blocks.run_context import RunContext
from pagehand.browser import BrowserSession
from pagehand.browser_session import BrowserRequest, PickedElement
from pagehand.engine.attempt import Attempt
from pagehand.engine.live import sessions as sessions_module
from pagehand.engine.live.control import BlocksToRun
from pagehand.engine.live.session import LiveSession
from pagehand.engine.live.sessions import LiveSessions
from pagehand.engine.signals import Stop
from pagehand.engine.slots import Slots
from pagehand.errors import BlockFailed, Conflict, PagehandError, TooMany
from pagehand.records import Execution, Json, Status
from pagehand.testing import BlankBrowser, Harness
from pagehand.workflow.locator import Locator
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow.recorded import RecordedAct
from pagehand.workflow.tree import Envelope
from support.attempts import DO, kinds_with, loop, new_attempt, reload_execution, value
from support.database import whole
from support.waiting import until

pytestmark = pytest.mark.anyio
FAILS: Json = {
    "type": "FailOnCondition",
    "blockReferenceId": "check",
    "data": {"condition": "True", "message": "too much"},
}


class Screen:
    """A live view that records what the test does on it, and shows one button at every point."""

    def __init__(self) -> None:
        self.on_act: Callable[[RecordedAct], None] | None = None

    async def record(self, on_act: Callable[[RecordedAct], None], *, with_address: bool) -> None:
        del with_address
        self.on_act = on_act

    async def stop_recording(self) -> None:
        self.on_act = None

    async def pick(self, x: float, y: float, *, with_locators: bool) -> PickedElement | None:
        del with_locators
        return PickedElement(tag="button", role="button", name="Save", box=(x, y, 9, 9), locators=[])

    async def record_read_at(self, x: float, y: float) -> RecordedAct | None:
        del y
        return RecordedAct(kind="read", locator=Locator(css="#total"), name="total") if x else None


class SeenBrowser(BlankBrowser):
    """A browser without a page."""

    def __init__(self) -> None:
        super().__init__()
        self.live_view = Screen()


class OpenSession:
    """A live session that has begun, and its attempt."""

    def __init__(
        self, harness: Harness, execution: Execution, attempt: Attempt, session: LiveSession
    ) -> None:
        self.harness, self.execution, self.attempt, self.session = harness, execution, attempt, session
        self.browser: Any = None

    def blocks(self, *blocks: Json) -> list[Envelope]:
        return parse_blocks([dict(block) for block in blocks], self.harness.seams.kinds)

    async def row(self) -> Execution:
        return await reload_execution(self.harness, self.execution)

    async def has_status(self, status: Status) -> bool:
        return (await self.row()).status is status


@asynccontextmanager
async def opened(harness: Harness) -> AsyncGenerator[OpenSession]:
    """Within, a live session serves; it is closed at the end."""
    browser, sessions = SeenBrowser(), LiveSessions()

    async def open_browser(_: BrowserRequest) -> BrowserSession:
        return cast("BrowserSession", browser)

    harness.seams.open_browser = open_browser
    execution = await harness.accept(await harness.add_workflow(value("a", 1)), is_live_session=True)
    attempt = new_attempt(harness, execution, Slots(1, 2, lambda: None), sessions)
    running = asyncio.create_task(attempt.perform(lambda _: None))
    live = OpenSession(harness, execution, attempt, await sessions.wait_for(execution.id, never()))
    live.browser = browser
    await live.session.opened()
    try:
        yield live
    finally:
        await live.session.close()
        await running


async def never() -> Execution:
    return await asyncio.get_running_loop().create_future()


async def test_blocks_run_as_they_are_asked_for_and_later_ones_see_the_earlier(harness: Harness) -> None:
    async with opened(harness) as live:
        blocks = live.blocks(value("a", 2), value("b", "{{blocks.a}}!"))
        first = await live.session.run(BlocksToRun(blocks=blocks, last_id=blocks[0].id))
        assert (first.failure, first.outputs) == (None, {"a": 2})
        alone = await live.session.run(BlocksToRun(blocks=blocks, only_id=blocks[1].id))
        assert alone.outputs == {"a": 2, "b": "2!"}
        assert (await live.row()).status is Status.IN_PROGRESS
    done = await live.row()
    assert (done.status, decode(done.response or b"null")) == (Status.COMPLETED, {"a": 2, "b": "2!"})


async def test_a_failure_is_reported_and_the_session_stays(harness: Harness) -> None:
    async with opened(harness) as live:
        report = await live.session.run(BlocksToRun(blocks=live.blocks(FAILS)))
        assert report.failure is not None
        assert (report.failure.code, report.failure.block_reference_id) == ("ConditionMet", "check")
        assert "too much" in report.analysis
        events, _ = await whole(harness.stores.events.list(harness.organization_id, live.execution.id, 99, 0))
        assert "block.failed" in [event.type for event in events]  # whoever has the answer finds its events
        assert (await live.session.run(BlocksToRun(blocks=live.blocks(value("a", 3))))).outputs == {"a": 3}


async def test_a_run_of_all_blocks_forgets_outputs_of_an_earlier_one(harness: Harness) -> None:
    async with opened(harness) as live:
        blocks = live.blocks(value("a", "{{blocks.b}}"), value("b", 1))
        await live.session.run(BlocksToRun(blocks=blocks))
        assert (await live.session.run(BlocksToRun(blocks=blocks))).outputs == {"a": None, "b": 1}


async def test_a_block_of_a_loop_runs_alone_with_the_names_of_its_latest_round(harness: Harness) -> None:
    async with opened(harness) as live:
        blocks = live.blocks(loop("rounds", {"items": ["x", "y"]}, value("a", "{{item}}")))
        await live.session.run(BlocksToRun(blocks=blocks))
        inner = blocks[0].sequences["sequence"][0]
        await live.session.run(BlocksToRun(blocks=blocks, only_id=inner.id))
        shown = live.blocks(value("shown", "{{blocks.a}}"))
        report = await live.session.run(BlocksToRun(blocks=shown, only_id=shown[0].id))
        assert report.outputs == {"shown": "y"}


async def test_a_block_that_is_not_there_cannot_run_alone(harness: Harness) -> None:
    async with opened(harness) as live:
        report = await live.session.run(BlocksToRun(blocks=live.blocks(value("a", 1)), only_id="block_x"))
        assert report.failure is not None
        assert "no block `block_x`" in report.failure.message


def endless(begun: list[str]) -> Registry:
    """Blocks that run until they are interrupted."""

    async def sleep(_: RunContext) -> None:
        begun.append("begun")
        await asyncio.sleep(60)

    return kinds_with(sleep)


async def test_stopping_interrupts_the_block_and_keeps_the_session(harness: Harness) -> None:
    begun: list[str] = []
    harness.seams.kinds = endless(begun)
    async with opened(harness) as live:
        assert not await live.session.stop()
        running = asyncio.create_task(live.session.run(BlocksToRun(blocks=live.blocks(DO))))
        await until(lambda: begun)
        assert await live.session.stop()
        report = await running
        assert report.failure is not None
        assert (report.failure.block_reference_id, report.failure.code) == ("do", "BlockFailed")
        assert (await live.session.run(BlocksToRun(blocks=live.blocks(value("a", 3))))).outputs == {"a": 3}


async def _is_asked_in_vain(context: RunContext) -> None:
    async with context.waiting_for_person("Solve it"):
        await asyncio.sleep(0.02)
        raise BlockFailed("Nobody solved it.")


async def _waits_for_a_word(context: RunContext) -> None:
    await context.wait_for_approval("Is it right?")


async def test_a_block_stopped_while_it_waits_for_a_person_leaves_no_pause_behind(harness: Harness) -> None:
    harness.seams.kinds = kinds_with(_waits_for_a_word)
    async with opened(harness) as live:
        running = asyncio.create_task(live.session.run(BlocksToRun(blocks=live.blocks(DO))))
        await until(lambda: live.attempt.signals.person_task)
        assert (await live.row()).status is Status.PAUSED
        assert await live.session.stop()
        await running
        await until(lambda: live.has_status(Status.IN_PROGRESS))
        assert not live.attempt.signals.is_paused
        async with asyncio.timeout(5):
            assert (await live.session.run(BlocksToRun(blocks=live.blocks(value("a", 3))))).outputs == {
                "a": 3
            }


async def test_a_block_that_fails_while_it_waits_for_a_person_leaves_no_pause_behind(
    harness: Harness,
) -> None:
    harness.seams.kinds = kinds_with(_is_asked_in_vain)
    async with opened(harness) as live:
        assert (await live.session.run(BlocksToRun(blocks=live.blocks(DO)))).failure is not None
        await until(lambda: live.has_status(Status.IN_PROGRESS))


async def test_what_is_asked_of_a_session_that_ends_is_refused(harness: Harness) -> None:
    begun: list[str] = []
    harness.seams.kinds = endless(begun)
    async with opened(harness) as live:
        blocks = live.blocks(DO)
        asked = [asyncio.create_task(live.session.run(BlocksToRun(blocks=blocks))) for _ in range(2)]
        await until(lambda: begun)
        live.attempt.signals.end(Stop("Cancelled by ann."))
        for refused in asked:
            with pytest.raises(Conflict, match="has ended"):
                await refused
    late: list[Callable[[], Any]] = [
        lambda: live.session.run(BlocksToRun(blocks=[])),
        lambda: live.session.pick(1, 1, with_locators=False),
        lambda: live.session.record(is_on=True, with_address=False),
    ]
    for ask in late:
        with pytest.raises(Conflict, match="has ended"):
            await ask()
    assert await live.session.recorded(0, 5) == []  # nobody waits for a recording that is over
    assert (await live.row()).status is Status.FAILED


async def test_blocks_that_wait_when_a_session_is_closed_are_refused_and_do_not_run(harness: Harness) -> None:
    begun: list[str] = []
    harness.seams.kinds = endless(begun)
    async with opened(harness) as live:
        running, waiting = [
            asyncio.create_task(live.session.run(BlocksToRun(blocks=live.blocks(DO)))) for _ in range(2)
        ]
        await until(lambda: begun)
        await live.session.close()
        stopped = await running
        assert stopped.failure is not None
        with pytest.raises(Conflict, match="has ended"):
            await waiting
    assert begun == ["begun"]
    assert (await live.row()).status is Status.COMPLETED


async def test_a_session_that_nobody_uses_ends_well_and_says_why(harness: Harness) -> None:
    harness.settings.live_session_idle_seconds = 0.2
    async with opened(harness) as live:
        await until(lambda: live.has_status(Status.COMPLETED))
        done = await live.row()
    assert done.status is Status.COMPLETED
    assert "Nobody used it for" in (done.summary or "")


async def test_whoever_uses_the_live_view_keeps_the_session(harness: Harness) -> None:
    harness.settings.live_session_idle_seconds = 0.3
    async with opened(harness) as live:
        for _ in range(8):
            await live.session.pick(1, 1, with_locators=False)
            await asyncio.sleep(0.1)
        assert (await live.row()).status is Status.IN_PROGRESS


async def test_a_persons_acts_become_blocks_without_secrets(harness: Harness) -> None:
    async def learns_a_secret(context: RunContext) -> None:
        context.keep_secret("hunter22")

    harness.seams.kinds = kinds_with(learns_a_secret)
    async with opened(harness) as live:
        await live.session.run(BlocksToRun(blocks=live.blocks(DO)))
        await live.session.record(is_on=True, with_address=False)
        act = RecordedAct(kind="click", locator=Locator(role="button", text="hunter22"), name="hunter22")
        live.browser.live_view.on_act(act)
        [first] = await live.session.recorded(0, 5)
        assert (first.block["type"], first.block["locator"]["text"]) == ("Mouse", "***")
        assert await live.session.recorded(first.revision, 0.01) == []
        await live.session.record(is_on=False, with_address=False)
        assert live.browser.live_view.on_act is None
        await live.session.record(is_on=True, with_address=False)
        assert await live.session.recorded(0, 0.01) == []  # a new recording begins empty


async def test_a_point_of_the_page_is_an_element_and_a_block_that_reads_it(harness: Harness) -> None:
    async with opened(harness) as live:
        found = await live.session.pick(3, 4, with_locators=True)
        assert found is not None
        assert (found.name, found.box) == ("Save", (3, 4, 9, 9))
        block = await live.session.read(1, 1)
        assert block is not None
        assert block["type"] == "Extract"
        assert await live.session.read(0, 0) is None


class Stub:
    """As much of a session as the list of sessions asks for."""

    execution_id = "exec_1"
    ended = 0

    def end(self) -> None:
        self.ended += 1


def listed(stub: Stub) -> LiveSession:
    return cast("LiveSession", stub)


async def test_a_session_is_waited_for_until_it_begins() -> None:
    sessions, stub = LiveSessions(), Stub()
    waiting = asyncio.create_task(sessions.wait_for("exec_1", never()))
    await asyncio.sleep(0)
    with sessions.registered(listed(stub)):
        assert await waiting is stub
        assert await sessions.wait_for("exec_1", never()) is stub
        sessions.close_all()
        assert stub.ended == 1
    sessions.close_all()
    assert stub.ended == 1


async def test_a_session_that_ends_before_it_begins_says_how(
    make_execution: Callable[..., Execution],
) -> None:
    async def ended() -> Execution:
        return make_execution(status=Status.COMPLETED)

    with pytest.raises(Conflict, match="it is Completed"):
        await LiveSessions().wait_for("exec_1", ended())


async def test_a_session_that_waits_for_a_slot_says_when_to_ask_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sessions_module, "START_SECONDS", 0.02)
    with pytest.raises(TooMany, match="waits for a free browser") as refused:
        await LiveSessions().wait_for("exec_1", never())
    assert isinstance(refused.value, PagehandError)

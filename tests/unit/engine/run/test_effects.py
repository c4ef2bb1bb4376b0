"""What a run has sent: written down before it can happen, taken back when it never left."""

import asyncio
import copy
from collections.abc import Callable
from typing import Any

import pytest

from pagehand.engine.run import effects as module
from pagehand.engine.run.effects import Act, Effects
from pagehand.errors import SiteDown, Unanswered, WorkerLost
from pagehand.records import Execution

MakeExecution = Callable[..., Execution]
pytestmark = pytest.mark.anyio
CALL = Act("call", "`POST https://a.example/s3cret`")
PRESS = Act("pay", "pressing `Pay`")


class Row:
    """The execution's row: what was written, one entry per write; and a browser that reports what it sent."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.written: list[list[str]] = []
        self.is_browser_alive = True
        self.effects = Effects(
            execution, self.save, lambda text: text.replace("s3cret", "***"), has_reported=self.has_reported
        )
        self.effects.block = "page"

    async def save(self, **changes: Any) -> None:
        shown = copy.deepcopy(changes["metadata"].get("effects", []))
        self.written.append([f"{item['blockReferenceId']}: {item['what']}" for item in shown])

    async def has_reported(self) -> bool:
        return self.is_browser_alive

    async def press(self, act: Act = PRESS, *, is_held: bool = True) -> None:
        async with self.effects.acting(act, is_held=is_held):
            pass

    async def send(self) -> None:
        """Something is about to leave the browser."""
        waiting = self.effects.before_send()
        if waiting is not None:
            await waiting


@pytest.fixture(autouse=True)
def _briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_QUIET_SECONDS", 0.01)


@pytest.fixture
def row(make_execution: MakeExecution) -> Row:
    return Row(make_execution())


async def test_it_is_on_the_row_before_it_can_happen(row: Row) -> None:
    async with row.effects.beginning(CALL):
        assert row.written == [["call: `POST https://a.example/***`"]]
    assert len(row.written) == 1


@pytest.mark.parametrize("way", ["beginning", "sending"])
async def test_nothing_leaves_before_the_run_may_surely_still_act(row: Row, way: str) -> None:
    may_act, has_begun = asyncio.Event(), asyncio.Event()

    async def confirmed() -> None:
        await may_act.wait()

    effects = row.effects = Effects(row.execution, row.save, str, confirmed)

    async def act() -> None:
        if way == "beginning":
            async with effects.beginning(CALL):
                has_begun.set()
        else:
            await row.press()
            await row.send()
            has_begun.set()

    acting = asyncio.create_task(act())
    while not row.written and not acting.done():  # noqa: ASYNC110 - the row tells nobody
        await asyncio.sleep(0)
    for _ in range(20):
        await asyncio.sleep(0)
    assert not has_begun.is_set()  # it is on the row, and the process may have stood still since
    may_act.set()
    await acting
    assert has_begun.is_set()


async def test_what_was_never_sent_is_taken_back_and_what_may_have_been_is_kept(row: Row) -> None:
    with pytest.raises(SiteDown):
        async with row.effects.beginning(CALL):
            raise SiteDown("refused")
    assert "effects" not in row.execution.metadata
    with pytest.raises(Unanswered):
        async with row.effects.beginning(CALL):
            raise Unanswered("lost")
    assert len(row.execution.metadata["effects"]) == 1


async def test_a_press_after_which_nothing_leaves_writes_nothing(row: Row) -> None:
    await row.press()
    await row.effects.settle()
    assert (row.written, row.effects.count) == ([], 0)


async def test_a_press_is_on_the_row_from_before_anything_leaves_until_it_is_known_as_harmless(
    row: Row,
) -> None:
    await row.press()
    await row.send()
    assert row.written == [["pay: pressing `Pay`"]]
    await row.effects.settle()
    await row.effects.wait_until_written()
    assert row.written == [["pay: pressing `Pay`"], []]
    # what leaves later may still be its effect
    await row.send()
    assert row.written[-1] == ["pay: pressing `Pay`"]


async def test_a_browser_that_holds_nothing_back_has_the_press_recorded_first(row: Row) -> None:
    async with row.effects.acting(PRESS, is_held=False):
        assert row.written == [["pay: pressing `Pay`"]]
        await asyncio.sleep(0.05)
        assert row.effects.count == 1  # not withdrawn while it acts
    await row.effects.settle()
    assert row.effects.count == 0


async def test_what_cannot_be_recorded_does_not_leave(row: Row) -> None:
    async def refuse(**_: Any) -> None:
        raise WorkerLost("Another worker has taken this execution over.")

    row.effects = Effects(row.execution, refuse, str)
    await row.press()
    for _ in range(2):
        with pytest.raises(WorkerLost):
            await row.send()


async def test_a_press_of_which_nothing_can_be_known_stays(row: Row) -> None:
    await row.press()
    await row.send()
    row.is_browser_alive = False
    await row.effects.settle()
    await row.effects.wait_until_written()
    assert row.written == [["pay: pressing `Pay`"]]


async def test_of_two_presses_the_later_one_is_in_doubt(row: Row) -> None:
    await row.press(Act("name", "fill in `Name`"))
    await row.send()
    await row.press()
    await row.send()
    assert row.written == [["name: fill in `Name`"], ["pay: pressing `Pay`"]]


async def test_a_press_says_afterwards_what_was_sent(row: Row) -> None:
    await row.press()
    await row.send()
    row.effects.on_browser_event("effect.seen", "`POST /pay` by `Pay`", {"request": "1"})
    row.effects.on_browser_event("effect.seen", "`POST /log` by `Pay`", {"request": "2"})
    await row.effects.settle()
    await row.effects.wait_until_written()
    assert row.written[-1] == ["pay: `POST /pay` by `Pay`", "pay: `POST /log` by `Pay`"]
    row.effects.on_browser_event("effect.unsent", "", {"request": "1"})
    await row.effects.wait_until_written()
    assert row.written[-1] == ["pay: `POST /log` by `Pay`"]
    await row.send()
    assert row.written[-1] == ["pay: `POST /log` by `Pay`", "pay: pressing `Pay`"]


async def test_a_block_that_is_retry_safe_is_never_in_doubt(row: Row) -> None:
    await row.press(Act("save", "pressing `Save`", is_safe=True))
    await row.send()
    assert row.written == []
    row.effects.on_browser_event("effect.seen", "`POST /save`", {"request": "1"})
    assert row.execution.metadata["effects"][0]["retrySafe"] is True


async def test_signing_in_is_not_an_effect(row: Row) -> None:
    with row.effects.signing_in():
        await row.press(Act("in", "pressing `Submit`"))
        await row.send()
        row.effects.on_browser_event("effect.seen", "`POST /in`", {"request": "1"})
    assert row.written == []
    assert row.effects.count == 0


async def test_of_very_many_the_first_and_the_latest_are_kept(row: Row) -> None:
    for number in range(250):
        row.effects.on_browser_event("effect.seen", str(number), {"request": str(number)})
    await row.effects.wait_until_written()
    shown = [int(effect["what"]) for effect in row.execution.metadata["effects"]]
    assert shown == [*range(50), *range(200, 250)]
    assert row.effects.count == 250


async def test_a_request_that_is_reported_before_it_connects_waits_for_the_row(row: Row) -> None:
    """A press that was proven harmless sends something later, and the browser reports that first."""
    may_write = asyncio.Event()

    async def save(**changes: Any) -> None:
        await may_write.wait()
        await Row.save(row, **changes)

    row.effects = Effects(row.execution, save, str, has_reported=row.has_reported)
    await row.press()
    row.effects.on_browser_event("effect.seen", "`POST https://a.example`", {"request": "1"})
    sending = asyncio.ensure_future(row.send())
    await asyncio.sleep(0)
    assert not sending.done()
    may_write.set()
    await sending
    assert row.written == [["pay: `POST https://a.example`"]]

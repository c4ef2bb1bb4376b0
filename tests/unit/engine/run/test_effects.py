"""What a run has sent: written down before it can happen, taken back when it never left."""

import asyncio
import copy
from collections.abc import Callable
from typing import Any

import pytest

from pagehand.engine.run.effects import Effects
from pagehand.errors import BlockFailed, BrowserLost, SiteDown, Unanswered
from pagehand.records import Execution

MakeExecution = Callable[..., Execution]
pytestmark = pytest.mark.anyio


class Row:
    """The execution's row: what was written, one entry per write."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.written: list[list[str]] = []
        self.effects = Effects(execution, self.save, lambda text: text.replace("s3cret", "***"))
        self.effects.block = "page"

    async def save(self, **changes: Any) -> None:
        shown = copy.deepcopy(changes["metadata"].get("effects", []))
        self.written.append([f"{item['blockReferenceId']}: {item['what']}" for item in shown])


@pytest.fixture
def row(make_execution: MakeExecution) -> Row:
    return Row(make_execution())


async def test_it_is_on_the_row_before_it_can_happen(row: Row) -> None:
    async with row.effects.beginning("call", "`POST https://a.example/s3cret`"):
        assert row.written == [["call: `POST https://a.example/***`"]]
    assert len(row.written) == 1


@pytest.mark.parametrize("way", ["beginning", "intending"])
async def test_nothing_begins_before_the_run_may_surely_still_act(row: Row, way: str) -> None:
    may_act, has_begun = asyncio.Event(), asyncio.Event()

    async def confirmed() -> None:
        await may_act.wait()

    effects = Effects(row.execution, row.save, str, confirmed)

    async def act() -> None:
        around = effects.beginning if way == "beginning" else effects.intending
        async with around("pay", "`POST /pay`"):
            has_begun.set()

    acting = asyncio.create_task(act())
    while not row.written:  # noqa: ASYNC110 - the row tells nobody
        await asyncio.sleep(0)
    for _ in range(20):
        await asyncio.sleep(0)
    assert not has_begun.is_set()  # it is on the row, and the process may have stood still since
    may_act.set()
    await acting
    assert has_begun.is_set()


async def test_what_was_never_sent_is_taken_back_and_what_may_have_been_is_kept(row: Row) -> None:
    with pytest.raises(SiteDown):
        async with row.effects.beginning("call", "x"):
            raise SiteDown("refused")
    assert "effects" not in row.execution.metadata
    with pytest.raises(Unanswered):
        async with row.effects.beginning("call", "x"):
            raise Unanswered("lost")
    assert len(row.execution.metadata["effects"]) == 1


async def test_a_press_that_sends_nothing_leaves_nothing(row: Row) -> None:
    async with row.effects.intending("pay", "pressing `Pay`"):
        assert row.written[-1] == ["pay: pressing `Pay`"]
    assert row.written[-1] == []
    with pytest.raises(BlockFailed):
        async with row.effects.intending("pay", "pressing `Pay`"):
            raise BlockFailed("covered")
    assert row.written[-1] == []


async def test_a_press_says_afterwards_what_was_sent(row: Row) -> None:
    async with row.effects.intending("pay", "pressing `Pay`"):
        row.effects.on_browser_event("effect.seen", "`POST /pay` by `Pay`", {"request": "1"})
        row.effects.on_browser_event("effect.seen", "`POST /log` by `Pay`", {"request": "2"})
    await row.effects.wait_until_written()
    assert row.written[-1] == ["pay: `POST /pay` by `Pay`", "page: `POST /log` by `Pay`"]
    row.effects.on_browser_event("effect.unsent", "", {"request": "1"})
    await row.effects.wait_until_written()
    assert row.written[-1] == ["page: `POST /log` by `Pay`"]


@pytest.mark.parametrize("end", [BrowserLost("died"), asyncio.CancelledError()])
async def test_a_press_that_was_cut_short_stays(row: Row, end: BaseException) -> None:
    with pytest.raises(type(end)):
        async with row.effects.intending("pay", "pressing `Pay`"):
            raise end
    assert row.written[-1] == ["pay: pressing `Pay`"]


async def test_signing_in_is_not_an_effect(row: Row) -> None:
    with row.effects.signing_in():
        async with row.effects.intending("in", "pressing `Submit`"):
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

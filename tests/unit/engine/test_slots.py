"""How many run at once and how many stand paused: nothing is lost, nobody is passed by."""

import asyncio
import random

import pytest

from pagehand.engine.slots import Slot, Slots
from pagehand.errors import LimitReached

pytestmark = pytest.mark.anyio


class CountingSlots:
    """Slots, and how often a new run could have begun."""

    def __init__(self, running: int, paused: int) -> None:
        self.freed = 0
        self.slots = Slots(running, paused, self._free)

    def _free(self) -> None:
        self.freed += 1


def test_a_slot_is_free_again_after_its_run() -> None:
    counted = CountingSlots(1, 0)
    slot = Slot(counted.slots, "org_1")
    assert not counted.slots.room().of_any
    slot.release()
    slot.release()
    assert counted.slots.room().of_any
    assert counted.freed == 1


def test_a_paused_run_lets_another_begin() -> None:
    counted = CountingSlots(1, 2)
    paused = Slot(counted.slots, "org_1")
    paused.pause()
    paused.pause()
    assert counted.freed == 1
    Slot(counted.slots, "org_1")
    assert not counted.slots.room().of_any


async def test_those_who_go_on_come_before_those_who_begin() -> None:
    counted = CountingSlots(1, 2)
    paused = Slot(counted.slots, "org_1")
    paused.pause()
    running = Slot(counted.slots, "org_1")
    going_on = asyncio.create_task(paused.resume())
    await asyncio.sleep(0)
    running.release()
    assert not counted.slots.room().of_any
    await going_on
    paused.release()
    assert counted.slots.room().of_any


@pytest.mark.parametrize("is_handed_over", [True, False])
async def test_one_that_is_cancelled_while_it_waits_keeps_no_slot(is_handed_over: bool) -> None:
    counted = CountingSlots(1, 2)
    paused = Slot(counted.slots, "org_1")
    paused.pause()
    running = Slot(counted.slots, "org_1")
    going_on = asyncio.create_task(paused.resume())
    await asyncio.sleep(0)
    if is_handed_over:
        running.release()
    going_on.cancel()
    await asyncio.gather(going_on, return_exceptions=True)
    running.release()
    paused.release()
    assert counted.slots.room().of_any
    counted.slots.take("org_1", needs_browser=True)
    assert not counted.slots.room().of_any


def test_an_organization_of_which_nothing_runs_need_not_wait_for_others_to_end() -> None:
    counted = CountingSlots(2, 2)
    held = [Slot(counted.slots, "org_1") for _ in range(2)]
    assert not counted.slots.may_begin("org_1")
    assert counted.slots.may_begin("org_2")
    Slot(counted.slots, "org_2")
    assert not counted.slots.may_begin("org_2")
    assert not counted.slots.may_begin("org_3")  # bounded: there is one to spare
    held[0].release()
    assert not counted.slots.may_begin("org_1")
    assert counted.slots.may_begin("org_3")


async def test_one_that_resumes_need_not_wait_for_another_organization() -> None:
    counted = CountingSlots(1, 2)
    paused = Slot(counted.slots, "org_1")
    paused.pause()
    Slot(counted.slots, "org_2")
    await asyncio.wait_for(paused.resume(), 1)


async def test_runs_without_a_browser_have_slots_of_their_own() -> None:
    counted = CountingSlots(1, 2)
    with_browser = Slot(counted.slots, "org_1")
    assert counted.slots.may_begin("org_1", needs_browser=False)
    without = Slot(counted.slots, "org_1", needs_browser=False)
    assert not counted.slots.may_begin("org_1", needs_browser=False)
    # it opens a browser after all: then it waits for a slot with one
    using = asyncio.create_task(without.use_browser())
    await asyncio.sleep(0)
    assert not using.done()
    assert counted.slots.may_begin("org_1", needs_browser=False)
    with_browser.release()
    await using
    assert not counted.slots.may_begin("org_1")
    without.release()
    assert counted.slots.may_begin("org_1")


def test_idle_live_sessions_let_others_run_within_a_limit_of_their_own() -> None:
    counted = CountingSlots(2, 1)
    first, second = (Slot(counted.slots, "org_1") for _ in range(2))
    assert first.rest()
    assert first.rest()
    assert counted.slots.may_begin("org_1")
    assert not second.rest()  # half of them
    second.pause()  # which idle ones do not prevent
    first.release()
    assert Slot(counted.slots, "org_1").rest()


def test_one_organization_pauses_half_of_what_there_is() -> None:
    counted = CountingSlots(10, 4)
    slots = [Slot(counted.slots, "org_1") for _ in range(3)]
    for slot in slots[:2]:
        slot.pause()
    with pytest.raises(LimitReached, match=r"2 executions of this organization .*`PAGEHAND_MAX_PAUSED`"):
        slots[2].check_pause()
    with pytest.raises(LimitReached):
        slots[2].pause()
    Slot(counted.slots, "org_2").pause()
    slots[0].release()
    slots[2].pause()


def test_all_together_pause_no_more_than_there_may_be() -> None:
    counted = CountingSlots(10, 3)
    for organization in ("a", "b", "c"):
        Slot(counted.slots, organization).pause()
    with pytest.raises(LimitReached, match="3 executions are paused already"):
        Slot(counted.slots, "d").check_pause()


def test_where_none_may_pause_none_does() -> None:
    with pytest.raises(LimitReached):
        Slot(CountingSlots(1, 0).slots, "org_1").pause()


async def test_a_paused_run_that_ends_gives_back_its_pause() -> None:
    counted = CountingSlots(2, 2)
    first = Slot(counted.slots, "org_1")
    first.pause()
    first.check_pause()  # it is paused already: not one more
    first.release()
    Slot(counted.slots, "org_1").pause()


@pytest.mark.parametrize("seed", range(20))
async def test_whatever_happens_no_slot_is_lost_or_made_up(seed: int) -> None:
    dice, counted = random.Random(seed), CountingSlots(3, 6)  # noqa: S311 - made-up histories
    holders = 0
    most = 0

    async def one_run() -> None:
        nonlocal holders, most
        while not counted.slots.room().of_any:  # noqa: ASYNC110 - as the dispatcher is woken
            await asyncio.sleep(0)
        slot = Slot(counted.slots, f"org_{dice.randrange(3)}")
        holders += 1
        most = max(most, holders)
        try:
            for _ in range(dice.randrange(3)):
                try:
                    slot.pause()
                except LimitReached:
                    continue
                holders -= 1
                await asyncio.sleep(0)
                await slot.resume()
                holders += 1
                most = max(most, holders)
            holders -= 1
        finally:
            slot.release()

    async with asyncio.timeout(5):
        tasks = [asyncio.create_task(one_run()) for _ in range(15)]
        await asyncio.gather(*tasks)
    assert most <= 4  # one more than there are, of an organization of which none ran
    for _ in range(3):
        assert counted.slots.room().of_any
        counted.slots.take("org_1", needs_browser=True)
    assert not counted.slots.room().of_any

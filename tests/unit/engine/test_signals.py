"""Pausing, resuming and ending a run."""

import asyncio

import pytest

from pagehand.engine.signals import Signals, Stop
from pagehand.errors import BlockFailed, LimitReached
from pagehand.records import Status
from support.waiting import until

pytestmark = pytest.mark.anyio


class Statuses(list[Status]):
    async def set(self, status: Status, reason: str) -> None:
        assert reason
        self.append(status)


async def test_without_a_pause_nothing_is_held() -> None:
    statuses = Statuses()
    signals = Signals(statuses.set)
    await signals.wait_while_paused()
    assert (statuses, signals.paused_seconds) == ([], 0)


async def test_a_pause_lasts_until_resumed() -> None:
    statuses = Statuses()
    signals = Signals(statuses.set)
    signals.pause()
    paused = asyncio.create_task(signals.wait_while_paused())
    await asyncio.sleep(0.02)
    assert not paused.done()
    assert statuses == [Status.PAUSED]
    signals.resume()
    await paused
    assert signals.paused_seconds >= 0.02
    assert statuses == [Status.PAUSED, Status.IN_PROGRESS]


async def test_a_pause_stops_the_clock_of_a_sleep() -> None:
    signals = Signals(Statuses().set)
    loop = asyncio.get_running_loop()
    started = loop.time()
    sleeping = asyncio.create_task(signals.sleep(0.05))
    await asyncio.sleep(0.01)
    signals.pause()
    await asyncio.sleep(0.1)
    signals.resume()
    await sleeping
    assert signals.paused_seconds >= 0.09
    assert loop.time() - started >= 0.05 + signals.paused_seconds - 0.001


async def test_a_pause_stops_the_clock_of_a_limit() -> None:
    signals = Signals(Statuses().set)

    async def pause_and_go_on() -> None:
        async with asyncio.timeout(0.1) as limit:
            with signals.limiting(limit):
                async with signals.paused("a person"):
                    await asyncio.sleep(0.2)
                assert not limit.expired()
                await asyncio.sleep(1)

    with pytest.raises(TimeoutError):
        await pause_and_go_on()


async def test_limits_stand_still_while_the_clocks_are_stopped() -> None:
    signals = Signals(Statuses().set)
    async with asyncio.timeout(0.05) as limit:
        with signals.limiting(limit), signals.stopped_clocks():
            await asyncio.sleep(0.15)
    assert not limit.expired()


async def test_waiting_for_a_person_within_a_pause_changes_the_status_once() -> None:
    statuses = Statuses()
    signals = Signals(statuses.set)
    async with signals.paused("a person"), signals.paused("another"):
        assert statuses == [Status.PAUSED]
    assert statuses == [Status.PAUSED, Status.IN_PROGRESS]


async def test_the_first_reason_to_end_stands() -> None:
    signals = Signals(Statuses().set)
    task = asyncio.create_task(asyncio.sleep(10))
    signals.attach(task)
    signals.end(Stop("first"))
    signals.end(Stop("second"))
    with pytest.raises(asyncio.CancelledError):
        await task
    assert signals.stop == Stop("first")


async def test_a_run_asked_to_end_before_it_began_ends_at_once() -> None:
    signals = Signals(Statuses().set)
    signals.end(Stop("early"))
    task = asyncio.create_task(asyncio.sleep(10))
    signals.attach(task)
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_clock_stands_still_from_the_moment_a_person_drives() -> None:
    signals = Signals(Statuses().set)
    async with asyncio.timeout(0.1) as limit:
        with signals.limiting(limit):
            signals.drive()
            await asyncio.sleep(0.2)
            async with asyncio.timeout(0.05) as later:
                with signals.limiting(later):
                    await asyncio.sleep(0.1)
                    signals.stop_driving()
    assert signals.paused_seconds >= 0.3
    assert not limit.expired()


async def test_giving_back_leaves_a_pause_on_request_alone() -> None:
    signals = Signals(Statuses().set)
    signals.drive()
    signals.pause()
    signals.stop_driving()
    assert signals.is_pause_requested
    signals.resume()
    assert not signals.is_pause_requested


async def test_an_approval_ends_the_wait_for_it() -> None:
    statuses = Statuses()
    signals = Signals(statuses.set)
    waiting = asyncio.create_task(signals.wait_for_approval("Is it right?"))
    await asyncio.sleep(0.02)
    assert signals.person_task is not None
    assert (signals.person_task.reason, signals.pause_reason) == ("Is it right?", "Is it right?")
    signals.person_task.done.set()
    await waiting
    assert (statuses, signals.is_paused) == ([Status.PAUSED, Status.IN_PROGRESS], False)


async def test_a_pause_that_ends_with_an_error_is_over_at_the_next_step() -> None:
    statuses, slots = Statuses(), list[float]()

    async def take_slot() -> None:
        slots.append(signals.paused_seconds)
        await asyncio.sleep(0.02)

    signals = Signals(statuses.set, take_slot)
    with pytest.raises(BlockFailed):
        async with signals.paused("a person"):
            raise BlockFailed("nobody came")
    assert (statuses, slots) == ([Status.PAUSED], [])  # it may be the run's end: nothing is waited for
    before = signals.paused_seconds
    await signals.wait_while_paused()
    assert (statuses, len(slots)) == ([Status.PAUSED, Status.IN_PROGRESS], 1)
    assert signals.paused_seconds - before >= 0.015  # no clock runs while it waits for a slot
    await signals.wait_while_paused()
    assert (statuses, len(slots)) == ([Status.PAUSED, Status.IN_PROGRESS], 1)


async def test_a_pause_that_is_refused_is_not_shown_as_over_later() -> None:
    statuses = Statuses()

    async def set_status(status: Status, reason: str) -> None:
        if status is Status.PAUSED:
            raise LimitReached("too many are paused")
        await statuses.set(status, reason)

    signals = Signals(set_status)
    with pytest.raises(LimitReached):
        await signals.wait_for_approval("Is it right?")
    await signals.wait_while_paused()  # neither paused nor shown to resume
    assert (statuses, signals.is_paused) == ([], False)


async def test_an_interrupted_approval_pauses_no_later_step() -> None:
    statuses = Statuses()
    signals = Signals(statuses.set)
    waiting = asyncio.create_task(signals.wait_for_approval("Is it right?"))
    await until(lambda: signals.person_task)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert (signals.is_paused, signals.person_task) == (False, None)
    async with asyncio.timeout(1):
        await signals.wait_while_paused()
    assert statuses == [Status.PAUSED, Status.IN_PROGRESS]


async def test_a_pause_reaches_a_run_that_waits_for_something_else() -> None:
    statuses = Statuses()
    signals = Signals(statuses.set)
    login: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    waiting = asyncio.create_task(signals.wait_for(login))
    await asyncio.sleep(0)
    signals.pause()
    await until(lambda: statuses == [Status.PAUSED])
    login.set_result(None)
    await asyncio.sleep(0.02)
    assert not waiting.done()  # what it waited for is there, and the pause still holds it
    signals.resume()
    await waiting
    assert statuses == [Status.PAUSED, Status.IN_PROGRESS]


async def test_what_a_pause_is_for_stays_what_it_began_with() -> None:
    signals = Signals(Statuses().set)
    assert signals.first_pause is None
    async with signals.paused("The site asks for a code", "code"):
        signals.drive()
        async with signals.paused("A person drives the browser", "driving"):
            assert signals.first_pause is not None
            assert (signals.first_pause.kind, signals.pause_reason) == ("code", "A person drives the browser")
        signals.stop_driving()
    assert (signals.first_pause, signals.pause_reason) == (None, "")


async def test_no_step_begins_before_the_run_is_sure_of_its_claim() -> None:
    signals, asked = Signals(Statuses().set), list[str]()

    async def confirm() -> None:
        asked.append("confirmed")

    signals.before_action = confirm
    await signals.wait_while_paused()
    await signals.confirm()
    assert asked == ["confirmed", "confirmed"]


async def test_whoever_watches_hears_of_pauses_and_of_what_is_waited_for() -> None:
    signals, seen = Signals(Statuses().set), list[tuple[str, bool]]()
    signals.on_change = lambda: seen.append((signals.pause_reason, signals.person_task is not None))
    async with signals.waiting_for_person("Solve it"):
        assert seen == [("Solve it", False), ("Solve it", True)]
    assert seen[2:] == [("Solve it", False), ("", False)]

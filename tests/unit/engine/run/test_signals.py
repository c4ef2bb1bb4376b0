"""Pausing, resuming and ending a run."""

import asyncio

import pytest

from pagehand.engine.run.signals import Signals, Stop
from pagehand.records import Status

pytestmark = pytest.mark.anyio


class Statuses(list[Status]):
    async def set(self, status: Status, reason: str) -> None:
        assert reason
        self.append(status)


async def test_without_a_pause_nothing_is_held() -> None:
    statuses = Statuses()
    signals = Signals(statuses.set)
    await signals.hold_if_asked()
    assert (statuses, signals.held_seconds) == ([], 0)


async def test_a_pause_holds_until_resumed() -> None:
    statuses = Statuses()
    signals = Signals(statuses.set)
    signals.pause()
    held = asyncio.create_task(signals.hold_if_asked())
    await asyncio.sleep(0.02)
    assert not held.done()
    assert statuses == [Status.PAUSED]
    signals.resume()
    await held
    assert signals.held_seconds >= 0.02
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
    assert signals.held_seconds >= 0.09
    assert loop.time() - started >= 0.05 + signals.held_seconds - 0.001


async def test_a_pause_stops_the_clock_of_a_limit() -> None:
    signals = Signals(Statuses().set)

    async def pause_and_go_on() -> None:
        async with asyncio.timeout(0.1) as limit:
            with signals.limiting(limit):
                async with signals.holding("a person"):
                    await asyncio.sleep(0.2)
                assert not limit.expired()
                await asyncio.sleep(1)

    with pytest.raises(TimeoutError):
        await pause_and_go_on()


async def test_waiting_for_a_person_within_a_pause_changes_the_status_once() -> None:
    statuses = Statuses()
    signals = Signals(statuses.set)
    async with signals.holding("a person"), signals.holding("another"):
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
    assert signals.held_seconds >= 0.3
    assert not limit.expired()


async def test_giving_back_leaves_a_pause_on_request_alone() -> None:
    signals = Signals(Statuses().set)
    signals.drive()
    signals.pause()
    signals.stop_driving()
    assert signals.is_asked_to_hold
    signals.resume()
    assert not signals.is_asked_to_hold


async def test_a_persons_word_ends_a_wait_for_it() -> None:
    statuses = Statuses()
    signals = Signals(statuses.set)
    waiting = asyncio.create_task(signals.wait_for_word("Is it right?"))
    await asyncio.sleep(0.02)
    assert signals.waiting is not None
    assert (signals.waiting.reason, signals.held_for) == ("Is it right?", "Is it right?")
    signals.waiting.done.set()
    await waiting
    assert (statuses, signals.is_paused) == ([Status.PAUSED, Status.IN_PROGRESS], False)

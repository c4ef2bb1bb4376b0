"""A recording as those see it who wait for its blocks."""

import asyncio

import pytest

from pagehand.engine.live.control import Recording

pytestmark = pytest.mark.anyio


async def test_a_block_that_changes_keeps_its_number_and_gets_a_new_revision() -> None:
    recording = Recording()
    recording.begin()
    recording.add({"value": "A"}, replaces_last=False)
    [first] = await recording.since(0, 1)
    recording.add({"value": "AC"}, replaces_last=True)
    [newer] = await recording.since(first.revision, 1)
    assert (newer.number, newer.block) == (first.number, {"value": "AC"})


async def test_whoever_waits_hears_of_the_next_block_and_of_the_end() -> None:
    recording = Recording()
    recording.begin()
    waiting = asyncio.create_task(recording.since(0, 60))
    await asyncio.sleep(0)
    recording.add({}, replaces_last=False)
    assert len(await waiting) == 1
    ending = asyncio.create_task(recording.since(1, 60))
    await asyncio.sleep(0)
    recording.end()
    assert await ending == []


async def test_a_new_recording_is_not_taken_for_the_old_one() -> None:
    recording = Recording()
    recording.begin()
    recording.add({"old": 1}, replaces_last=False)
    [old] = await recording.since(0, 1)
    recording.begin()
    recording.add({"new": 1}, replaces_last=False)
    [new] = await recording.since(old.revision, 1)
    assert new.number > old.number


async def test_nobody_waits_for_blocks_once_the_recording_is_over() -> None:
    recording = Recording()
    recording.begin()
    recording.add({"value": "A"}, replaces_last=False)
    recording.end()
    async with asyncio.timeout(30):
        [last] = await recording.since(0, 60)
        assert await recording.since(last.revision, 60) == []

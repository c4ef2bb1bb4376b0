"""Which execution runs next."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from pagehand.engine.local.queue import ReadyQueue
from pagehand.records import Execution, QueueEntry

pytestmark = pytest.mark.anyio
MakeExecution = Callable[..., Execution]
MakeEntry = Callable[..., QueueEntry]


@pytest.fixture
def make_entry(make_execution: MakeExecution) -> MakeEntry:
    """What the queue knows of executions, with changes."""

    def make(**changes: Any) -> QueueEntry:
        return QueueEntry.of(make_execution(**changes))

    return make


async def taken(queue: ReadyQueue, count: int) -> list[QueueEntry]:
    found = [await queue.take() for _ in range(count)]
    return [item for item in found if item is not None]


async def test_first_come_first_served(make_entry: MakeEntry) -> None:
    queue, both = ReadyQueue(), [make_entry(), make_entry()]
    for item in both:
        queue.put(item)
    assert await taken(queue, 2) == both


async def test_higher_priority_goes_first(make_entry: MakeEntry) -> None:
    queue, low, high = ReadyQueue(), make_entry(), make_entry(priority=5)
    queue.put(low)
    queue.put(high)
    assert await taken(queue, 2) == [high, low]


async def test_organizations_take_turns(make_entry: MakeEntry) -> None:
    queue = ReadyQueue()
    many = [make_entry(organization_id="org_a") for _ in range(50)]
    for item in many:
        queue.put(item)
    late = make_entry(organization_id="org_b")
    queue.put(late)
    assert late in await taken(queue, 2)


async def test_one_at_a_time_per_exclusive_login(make_entry: MakeEntry) -> None:
    queue = ReadyQueue()
    first, second = (make_entry(exclusive_logins=["login_1"]) for _ in range(2))
    other = make_entry(exclusive_logins=["login_2"])
    for item in (first, second, other):
        queue.put(item)
    assert await taken(queue, 2) == [first, other]
    waiting = asyncio.create_task(queue.take())
    await asyncio.sleep(0.01)
    assert not waiting.done()
    queue.release(first)
    assert await waiting == second


async def test_shared_logins_run_together(make_entry: MakeEntry) -> None:
    queue = ReadyQueue()
    both = [make_entry(login_id="login_1") for _ in range(2)]
    for item in both:
        queue.put(item)
    assert await taken(queue, 2) == both


async def test_a_removed_one_is_never_taken(make_entry: MakeEntry) -> None:
    queue, gone, next_one = ReadyQueue(), make_entry(), make_entry()
    queue.put(gone)
    queue.put(next_one)
    assert queue.remove(gone.id)
    assert not queue.remove(gone.id)
    assert await queue.take() == next_one


async def test_a_held_one_that_is_removed_stays_away(make_entry: MakeEntry) -> None:
    queue = ReadyQueue()
    first, held, third = (make_entry(exclusive_logins=["login_1"]) for _ in range(3))
    for item in (first, held, third):
        queue.put(item)
    assert await queue.take() == first
    waiting = asyncio.create_task(queue.take())
    await asyncio.sleep(0)
    queue.remove(held.id)
    queue.release(first)
    assert await waiting == third


async def test_closing_wakes_who_waits(make_entry: MakeEntry) -> None:
    queue = ReadyQueue()
    waiting = asyncio.create_task(queue.take())
    await asyncio.sleep(0)
    queue.close()
    assert await waiting is None
    queue.put(make_entry())
    assert await queue.take() is None


async def test_all_logins_are_taken_at_once_or_none(make_entry: MakeEntry) -> None:
    queue = ReadyQueue()
    first = make_entry(exclusive_logins=["login_1", "login_2"])
    crossed = make_entry(exclusive_logins=["login_2", "login_3"])
    free = make_entry(exclusive_logins=["login_3"])
    for item in (first, crossed, free):
        queue.put(item)
    assert await taken(queue, 2) == [first, free]
    waiting = asyncio.create_task(queue.take())
    queue.release(first)
    await asyncio.sleep(0.01)
    assert not waiting.done()
    queue.release(free)
    assert await waiting == crossed


async def test_a_login_that_is_free_again_goes_to_the_next_who_can_run(make_entry: MakeEntry) -> None:
    queue = ReadyQueue()
    first, other = (make_entry(exclusive_logins=[name]) for name in ("login_1", "login_2"))
    needs_both = make_entry(exclusive_logins=["login_1", "login_2"])
    needs_one = make_entry(exclusive_logins=["login_1"])
    for item in (first, other, needs_both, needs_one):
        queue.put(item)
    assert await taken(queue, 2) == [first, other]
    waiting = asyncio.create_task(queue.take())
    await asyncio.sleep(0)
    queue.release(first)
    assert await waiting == needs_one


async def test_logins_named_in_either_order_do_not_deadlock(
    make_entry: MakeEntry,
) -> None:
    queue = ReadyQueue()
    orders = (["login_1", "login_2"], ["login_2", "login_1"]) * 20
    every = [make_entry(exclusive_logins=names) for names in orders]
    for item in every:
        queue.put(item)
    done: list[QueueEntry] = []
    while len(done) < len(every):
        async with asyncio.timeout(1):
            [execution] = await taken(queue, 1)
        done.append(execution)
        queue.release(execution)
    assert done == every


async def test_of_a_batch_only_so_many_run_at_once(make_entry: MakeEntry) -> None:
    queue = ReadyQueue()
    rows = [make_entry(batch_id="batch_1", batch_concurrency=2) for _ in range(4)]
    alone = make_entry()
    for item in (*rows, alone):
        queue.put(item)
    assert await taken(queue, 3) == [rows[0], rows[1], alone]
    waiting = asyncio.create_task(queue.take())
    await asyncio.sleep(0.01)
    assert not waiting.done()
    queue.release(rows[1])
    assert await waiting == rows[2]


async def test_a_batch_continues_when_its_next_execution_is_cancelled(make_entry: MakeEntry) -> None:
    queue = ReadyQueue()
    rows = [make_entry(batch_id="batch_1", batch_concurrency=1) for _ in range(3)]
    for row in rows:
        queue.put(row)
    assert await queue.take() == rows[0]
    waiting = asyncio.create_task(queue.take())
    await asyncio.sleep(0)
    queue.release(rows[0])  # brings the second forward, which is taken away before anybody runs it
    queue.remove(rows[1].id)
    assert await waiting == rows[2]


async def test_a_large_batch_is_handed_out_one_by_one_without_looking_at_all_of_it(
    make_entry: MakeEntry,
) -> None:
    queue, count = ReadyQueue(), 20_000
    for _ in range(count):
        queue.put(make_entry(batch_id="batch_1", batch_concurrency=1))
    async with asyncio.timeout(20):  # seconds where each looks at one, an hour where each looks at all
        for _ in range(count):
            [execution] = await taken(queue, 1)
            queue.release(execution)
    assert not len(queue)

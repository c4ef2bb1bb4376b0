"""Which execution runs next."""

import asyncio
from collections.abc import Callable

import pytest

from pagehand.engine.queue import ReadyQueue
from pagehand.records import Execution

pytestmark = pytest.mark.anyio
MakeExecution = Callable[..., Execution]


async def taken(queue: ReadyQueue, count: int) -> list[Execution]:
    found = [await queue.take() for _ in range(count)]
    return [one for one in found if one is not None]


async def test_first_come_first_served(make_execution: MakeExecution) -> None:
    queue, both = ReadyQueue(), [make_execution(), make_execution()]
    for one in both:
        queue.put(one)
    assert await taken(queue, 2) == both


async def test_higher_priority_goes_first(make_execution: MakeExecution) -> None:
    queue, low, high = ReadyQueue(), make_execution(), make_execution(priority=5)
    queue.put(low)
    queue.put(high)
    assert await taken(queue, 2) == [high, low]


async def test_organizations_take_turns(make_execution: MakeExecution) -> None:
    queue = ReadyQueue()
    many = [make_execution(organization_id="org_a") for _ in range(50)]
    for one in many:
        queue.put(one)
    late = make_execution(organization_id="org_b")
    queue.put(late)
    assert late in await taken(queue, 2)


async def test_one_at_a_time_per_exclusive_login(make_execution: MakeExecution) -> None:
    queue = ReadyQueue()
    first, second = (make_execution(login_id="login_1", login_is_exclusive=True) for _ in range(2))
    other = make_execution(login_id="login_2", login_is_exclusive=True)
    for one in (first, second, other):
        queue.put(one)
    assert await taken(queue, 2) == [first, other]
    waiting = asyncio.create_task(queue.take())
    await asyncio.sleep(0.01)
    assert not waiting.done()
    queue.release(first)
    assert await waiting == second


async def test_shared_logins_run_together(make_execution: MakeExecution) -> None:
    queue = ReadyQueue()
    both = [make_execution(login_id="login_1") for _ in range(2)]
    for one in both:
        queue.put(one)
    assert await taken(queue, 2) == both


async def test_a_removed_one_is_never_taken(make_execution: MakeExecution) -> None:
    queue, gone, next_one = ReadyQueue(), make_execution(), make_execution()
    queue.put(gone)
    queue.put(next_one)
    assert queue.remove(gone.id)
    assert not queue.remove(gone.id)
    assert await queue.take() == next_one


async def test_a_held_one_that_is_removed_stays_away(make_execution: MakeExecution) -> None:
    queue = ReadyQueue()
    first, held, third = (make_execution(login_id="login_1", login_is_exclusive=True) for _ in range(3))
    for one in (first, held, third):
        queue.put(one)
    assert await queue.take() == first
    waiting = asyncio.create_task(queue.take())
    await asyncio.sleep(0)
    queue.remove(held.id)
    queue.release(first)
    assert await waiting == third


async def test_closing_wakes_who_waits(make_execution: MakeExecution) -> None:
    queue = ReadyQueue()
    waiting = asyncio.create_task(queue.take())
    await asyncio.sleep(0)
    queue.close()
    assert await waiting is None
    queue.put(make_execution())
    assert await queue.take() is None

"""Logins that one execution at a time may use, asked for in the middle of a run."""

import asyncio

import pytest

from pagehand.engine.local.queue import LoginLocks
from pagehand.errors import BlockFailed

pytestmark = pytest.mark.anyio


async def test_a_free_login_is_had_at_once_and_again() -> None:
    locks = LoginLocks()
    assert locks.request("exec_1", "login_1").done()
    assert locks.request("exec_1", "login_1").done()
    assert locks.first_busy("exec_2", ["login_2", "login_1"]) == "login_1"


async def test_who_waits_gets_it_in_turn_before_anybody_else() -> None:
    locks = LoginLocks()
    locks.take("exec_1", ["login_1"])
    second, third = (locks.request(item, "login_1") for item in ("exec_2", "exec_3"))
    assert not locks.release("exec_1")  # handed over, so free for nobody else
    assert (second.done(), third.done()) == (True, False)
    assert not locks.release("exec_2")
    assert third.done()
    assert locks.release("exec_3") == ["login_1"]


async def test_who_gave_up_waiting_is_passed_over() -> None:
    locks = LoginLocks()
    locks.take("exec_1", ["login_1"])
    gone, next_one = (locks.request(item, "login_1") for item in ("exec_2", "exec_3"))
    gone.cancel()
    locks.release("exec_1")
    assert next_one.done()


async def test_executions_that_would_wait_for_each_other_are_refused() -> None:
    locks = LoginLocks()
    for number in (1, 2, 3):
        locks.take(f"exec_{number}", [f"login_{number}"])
    waits = [locks.request("exec_1", "login_2"), locks.request("exec_2", "login_3")]
    with pytest.raises(BlockFailed, match="both would wait forever"):
        locks.request("exec_3", "login_1")
    locks.release("exec_3")
    assert waits[1].done()


async def test_one_that_no_longer_waits_closes_no_circle() -> None:
    locks = LoginLocks()
    locks.take("exec_1", ["login_1"])
    locks.take("exec_2", ["login_2"])
    locks.request("exec_1", "login_2").cancel()
    waits = locks.request("exec_2", "login_1")
    locks.release("exec_1")
    await asyncio.wait_for(waits, 1)

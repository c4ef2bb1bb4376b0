"""Exclusive logins that Login blocks ask for in the middle of a run, on both engines."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass

import pytest

from pagehand.engine.local.queue import LoginLocks
from pagehand.engine.postgres.worker import SharedLoginTurns
from pagehand.engine.signing_in.authentications import ExclusiveLogins
from pagehand.errors import BlockFailed
from pagehand.storage import Database, Stores
from pagehand.storage.tables import assignments

pytestmark = pytest.mark.anyio


@dataclass
class LoginTurnsCase:
    turns: ExclusiveLogins
    release: Callable[[str], Awaitable[object]]


@pytest.fixture(params=["local", "postgres"])
async def case(request: pytest.FixtureRequest) -> AsyncGenerator[LoginTurnsCase]:
    if request.param == "local":
        locks = LoginLocks()

        async def release(execution_id: str) -> None:
            locks.release(execution_id)

        yield LoginTurnsCase(locks, release)
        return
    opened = Database(request.getfixturevalue("database"))
    await opened.open()
    stores = Stores(opened)
    for execution_id in ("exec_1", "exec_2"):
        await opened.execute(assignments.insert().values(execution_id=execution_id, worker_id="worker_1"))

    async def let_go(execution_id: str) -> None:
        await stores.shared_queue.end("worker_1", execution_id)

    yield LoginTurnsCase(SharedLoginTurns(stores.exclusive_logins), let_go)
    await opened.close()


async def granted(turn: "asyncio.Future[None]") -> None:
    async with asyncio.timeout(60):
        await turn


async def test_a_waiting_execution_gets_the_login_when_it_is_free(case: LoginTurnsCase) -> None:
    await granted(await case.turns.ask("exec_1", "login_1"))
    await granted(await case.turns.ask("exec_1", "login_1"))  # its own
    waiting = await case.turns.ask("exec_2", "login_1")
    assert not waiting.done()
    await case.release("exec_1")
    await granted(waiting)


async def test_two_that_want_each_others_logins_do_not_wait_for_ever(case: LoginTurnsCase) -> None:
    await granted(await case.turns.ask("exec_1", "login_1"))
    await granted(await case.turns.ask("exec_2", "login_2"))
    waiting = await case.turns.ask("exec_1", "login_2")
    with pytest.raises(BlockFailed, match="both would wait forever") as refused:
        await case.turns.ask("exec_2", "login_1")
    assert "different order" in refused.value.diagnosis.cause
    assert not waiting.done()
    await case.release("exec_2")
    await granted(waiting)

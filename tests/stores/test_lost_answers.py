"""A commit whose answer is lost: asked for again, every write finds itself done and is made once."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar

import pytest
from sqlalchemy import Connection, Executable, RowMapping, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.clock import now_ms
from pagehand.errors import Unavailable
from pagehand.records import Batch, Delivery, Event, OutputPiece, Requeue, Status, WebhookEvent
from pagehand.storage import Database, ExecutionFilter, Stores
from pagehand.storage.tables import deliveries, execution_outputs
from support.ending import final_state

from .conftest import MakeExecution

pytestmark = pytest.mark.anyio
T = TypeVar("T")


class LostAnswers:
    """A database that commits and then says that it cannot be reached, as often as asked for."""

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = 0
        self._commit, self._write, self._commit_one = database.commit, database.write, database.commit_one
        monkeypatch.setattr(database, "commit", self.commit)
        if not database.is_sqlite:  # there it is a `commit`
            monkeypatch.setattr(database, "commit_one", self.commit_one)
        monkeypatch.setattr(database, "write", self.write)

    async def commit(self, work: Callable[[Connection], T]) -> T:
        done = await self._commit(work)
        self._lose()
        return done

    async def commit_one(self, statement: Executable, values: Mapping[str, Any]) -> Sequence[RowMapping]:
        done = await self._commit_one(statement, values)
        self._lose()
        return done

    def write(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self._lossy_write()

    @asynccontextmanager
    async def _lossy_write(self) -> AsyncGenerator[AsyncConnection]:
        async with self._write() as connection:
            yield connection
        self._lose()

    async def then_again(self, write: Callable[[], Awaitable[T]]) -> T:
        """What the write says when it is asked for again after its answer was lost."""
        self.left = 1
        with pytest.raises(Unavailable):
            await write()
        return await write()

    def _lose(self) -> None:
        if self.left:
            self.left -= 1
            raise Unavailable("The answer was lost.")


@pytest.fixture
def lost(database: Database, monkeypatch: pytest.MonkeyPatch) -> LostAnswers:
    return LostAnswers(database, monkeypatch)


def webhook_event(name: str) -> WebhookEvent:
    delivery = Delivery(
        id=f"delivery_{name}",
        organization_id="org_a",
        webhook_id="webhook_1",
        message_id=f"msg_{name}",
        event="execution.started",
        body="{}",
        created_at=now_ms(),
    )
    return WebhookEvent(deliveries=[delivery])


async def count(database: Database, table: Any) -> int:
    async with database.read() as connection:
        return (await connection.execute(select(func.count()).select_from(table))).scalar_one()


@pytest.mark.parametrize("idempotency_key", [None, ("key-1", b"digest")])
async def test_what_was_added_is_accepted_once(
    stores: Stores,
    lost: LostAnswers,
    make_execution: MakeExecution,
    idempotency_key: tuple[str, bytes] | None,
) -> None:
    execution = make_execution()
    lost.left = 2
    assert (await stores.executions.add(execution, idempotency_key)).id == execution.id
    assert (await stores.executions.list("org_a", ExecutionFilter())).total == 1


async def test_a_batch_is_accepted_once(
    stores: Stores, lost: LostAnswers, make_execution: MakeExecution
) -> None:
    batch = Batch(
        id="batch_1",
        organization_id="org_a",
        name="B",
        workflow_id="wf_1",
        workflow_name="W",
        total=3,
        created_at=1,
    )
    rows = [make_execution(batch_id=batch.id) for _ in range(3)]
    lost.left = 1
    await stores.batches.add(batch, rows)
    assert (await stores.executions.list("org_a", ExecutionFilter(batch_id=batch.id))).total == 3


async def test_a_claim_is_the_claimers_own(
    stores: Stores, database: Database, lost: LostAnswers, make_execution: MakeExecution
) -> None:
    execution = make_execution()
    await stores.executions.add(execution)
    claimed = await lost.then_again(
        lambda: stores.executions.claim(
            execution.id, at=1, token="mine", webhook_event=webhook_event("claim")
        )
    )
    assert claimed is not None
    assert (claimed.status, claimed.fence) == (Status.IN_PROGRESS, 1)
    assert await stores.executions.claim(execution.id, at=1, token="other") is None
    assert await count(database, deliveries) == 1


async def test_a_pause_is_announced_once(
    stores: Stores, database: Database, lost: LostAnswers, make_execution: MakeExecution
) -> None:
    execution = make_execution()
    await stores.executions.add(execution)
    await stores.executions.claim(execution.id, at=1)
    assert await lost.then_again(
        lambda: stores.executions.update(
            execution.id, 1, status=Status.PAUSED, token="pause", webhook_event=webhook_event("pause")
        )
    )
    assert await count(database, deliveries) == 1


async def test_the_end_is_the_enders_own(
    stores: Stores, database: Database, lost: LostAnswers, make_execution: MakeExecution
) -> None:
    execution = make_execution()
    await stores.executions.add(execution)
    await stores.executions.claim(execution.id, at=1)
    assert await lost.then_again(
        lambda: stores.executions.finish(
            final_state(execution.id, webhook_event=webhook_event("end")), 1, token="end"
        )
    )
    assert not await stores.executions.finish(final_state(execution.id), 1, token="other")
    assert await count(database, deliveries) == 1


async def test_cancelling_many_is_done_once(
    stores: Stores, lost: LostAnswers, make_execution: MakeExecution
) -> None:
    sent = [make_execution() for _ in range(3)]
    for item in sent:
        await stores.executions.add(item)
    ends = [final_state(item.id, Status.FAILED, webhook_event=webhook_event(item.id)) for item in sent]
    ended = await lost.then_again(lambda: stores.executions.finish_waiting(ends, token="cancel"))
    assert set(ended) == {item.id for item in sent}


async def test_going_back_to_the_queue_is_done_once(
    stores: Stores, lost: LostAnswers, make_execution: MakeExecution
) -> None:
    execution = make_execution()
    await stores.executions.add(execution)
    await stores.executions.claim(execution.id, at=1)
    assert await lost.then_again(
        lambda: stores.executions.requeue(
            execution.id, 1, Requeue(attempts=2, metadata={}, at=2), token="requeue"
        )
    )
    found = await stores.executions.find_in_any_organization(execution.id)
    assert found is not None
    assert (found.status, found.fence, found.attempts) == (Status.ENQUEUED, 2, 2)


async def test_events_are_kept_once(stores: Stores, lost: LostAnswers, make_execution: MakeExecution) -> None:
    execution = make_execution()
    await stores.executions.add(execution)
    events = [
        Event(execution_id=execution.id, seq=number, at=number, type="block.started", message=f"m{number}")
        for number in (1, 2)
    ]
    await lost.then_again(lambda: stores.events.add(events))
    assert (await stores.events.list("org_a", execution.id, 10, 0))[1] == 2


async def test_outputs_are_kept_once(
    stores: Stores, database: Database, lost: LostAnswers, make_execution: MakeExecution
) -> None:
    execution = make_execution()
    await stores.executions.add(execution)
    await stores.executions.claim(execution.id, at=1)
    pieces = [OutputPiece(path=["a"], value=1), OutputPiece(path=["rounds", 0, "b"], value=[2])]
    assert await lost.then_again(lambda: stores.outputs.add(execution.id, 1, 0, pieces))
    assert await stores.outputs.of_execution(execution.id) == pieces
    assert not await stores.outputs.add(execution.id, 2, 2, pieces)
    await stores.executions.finish(final_state(execution.id), 1)
    assert await count(database, execution_outputs) == 0

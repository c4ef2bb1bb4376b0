"""Messages to executions that run in another process, and the answers."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import BigInteger, and_, delete, exists, literal_column, select, update

from pagehand.records import Json
from pagehand.storage.database import POSTGRES_NOW_MS, uncancellable
from pagehand.storage.run_claim import FINAL, Store
from pagehand.storage.tables import executions, messages_to_runs

_NOW = literal_column(POSTGRES_NOW_MS, BigInteger)


@dataclass(slots=True, frozen=True)
class RunMessage:
    """One message; `kind` names the request."""

    id: str
    execution_id: str
    kind: str
    body: Json


class RunMessageStore(Store):
    """Messages until they are answered and read, or too old."""

    @uncancellable
    async def add(self, messages: Sequence[RunMessage]) -> None:
        """Add messages for the processes that run the executions."""
        async with self._database.write() as connection:
            for message in messages:
                row = messages_to_runs.insert().values(**asdict(message), sent_at=_NOW)
                await connection.execute(row)

    async def unanswered(self, execution_ids: Sequence[str], *, besides: Sequence[str]) -> list[RunMessage]:
        """Messages to these executions without an answer, oldest first, except those in `besides`."""
        table = messages_to_runs
        query = select(table.c.id, table.c.execution_id, table.c.kind, table.c.body)
        query = query.where(table.c.execution_id.in_(list(execution_ids)), table.c.answer.is_(None))
        query = query.where(table.c.id.not_in(list(besides)))
        rows = await self._database.all(query.order_by(table.c.sent_at))
        return [RunMessage(**row) for row in rows]

    @uncancellable
    async def answer(self, message_id: str, answer: Json) -> None:
        """Answer a message and delete its body, which may hold a code."""
        change = update(messages_to_runs).where(messages_to_runs.c.id == message_id)
        await self._database.execute(change.values(answer=answer, body={}))

    async def answer_to(self, message_id: str) -> Json | None:
        """The answer to a message, if there is one yet."""
        query = select(messages_to_runs.c.answer).where(messages_to_runs.c.id == message_id)
        async with self._database.read() as connection:
            found: Any = (await connection.execute(query)).scalar()
        return found

    @uncancellable
    async def remove(self, message_id: str) -> None:
        """Delete a message that was answered or is not waited for."""
        await self._database.execute(delete(messages_to_runs).where(messages_to_runs.c.id == message_id))

    @uncancellable
    async def sweep(self, older_than_ms: int) -> None:
        """Delete old messages to executions that have ended."""
        is_running = exists().where(
            executions.c.id == messages_to_runs.c.execution_id, executions.c.status.not_in(FINAL)
        )
        old = and_(messages_to_runs.c.sent_at < _NOW - older_than_ms, ~is_running)
        await self._database.execute(delete(messages_to_runs).where(old))

"""Messages to executions that run in another process, and their answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, and_, delete, exists, literal_column, select, update

from pagehand.records import Json, Status
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.tables import executions, messages_to_runs

_NOW = literal_column("CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)", BigInteger)

_FINAL = [status for status in Status if status.is_final]


@dataclass(slots=True, frozen=True)
class RunMessage:
    """One message; `kind` says what is wanted."""

    id: str
    execution_id: str
    kind: str
    body: Json


@waits_for_database
class RunMessageStore:
    """Messages, until they are answered and read or too old to matter."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def add(self, messages: Sequence[RunMessage]) -> None:
        """Keep messages for whoever runs the executions."""
        rows = [
            {
                "id": message.id,
                "execution_id": message.execution_id,
                "kind": message.kind,
                "body": message.body,
            }
            for message in messages
        ]
        async with self._database.write() as connection:
            for row in rows:
                await connection.execute(messages_to_runs.insert().values(**row, sent_at=_NOW))

    async def unanswered(self, execution_ids: Sequence[str], *, besides: Sequence[str]) -> list[RunMessage]:
        """Messages to these executions without an answer, oldest first, except those in `besides`."""
        table = messages_to_runs
        query = select(table.c.id, table.c.execution_id, table.c.kind, table.c.body)
        query = query.where(table.c.execution_id.in_(list(execution_ids)), table.c.answer.is_(None))
        query = query.where(table.c.id.not_in(list(besides)))
        async with self._database.read() as connection:
            rows = (await connection.execute(query.order_by(table.c.sent_at))).mappings()
            return [RunMessage(**row) for row in rows]

    @uncancellable
    async def answer(self, message_id: str, answer: Json) -> None:
        """Answer a message; its body, which may hold a code, is deleted."""
        change = update(messages_to_runs).where(messages_to_runs.c.id == message_id)
        async with self._database.write() as connection:
            await connection.execute(change.values(answer=answer, body={}))

    async def answer_to(self, message_id: str) -> Json | None:
        """The answer to a message, if there is one yet."""
        query = select(messages_to_runs.c.answer).where(messages_to_runs.c.id == message_id)
        async with self._database.read() as connection:
            found: Any = (await connection.execute(query)).scalar()
        return found

    @uncancellable
    async def remove(self, message_id: str) -> None:
        """Forget a message that was answered, or that nobody waits for."""
        async with self._database.write() as connection:
            await connection.execute(delete(messages_to_runs).where(messages_to_runs.c.id == message_id))

    @uncancellable
    async def sweep(self, older_than_ms: int) -> None:
        """Delete old messages to executions that have ended."""
        runs = exists().where(
            executions.c.id == messages_to_runs.c.execution_id, executions.c.status.not_in(_FINAL)
        )
        old = and_(messages_to_runs.c.sent_at < _NOW - older_than_ms, ~runs)
        async with self._database.write() as connection:
            await connection.execute(delete(messages_to_runs).where(old))

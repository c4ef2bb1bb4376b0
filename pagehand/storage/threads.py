"""Agent conversations and their messages."""

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import func, select
from sqlalchemy.dialects import postgresql

from pagehand.clock import now_ms
from pagehand.records import Message, Thread
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.on_behalf import demand_claim, made_once, waits_for_database
from pagehand.storage.pages import read_page
from pagehand.storage.tables import messages, threads


@waits_for_database
class ThreadStore:
    """An organization's threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def add(self, thread: Thread) -> None:
        """Keep a new thread."""
        async with self._database.write() as connection:
            await demand_claim(connection)
            await connection.execute(
                postgresql.insert(threads)
                .values(asdict(thread))
                .on_conflict_do_nothing(index_elements=["id"])
            )

    async def get(self, organization_id: str, thread_id: str) -> Thread | None:
        """The thread with that id."""
        query = select(threads).where(threads.c.id == thread_id, threads.c.organization_id == organization_id)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).mappings().first()
        return Thread(**row) if row else None

    @made_once
    @uncancellable
    async def say(
        self, organization_id: str, thread_id: str, new_messages: Sequence[tuple[str, str]]
    ) -> list[Message]:
        """Append (role, text) messages to a thread; none if there is no such thread."""
        found = select(threads.c.id).where(
            threads.c.id == thread_id, threads.c.organization_id == organization_id
        )
        # numbered here and not by the database: each thread counts from 1
        last = select(func.coalesce(func.max(messages.c.seq), 0)).where(messages.c.thread_id == thread_id)
        async with self._database.write() as connection:
            await demand_claim(connection)
            # the thread is held while its messages are numbered
            if (await connection.execute(found.with_for_update())).first() is None or not new_messages:
                return []
            start, now = (await connection.execute(last)).scalar_one() + 1, now_ms()
            fresh = [
                Message(thread_id=thread_id, seq=seq, role=role, text=text, created_at=now)
                for seq, (role, text) in enumerate(new_messages, start)
            ]
            await connection.execute(messages.insert(), [asdict(message) for message in fresh])
            return fresh

    async def messages(
        self, organization_id: str, thread_id: str, limit: int, offset: int
    ) -> tuple[list[Message], int]:
        """A thread's messages, oldest first."""
        query = select(messages).join_from(messages, threads)
        query = query.where(
            messages.c.thread_id == thread_id, threads.c.organization_id == organization_id
        ).order_by(messages.c.seq)
        async with self._database.read() as connection:
            rows, total = await read_page(connection, query, limit, offset)
        return [Message(**row) for row in rows], total

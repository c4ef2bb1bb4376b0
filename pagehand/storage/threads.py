"""Threads, the conversations with agents; and the changes to workflows that they and executions propose."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Table, Update, func, select, update
from sqlalchemy.dialects import postgresql

from pagehand.clock import now_ms
from pagehand.records import Execution, Message, ProposalState, Thread
from pagehand.storage.database import uncancellable
from pagehand.storage.execution_list import LIST_COLUMNS
from pagehand.storage.pages import Parts, is_row
from pagehand.storage.run_claim import Store, never_retried, require_claim
from pagehand.storage.tables import executions, messages, threads, workflows


class ThreadStore(Store):
    """An organization's threads."""

    @uncancellable
    async def add(self, thread: Thread) -> None:
        """Add a thread."""
        add = postgresql.insert(threads).values(asdict(thread)).on_conflict_do_nothing(index_elements=["id"])
        async with self._database.write() as connection:
            await require_claim(connection)
            await connection.execute(add)

    async def get(self, organization_id: str, thread_id: str) -> Thread | None:
        """The thread with that id."""
        row = await self._database.first(select(threads).where(is_row(threads, organization_id, thread_id)))
        return Thread(**row) if row else None

    @never_retried
    @uncancellable
    async def add_messages(
        self, organization_id: str, thread_id: str, new_messages: Sequence[tuple[str, str]]
    ) -> list[Message]:
        """Append (role, text) messages to a thread; returns none if the thread does not exist."""
        thread = select(threads.c.id).where(is_row(threads, organization_id, thread_id))
        # numbered here and not by the database: each thread counts from 1
        last = select(func.coalesce(func.max(messages.c.seq), 0)).where(messages.c.thread_id == thread_id)
        async with self._database.write() as connection:
            await require_claim(connection)
            # the thread's row is locked while its messages are numbered
            if (await connection.execute(thread.with_for_update())).first() is None or not new_messages:
                return []
            start, now = (await connection.execute(last)).scalar_one() + 1, now_ms()
            added = [
                Message(thread_id=thread_id, seq=seq, role=role, text=text, created_at=now)
                for seq, (role, text) in enumerate(new_messages, start)
            ]
            await connection.execute(messages.insert(), [asdict(message) for message in added])
            return added

    async def messages(
        self, organization_id: str, thread_id: str, limit: int, offset: int
    ) -> tuple[Parts[Message], int]:
        """A thread's messages, oldest first."""
        query = select(messages).join_from(messages, threads)
        query = query.where(
            messages.c.thread_id == thread_id, threads.c.organization_id == organization_id
        ).order_by(messages.c.seq)
        read = self._database.reader(Message)
        return await self._database.parts(query, messages.c.seq, [messages.c.text], read, (limit, offset))


class ProposalStore(Store):
    """The state of each proposal, and those that are open."""

    async def open(self, organization_id: str, limit: int) -> list[Execution]:
        """Executions whose proposal is open and fits the workflow's current version, newest first.

        One per workflow: a run every night would propose the same change every night.
        """
        newest = (
            select(func.max(executions.c.n))
            .join(workflows, workflows.c.id == executions.c.workflow_id)
            .where(
                executions.c.organization_id == organization_id,
                executions.c.proposal == "open",
                executions.c.workflow_version == workflows.c.version,
                workflows.c.deleted_at.is_(None),
            )
            .group_by(executions.c.workflow_id)
        )
        query = select(*LIST_COLUMNS).where(executions.c.n.in_(newest))
        rows = await self._database.all(query.order_by(executions.c.n.desc()).limit(limit))
        found: list[dict[str, Any]] = [dict(row) for row in rows]
        for row in found:
            # a list of proposals shows no params, and they may be large
            row["params"] = {}
        return [Execution(**row) for row in found]

    @uncancellable
    async def settle(
        self, organization_id: str, execution_id: str, state: ProposalState, version: int | None = None
    ) -> None:
        """Set the state of an execution's proposal; `version` is the one that applying it made."""
        await self._database.execute(_settle(executions, organization_id, execution_id, state, version))

    @uncancellable
    async def settle_thread(
        self, organization_id: str, thread_id: str, state: ProposalState, version: int | None = None
    ) -> None:
        """Set the state of a thread's proposal."""
        await self._database.execute(_settle(threads, organization_id, thread_id, state, version))


def _settle(
    table: Table, organization_id: str, row_id: str, state: ProposalState, version: int | None
) -> Update:
    change = update(table).values(proposal=state, proposal_version=version)
    return change.where(is_row(table, organization_id, row_id))

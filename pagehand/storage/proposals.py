"""Proposals: the changes to workflows that executions and conversations hold."""

from typing import Any

from sqlalchemy import func, select, update

from pagehand.records import Execution, ProposalState
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.execution_list import LIST_COLUMNS
from pagehand.storage.on_behalf import waits_for_database
from pagehand.storage.tables import executions, threads, workflows


@waits_for_database
class ProposalStore:
    """What became of each proposal, and those that nobody has answered."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def open(self, organization_id: str, limit: int) -> list[Execution]:
        """Executions whose proposal is open and was made for the workflow as it is today, newest first.

        One a workflow: a run every night would propose the same change every night.
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
        async with self._database.read() as connection:
            rows = await connection.execute(query.order_by(executions.c.n.desc()).limit(limit))
            found: list[dict[str, Any]] = [dict(row) for row in rows.mappings()]
        for row in found:
            # a list of proposals shows none, and they may be large
            row["params"] = {}
        return [Execution(**row) for row in found]

    @uncancellable
    async def settle(
        self, organization_id: str, execution_id: str, state: ProposalState, version: int | None = None
    ) -> None:
        """Write down what became of a proposal; `version` is the one that applying it made."""
        change = update(executions).values(proposal=state, proposal_version=version)
        change = change.where(
            executions.c.id == execution_id, executions.c.organization_id == organization_id
        )
        async with self._database.write() as connection:
            await connection.execute(change)

    @uncancellable
    async def settle_thread(
        self, organization_id: str, thread_id: str, state: ProposalState, version: int | None = None
    ) -> None:
        """The same for what a conversation proposes."""
        change = update(threads).values(proposal=state, proposal_version=version)
        change = change.where(threads.c.id == thread_id, threads.c.organization_id == organization_id)
        async with self._database.write() as connection:
            await connection.execute(change)

"""Proposals: the changes to workflows that executions and threads suggest."""

from typing import Any

from sqlalchemy import Table, Update, func, select, update

from pagehand.records import Execution, ProposalState
from pagehand.storage.database import Database, uncancellable
from pagehand.storage.execution_list import LIST_COLUMNS
from pagehand.storage.pages import is_row
from pagehand.storage.run_claim import retry_in_runs
from pagehand.storage.tables import executions, threads, workflows


@retry_in_runs
class ProposalStore:
    """The state of each proposal, and those that are open."""

    def __init__(self, database: Database) -> None:
        self._database = database

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

"""What a look at a workflow's pages goes by: the run it is compared with, and the effects that were seen."""

from collections.abc import Sequence
from typing import Final

from pagehand.errors import Conflict
from pagehand.records import Execution, Json, Status
from pagehand.storage.execution_list import ExecutionFilter
from pagehand.storage.executions import ExecutionStore

_RECENT: Final = 100
_EARLIER_LOOKS: Final = 5


async def look_facts(store: ExecutionStore, organization_id: str, workflow_id: str) -> Json:
    """The `metadata.look` of a new execution; Conflict if the workflow never ran to its end.

    Each look passes on what it knew, so that many looks do not push the runs out of what is read here.
    """
    page = await store.list(organization_id, ExecutionFilter(workflow_id=workflow_id, limit=_RECENT))
    looks = [execution for execution in page.items if execution.is_look]
    runs = [execution for execution in page.items if not execution.is_look]
    known = [*(run.id for run in runs if _is_whole(run)), *(_look(look)["executionId"] for look in looks)]
    reference = await _first_kept(store, organization_id, known)
    if reference is None:
        raise Conflict("`look` compares with an execution that completed, and there is none: run it first.")
    seen = (effect["blockReferenceId"] for run in runs for effect in run.metadata.get("effects", []))
    passed_on = (name for look in looks for name in _look(look)["effects"])
    return {
        "executionId": reference,
        "effects": sorted({*seen, *passed_on}),
        "earlier": [look.id for look in looks if look.end_time is not None][:_EARLIER_LOOKS],
    }


def _look(execution: Execution) -> Json:
    return execution.metadata["look"]


def _is_whole(run: Execution) -> bool:
    """True for a run from the first block to the last."""
    return run.status is Status.COMPLETED and run.start_block_id is None and not run.is_live_session


async def _first_kept(store: ExecutionStore, organization_id: str, ids: Sequence[str]) -> str | None:
    for execution_id in dict.fromkeys(ids):
        if await store.get(organization_id, execution_id) is not None:
            return execution_id
    return None

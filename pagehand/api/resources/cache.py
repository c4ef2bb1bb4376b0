"""What runs keep for the next run: healed elements, plans for reading pages, steps of agents."""

from typing import Annotated, Any

from msgspec import Meta

from pagehand.api.fields import Id, Listing, Moment, Page, Request, View
from pagehand.api.operation import EXAMPLE_WORKFLOW_ID, Call, Result, operation
from pagehand.api.resources.lookups import find_workflow
from pagehand.clock import to_iso
from pagehand.engine.repair.element_memory import written_digests
from pagehand.engine.run.cache import wording_digests
from pagehand.errors import NotFound
from pagehand.records import CachedPlan, Memory
from pagehand.workflow import tree


class CacheEntry(View):
    """One thing that a block keeps."""

    block_id: str
    block_reference_id: str
    kind: Annotated[str, Meta(description="`element`, `extraction` or `steps`.")]
    made_by: Annotated[str, Meta(description="`model`, `structure` or `healing`.")]
    page: Annotated[str, Meta(description="Origin and path pattern of the page; empty when on any.")]
    kept_at: Moment
    plan: Annotated[Any, Meta(description="Names, selectors, steps; never data of a page.")]


CacheList = Listing("CacheList", "entries", CacheEntry, "Newest first.")


class ListCache(Page, kw_only=True):
    """Whose, and which part of it."""

    workflow_id: Id


@operation(
    "/workflows/cache/list",
    scope="read",
    response=CacheList,
    errors=(404,),
    example={"workflowId": EXAMPLE_WORKFLOW_ID},
)
async def list_all(call: Call[ListCache]) -> Result:
    """What the workflow's blocks keep; what was kept for a block that has been edited since is left out."""
    request, stores = call.request, call.services.stores
    workflow = await find_workflow(call, request.workflow_id, "workflowId")
    blocks = tree.from_json(workflow.blocks)
    references = {inner.id: inner.block_reference_id for inner in tree.walk(blocks)}
    current = wording_digests(blocks)
    plans = await stores.plans.of_workflow(call.organization_id, workflow.id)
    memories = await stores.memories.of_workflow(call.organization_id, workflow.id)
    kept: list[CachedPlan | Memory] = [plan for plan in plans if current.get(plan.block_id) == plan.written]
    written = written_digests(blocks)
    # elements that were found without healing are remembered too, but are not interesting
    kept += (
        memory
        for memory in memories
        if memory.healed_locator and memory.written == written.get(memory.block_id)
    )
    kept.sort(key=_kept_at, reverse=True)
    # only for the page: there may be 100,000 of them
    page = [_entry(of, references) for of in kept[request.offset : request.offset + request.limit]]
    return CacheList(page, total=len(kept))


class ClearCache(Request):
    """Whose, and of which block; of all of them without one."""

    workflow_id: Id
    block_id: str | None = None


class ClearedCache(View):
    """How much was forgotten."""

    cleared: int


@operation(
    "/workflows/cache/clear",
    scope="edit",
    response=ClearedCache,
    errors=(404,),
    example={"workflowId": EXAMPLE_WORKFLOW_ID},
)
async def clear(call: Call[ClearCache]) -> Result:
    """Delete what the workflow's blocks keep, remembered elements included; the next run starts afresh."""
    request, stores = call.request, call.services.stores
    workflow = await find_workflow(call, request.workflow_id, "workflowId")
    blocks = tree.from_json(workflow.blocks)
    if request.block_id is not None and tree.find_block(blocks, request.block_id) is None:
        raise NotFound("There is no block with this `blockId` in the workflow")
    cleared = await stores.plans.clear(call.organization_id, workflow.id, request.block_id)
    cleared += await stores.memories.clear(call.organization_id, workflow.id, request.block_id)
    return ClearedCache(cleared=cleared)


def _kept_at(of: CachedPlan | Memory) -> int:
    return of.kept_at if isinstance(of, CachedPlan) else of.remembered_at


def _entry(of: CachedPlan | Memory, references: dict[str, str]) -> CacheEntry:
    reference = references[of.block_id]
    if isinstance(of, CachedPlan):
        return CacheEntry.of(of, block_reference_id=reference)
    return CacheEntry(
        block_id=of.block_id,
        block_reference_id=reference,
        kind="element",
        made_by="healing",
        page="",
        kept_at=to_iso(of.remembered_at),
        plan={"locator": of.healed_locator},
    )

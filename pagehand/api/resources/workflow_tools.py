"""Workflows as tools: what each takes and gives, without its blocks, which may have megabytes."""

from collections.abc import AsyncIterator
from typing import Annotated, Final

import orjson
from msgspec import Meta

from pagehand.api.attachment import streamed_list
from pagehand.api.fields import Id, Listing, Named, Page, View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.lookups import find_workflow
from pagehand.api.resources.workflow_views import RetrySafe
from pagehand.blocks import Registry
from pagehand.checks.workflow import schemas_without_blocking
from pagehand.records import Json, Workflow
from pagehand.storage.pages import Parts

_MOST_STEPS: Final = 12
_LARGEST_SCHEMA: Final = 20_000
"""Bytes: whoever chooses between tools reads no longer ones."""


class ListTools(Page):
    """Which workflows."""

    id: Annotated[Id | None, Meta(description="Only this workflow.")] = None


class ToolView(View):
    """A workflow as a tool."""

    id: str
    name: str
    version: int
    tags: list[Named]
    retry_safe: RetrySafe
    steps: Annotated[list[str], Meta(description=f"Names of its first {_MOST_STEPS} blocks.")]
    block_count: Annotated[int, Meta(description="How many blocks stand beside each other at the top.")]
    is_flat: Annotated[bool, Meta(description="Whether each block runs once at most: no loop, no condition.")]
    input_schema: Annotated[
        Json, Meta(description="What it takes, as JSON Schema; only the type of one that is very long.")
    ]
    output_schema: Annotated[
        Json, Meta(description="What is known of its response, as JSON Schema; the same holds for it.")
    ]


ToolList = Listing("ToolList", "tools", ToolView, "Newest first.")


@operation("/workflows/tools", scope="read", response=ToolList, errors=(404,), example={"limit": 20})
async def tools(call: Call[ListTools]) -> Result:
    """What the workflows take and give, as for an agent that chooses between them."""
    request, kinds = call.request, call.services.kinds
    if request.id is not None:
        workflow = await find_workflow(call, request.id)
        return ToolList([await _tool(workflow, kinds)], 1)
    found, total = await call.services.stores.workflows.list(
        call.organization_id, search=None, tag_ids=(), limit=request.limit, offset=request.offset
    )
    return await streamed_list("tools", _tools(found, kinds), total=total)


async def _tools(found: Parts[Workflow], kinds: Registry) -> AsyncIterator[list[ToolView]]:
    async for part in found:
        for workflow in part:
            yield [await _tool(workflow, kinds)]


async def _tool(workflow: Workflow, kinds: Registry) -> ToolView:
    input_schema, output_schema = await schemas_without_blocking(workflow, kinds)
    return ToolView(
        id=workflow.id,
        name=workflow.name,
        version=workflow.version,
        tags=[Named(id=tag.id, name=tag.name) for tag in workflow.tags],
        retry_safe=workflow.retry_safe,
        steps=[block["name"] for block in workflow.blocks[:_MOST_STEPS]],
        block_count=len(workflow.blocks),
        is_flat=not any(block.get("sequenceData") for block in workflow.blocks),
        input_schema=_short(input_schema),
        output_schema=_short(output_schema),
    )


def _short(schema: Json) -> Json:
    return schema if len(orjson.dumps(schema)) <= _LARGEST_SCHEMA else {"type": "object"}

"""Applying workflow files: a workflow becomes what its file says, unless it was changed elsewhere."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal

import orjson
from msgspec import Meta

from pagehand.api.fields import View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.workflow_editing import check_new, check_output, view_with_schemas
from pagehand.api.resources.workflow_views import CreateWorkflow, WarningView, WorkflowView, warning_views
from pagehand.api.resources.workflows import BLOCKS_EXAMPLE
from pagehand.blocks import Registry
from pagehand.checks.grammar import CHECKING
from pagehand.clock import now_ms
from pagehand.errors import Conflict
from pagehand.ids import new_id
from pagehand.records import Json, Workflow
from pagehand.workflow import tree
from pagehand.workflow.tree import Envelope
from pagehand.workflow_files.shortening import no_login, shorten

_HOW: Final = "Export it and bring the two together, or apply with `force`."


class ApplyWorkflow(CreateWorkflow):
    """The whole workflow; the one of that name becomes this, or it is created."""

    force: Annotated[bool, Meta(description="Replace it even if it was changed elsewhere.")] = False


class AppliedWorkflow(View):
    """The workflow as it is now, and what had to be done."""

    workflow: WorkflowView
    warnings: list[WarningView]
    outcome: Literal["created", "updated", "unchanged"]


@operation(
    "/workflows/apply",
    scope="edit",
    response=AppliedWorkflow,
    errors=(409,),
    example={"name": "Double it", "blocks": BLOCKS_EXAMPLE, "tags": ["examples"], "force": True},
)
async def apply(call: Call[ApplyWorkflow]) -> Result:
    """Make the workflow of that name exactly this; repeated, it changes nothing.

    Refused when somebody has changed the workflow since it was last applied or exported.
    """
    request, stores, kinds = call.request, call.services.stores.workflows, call.services.kinds
    blocks, parameters, warnings = await CHECKING.run(check_new, request, kinds)
    current = await _of_name(call, request.name)
    now = now_ms()
    wanted = Workflow(
        id=new_id("wf") if current is None else current.id,
        organization_id=call.organization_id,
        name=request.name,
        version=1 if current is None else current.version,
        blocks=tree.to_json(_with_ids_of(blocks, current)),
        output=check_output(request.output),
        parameters=parameters,
        retry_safe=request.retry_safe,
        pictures=request.pictures,
        created_at=now if current is None else current.created_at,
        updated_at=now,
    )
    digest = await CHECKING.run(file_digest, wanted, kinds, request.tags)
    wanted = replace(wanted, file_digest=digest)
    if current is None:
        outcome, saved = "created", await stores.add(wanted, request.tags)
    else:
        present = await CHECKING.run(file_digest, current, kinds)
        if present != digest and not request.force:
            _refuse_foreign_change(current, present)
        outcome, saved = await _replace(call, current, wanted, is_same=present == digest)
    view = await view_with_schemas(saved, kinds)
    return AppliedWorkflow(workflow=view, warnings=warning_views(warnings), outcome=outcome)


async def _replace(
    call: Call[ApplyWorkflow], current: Workflow, wanted: Workflow, *, is_same: bool
) -> tuple[Literal["updated", "unchanged"], Workflow]:
    stores, digest = call.services.stores.workflows, wanted.file_digest
    if is_same:
        if digest is not None and current.file_digest != digest:
            await stores.set_file_digest(call.organization_id, current.id, digest)
        return "unchanged", current
    saved = await stores.save(
        call.organization_id, wanted, expected_version=current.version, tag_names=call.request.tags
    )
    if saved is None:
        raise Conflict(f"`{wanted.name}` was changed at this very moment; try again")
    return "updated", saved


async def _of_name(call: Call[ApplyWorkflow], name: str) -> Workflow | None:
    found = await call.services.stores.workflows.find_by_name(call.organization_id, name)
    if len(found) > 1:
        raise Conflict(f"{len(found)} workflows are called `{name}`: rename all but one")
    return found[0] if found else None


def _refuse_foreign_change(current: Workflow, present: str) -> None:
    if current.file_digest is None:
        raise Conflict(f"There is a workflow `{current.name}` that does not come from a file. {_HOW}")
    if current.file_digest != present:
        raise Conflict(
            f"`{current.name}` was changed elsewhere since it was last applied or exported; it is at version "
            f"{current.version} now. {_HOW}"
        )


def _with_ids_of(blocks: list[Envelope], current: Workflow | None) -> list[Envelope]:
    """The blocks with the ids of those they stand for, so that what was learned about these is kept."""
    known = {} if current is None else _ids(tree.from_json(current.blocks))
    for block in tree.walk(blocks):
        block.id = known.get((block.block_reference_id, block.type), block.id)
    return blocks


def _ids(blocks: list[Envelope]) -> dict[tuple[str, str], str]:
    return {(block.block_reference_id, block.type): block.id for block in tree.walk(blocks)}


def file_digest(workflow: Workflow, kinds: Registry, tags: Sequence[str] | None = None) -> str:
    """A digest of the workflow's short form: the same exactly when its files are."""
    described: Json = {
        "name": workflow.name,
        "blocks": workflow.blocks,
        "output": workflow.output,
        "parameters": workflow.parameters,
        "retrySafe": workflow.retry_safe,
        "pictures": workflow.pictures,
        "tags": [tag.name for tag in workflow.tags] if tags is None else list(dict.fromkeys(tags)),
    }
    short = shorten(described, kinds, no_login)
    return hashlib.sha256(orjson.dumps(short)).hexdigest()

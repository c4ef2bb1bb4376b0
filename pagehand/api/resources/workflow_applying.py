"""Applying workflow files: a workflow becomes what its file says, unless it was changed elsewhere."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

import orjson
from msgspec import Meta

from pagehand.api.fields import View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.workflow_editing import view_with_schemas
from pagehand.api.resources.workflow_views import (
    CreateWorkflow,
    WarningView,
    WorkflowView,
    check_new,
    check_output,
    warning_views,
)
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


_MOST_PLACES: Final = 50
FilesPlace = Annotated[
    str,
    Meta(
        max_length=200,
        description="Where the caller keeps its files, in any words: what others export is not known there.",
    ),
]


class ApplyWorkflow(CreateWorkflow):
    """The whole workflow; the one of that name becomes this, or it is created."""

    place: FilesPlace = ""
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
    keeper, known = _keeper(call, request.place), {} if current is None else current.exported_digests
    wanted = replace(wanted, file_digest=digest, exported_digests=_with_digest(known, keeper, digest))
    if current is None:
        saved = await stores.add_unless_named(wanted, request.tags)
        if saved is None:
            raise Conflict(f"`{wanted.name}` was created at this very moment; try again")
        outcome = "created"
    else:
        present = await CHECKING.run(file_digest, current, kinds)
        if present != digest and not request.force:
            _refuse_foreign_change(current, present, keeper)
        outcome, saved = await _replace(call, current, wanted, is_same=present == digest)
    view = await view_with_schemas(saved, kinds)
    return AppliedWorkflow(workflow=view, warnings=warning_views(warnings), outcome=outcome)


async def _replace(
    call: Call[ApplyWorkflow], current: Workflow, wanted: Workflow, *, is_same: bool
) -> tuple[Literal["updated", "unchanged"], Workflow]:
    stores = call.services.stores.workflows
    if is_same:
        digests = wanted.file_digest, wanted.exported_digests
        if digests != (current.file_digest, current.exported_digests):
            await stores.set_file_digests(call.organization_id, current.id, *digests)
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


async def keep_digest(call: Call[Any], workflow: Workflow, place: str) -> None:
    """Keep what the workflow is like for the caller, who exports it."""
    digest = await CHECKING.run(file_digest, workflow, call.services.kinds)
    exported = _with_digest(workflow.exported_digests, _keeper(call, place), digest)
    if exported != workflow.exported_digests:
        await call.services.stores.workflows.set_file_digests(
            call.organization_id, workflow.id, workflow.file_digest, exported
        )


def _keeper(call: Call[Any], place: str) -> str:
    """Who has a file of the workflow."""
    key = call.caller.key
    return f"{key.id if key else '-'} {place}"


def _with_digest(exported: dict[str, str], keeper: str, digest: str) -> dict[str, str]:
    others = [(name, known) for name, known in exported.items() if name != keeper]
    return dict([*others, (keeper, digest)][-_MOST_PLACES:])


def _refuse_foreign_change(current: Workflow, present: str, keeper: str) -> None:
    exported = current.exported_digests
    if current.file_digest is None and not exported:
        raise Conflict(f"There is a workflow `{current.name}` that does not come from a file. {_HOW}")
    # an applied file can be anybody's, through version control; an exported one is known to who exported it
    seen = [exported[keeper]] if keeper in exported else exported.values()
    if present not in (current.file_digest, *seen):
        raise Conflict(
            f"`{current.name}` was changed elsewhere since it was last applied, or exported to here; it is "
            f"at version {current.version} now. {_HOW}"
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

"""Creating and changing workflows: the definition is checked, then saved as the next version."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from pagehand.api.operation import Call
from pagehand.api.resources.lookups import find_workflow
from pagehand.api.resources.workflow_views import (
    CreateWorkflow,
    WorkflowAnswer,
    WorkflowView,
    check_new,
    check_output,
    warning_views,
    workflow_view,
)
from pagehand.blocks import Registry
from pagehand.checks import WorkflowWarning, check_workflow
from pagehand.checks.grammar import CHECKING
from pagehand.checks.workflow import schemas_without_blocking
from pagehand.clock import now_ms
from pagehand.engine.repair.element_memory import written_digests
from pagehand.errors import Conflict
from pagehand.ids import new_id
from pagehand.records import Workflow
from pagehand.workflow import tree
from pagehand.workflow.tree import Envelope

_TRIES: Final = 5


async def view_with_schemas(workflow: Workflow, kinds: Registry) -> WorkflowView:
    """A workflow with the JSON Schemas of its parameters and its response."""
    view = workflow_view(workflow)
    view.input_schema, view.output_schema = await schemas_without_blocking(workflow, kinds)
    return view


async def create_workflow(call: Call[Any], definition: CreateWorkflow) -> WorkflowAnswer:
    """Check a definition and save it as version 1 of a new workflow."""
    kinds, now = call.services.kinds, now_ms()
    # everything is checked before anything is stored, and nothing of it is run
    # in a thread, because the code in it may take seconds to read
    blocks, parameters, warnings = await CHECKING.run(check_new, definition, kinds)
    workflow = Workflow(
        id=new_id("wf"),
        organization_id=call.organization_id,
        name=definition.name,
        version=1,
        blocks=tree.to_json(blocks),
        output=check_output(definition.output),
        parameters=parameters,
        retry_safe=definition.retry_safe,
        pictures=definition.pictures,
        created_at=now,
        updated_at=now,
    )
    added = await call.services.stores.workflows.add(workflow, definition.tags)
    return WorkflowAnswer(workflow=await view_with_schemas(added, kinds), warnings=warning_views(warnings))


def check_definition(
    workflow: Workflow, kinds: Registry, before: list[Envelope] | None = None
) -> list[WorkflowWarning]:
    """Refuse a workflow that can never work; returns warnings about the rest."""
    return check_workflow(
        tree.from_json(workflow.blocks),
        kinds,
        output=workflow.output,
        parameters=workflow.parameters,
        before=before or (),
    )


async def change_workflow(
    call: Call[Any],
    workflow_id: str,
    version: int | None,
    edit: Callable[[Workflow], Workflow],
    tags: Sequence[str] | None = None,
    field: str = "id",
) -> Workflow:
    """Save what `edit` returns as the next version; raises Conflict if `version` is not the current one.

    `edit` runs in a thread: it checks the workflow, and the code in it may take seconds to read.
    """
    # without a `version` a concurrent change is not a conflict: the edit is repeated on top of it
    for _ in range(_TRIES):
        current = await find_workflow(call, workflow_id, field)
        if version is not None and current.version != version:
            raise Conflict(
                f"`version` {version} is stale: the workflow is at version {current.version} by now"
            )
        edited = await CHECKING.run(edit, current)
        edited.updated_at = now_ms()
        saved = await call.services.stores.workflows.save(
            call.organization_id, edited, expected_version=current.version, tag_names=tags
        )
        if saved is not None:
            if saved.blocks != current.blocks:
                await _forget_healed(call, saved)
            return saved
    raise Conflict("The workflow is being changed by others right now; try again")


async def _forget_healed(call: Call[Any], workflow: Workflow) -> None:
    """An edit of a locator ends its healing, for the figures too."""
    written = await CHECKING.run(lambda: written_digests(tree.from_json(workflow.blocks)))
    await call.services.stores.memories.forget_healed(workflow.organization_id, workflow.id, written)

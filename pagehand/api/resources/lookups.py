"""Finds the things that requests name by their ids; what another organization has is not found either."""

from typing import Any

from pagehand.api.operation import Call
from pagehand.errors import NotFound
from pagehand.records import Execution, Workflow


async def find_workflow(call: Call[Any], workflow_id: str, field: str = "id") -> Workflow:
    """The workflow; raises NotFound with the name of the request's field."""
    workflow = await call.services.stores.workflows.get(call.organization_id, workflow_id)
    if workflow is None:
        raise workflow_not_found(field)
    return workflow


def workflow_not_found(field: str = "id") -> NotFound:
    """The refusal of an unknown workflow."""
    return NotFound(f"There is no workflow with this `{field}` in this organization")


async def find_execution(call: Call[Any], execution_id: str, field: str = "id") -> Execution:
    """The execution; raises NotFound with the name of the request's field."""
    execution = await call.services.stores.executions.get(call.organization_id, execution_id)
    if execution is None:
        raise NotFound(f"There is no execution with this `{field}` in this organization")
    return execution

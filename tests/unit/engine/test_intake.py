"""Orders become executions: what they name is looked up, and what is secret is hidden."""

from typing import Any

import pytest

from pagehand.engine.intake import Intake
from pagehand.engine.port import Order
from pagehand.errors import Conflict, InvalidRequest, NotFound
from pagehand.records import Workflow
from pagehand.testing import Harness

pytestmark = pytest.mark.anyio
WAIT = {"type": "Wait", "data": {"durationMs": 1}, "blockReferenceId": "nap"}
SECRET = [{"name": "pin", "type": "string", "isSecret": True}, {"name": "who", "type": "string"}]


@pytest.fixture
async def workflow(harness: Harness) -> Workflow:
    return await harness.add_workflow(WAIT, parameters=SECRET)


async def test_a_workflow_is_found_by_id_and_by_name(harness: Harness, workflow: Workflow) -> None:
    intake = Intake(harness.services)
    for order in (Order(workflow_id=workflow.id), Order(workflow_name=workflow.name)):
        assert (await intake.execution(harness.organization_id, order)).workflow_id == workflow.id


@pytest.mark.parametrize(
    ("order", "error", "sentence"),
    [
        ({}, InvalidRequest, "Give `workflowId` or `workflowName`"),
        ({"workflow_id": "wf_other"}, NotFound, "Workflow not found"),
        ({"workflow_name": "Nothing of the kind"}, NotFound, "Workflow not found"),
    ],
)
async def test_an_order_for_no_workflow_is_refused(
    harness: Harness, order: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        await Intake(harness.services).execution(harness.organization_id, Order(**order))


async def test_a_name_that_several_carry_has_to_be_told_apart(harness: Harness, workflow: Workflow) -> None:
    await harness.add_workflow(WAIT)
    with pytest.raises(Conflict, match="2 workflows carry this `workflowName`"):
        await Intake(harness.services).execution(harness.organization_id, Order(workflow_name=workflow.name))


@pytest.mark.parametrize(
    ("order", "field"),
    [
        ({"login_id": "login_x"}, "loginId"),
        ({"thread_id": "thread_x"}, "agentConversationThreadId"),
        ({"batch_id": "batch_x"}, "batchId"),
        ({"start_block_id": "block_x"}, "startBlockId"),
    ],
)
async def test_what_is_not_there_is_named(
    harness: Harness, workflow: Workflow, order: dict[str, Any], field: str
) -> None:
    with pytest.raises(NotFound, match=f"`{field}`"):
        await Intake(harness.services).execution(
            harness.organization_id, Order(workflow_id=workflow.id, **order)
        )


async def test_another_organizations_workflow_is_not_found(harness: Harness, workflow: Workflow) -> None:
    with pytest.raises(NotFound):
        await Intake(harness.services).execution("org_other", Order(workflow_id=workflow.id))


async def test_a_secret_parameter_is_masked_and_sealed(harness: Harness, workflow: Workflow) -> None:
    execution = await harness.accept(workflow, params={"pin": "4711-0815", "who": "ann"})
    assert execution.params == {"pin": "********", "who": "ann"}
    assert "4711-0815" not in str(execution.secret_params)
    assert harness.services.secret_params.open(execution) == {"pin": "4711-0815"}


async def test_a_proxy_that_is_not_set_is_refused(harness: Harness, workflow: Workflow) -> None:
    with pytest.raises(InvalidRequest, match="PAGEHAND_PROXY"):
        await harness.accept(workflow, use_proxy=True)


async def test_the_start_is_found_by_reference_too(harness: Harness, workflow: Workflow) -> None:
    assert (await harness.accept(workflow, start_block_id="nap")).start_block_id == workflow.blocks[0]["id"]


async def test_another_try_is_like_the_first_with_its_secrets(harness: Harness, workflow: Workflow) -> None:
    first = await harness.accept(workflow, params={"pin": "4711-0815"}, name="Monday")
    again = await Intake(harness.services).again(first)
    assert (again.name, again.attempts, again.parent_execution_id) == ("Monday", 2, first.id)
    assert harness.services.secret_params.open(again) == {"pin": "4711-0815"}


async def test_the_rows_of_a_batch_are_executions_of_their_own(harness: Harness, workflow: Workflow) -> None:
    rows = [{"who": "ann"}, {"who": "bo", "pin": "4711-0815"}]
    batch, executions = await Intake(harness.services).batch(
        harness.organization_id, "Both", Order(workflow_id=workflow.id), rows, 1
    )
    assert (batch.total, [execution.params["who"] for execution in executions]) == (2, ["ann", "bo"])
    assert (
        len(
            {execution.id for execution in executions}
            | {execution.browser_session_id for execution in executions}
        )
        == 4
    )
    assert executions[0].secret_params is None
    assert executions[1].params["pin"] == "********"

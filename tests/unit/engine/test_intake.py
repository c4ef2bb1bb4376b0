"""Orders become executions: what they name is looked up, and what is secret is hidden."""

from dataclasses import replace
from typing import Any

import pytest

from pagehand.clock import now_ms
from pagehand.engine import intake
from pagehand.engine.intake import Intake
from pagehand.engine.port import ExecutionRequest, ScheduledFor
from pagehand.errors import Conflict, InvalidRequest, NotFound
from pagehand.records import Execution, Json, Workflow
from pagehand.testing import Harness
from support.ending import final_state

pytestmark = pytest.mark.anyio
WAIT = {"type": "Wait", "data": {"durationMs": 1}, "blockReferenceId": "nap"}
SECRET = [{"name": "pin", "type": "string", "isSecret": True}, {"name": "who", "type": "string"}]


@pytest.fixture
async def workflow(harness: Harness) -> Workflow:
    return await harness.add_workflow(WAIT, parameters=SECRET)


async def test_a_workflow_is_found_by_id_and_by_name(harness: Harness, workflow: Workflow) -> None:
    made = Intake(harness.services)
    for request in (ExecutionRequest(workflow_id=workflow.id), ExecutionRequest(workflow_name=workflow.name)):
        assert (await made.execution(harness.organization_id, request)).workflow_id == workflow.id


@pytest.mark.parametrize(
    ("fields", "error", "sentence"),
    [
        ({}, InvalidRequest, "Give `workflowId` or `workflowName`"),
        ({"workflow_id": "wf_other"}, NotFound, "Workflow not found"),
        ({"workflow_name": "Nothing of the kind"}, NotFound, "Workflow not found"),
    ],
)
async def test_an_order_for_no_workflow_is_refused(
    harness: Harness, fields: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        await Intake(harness.services).execution(harness.organization_id, ExecutionRequest(**fields))


async def test_a_name_that_several_carry_is_refused_and_their_ids_are_listed(
    harness: Harness, workflow: Workflow
) -> None:
    await harness.add_workflow(WAIT)
    with pytest.raises(Conflict, match="2 workflows carry this `workflowName`"):
        await Intake(harness.services).execution(
            harness.organization_id, ExecutionRequest(workflow_name=workflow.name)
        )


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"login_id": "login_x"}, "loginId"),
        ({"thread_id": "thread_x"}, "agentConversationThreadId"),
        ({"batch_id": "batch_x"}, "batchId"),
        ({"start_block_id": "block_x"}, "startBlockId"),
    ],
)
async def test_what_is_not_there_is_named(
    harness: Harness, workflow: Workflow, fields: dict[str, Any], field: str
) -> None:
    with pytest.raises(NotFound, match=f"`{field}`"):
        await Intake(harness.services).execution(
            harness.organization_id, ExecutionRequest(workflow_id=workflow.id, **fields)
        )


async def test_another_organizations_workflow_is_not_found(harness: Harness, workflow: Workflow) -> None:
    with pytest.raises(NotFound):
        await Intake(harness.services).execution("org_other", ExecutionRequest(workflow_id=workflow.id))


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
    retried = await Intake(harness.services).retry_of(first)
    assert (retried.name, retried.attempts, retried.parent_execution_id) == ("Monday", 2, first.id)
    assert harness.services.secret_params.open(retried) == {"pin": "4711-0815"}


async def test_the_rows_of_a_batch_are_executions_of_their_own(harness: Harness, workflow: Workflow) -> None:
    rows: dict[int, Json] = {2: {"who": "ann"}, 3: {"who": "bo", "pin": "4711-0815"}}
    batch, executions = await Intake(harness.services).batch(
        harness.organization_id, "Both", ExecutionRequest(workflow_id=workflow.id), rows, 1
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


LOGIN = {"type": "Login", "data": {"loginId": "{{params.login}}"}}


def context_logins(execution: Execution) -> list[str]:
    return [known.login_summary.login_id for known in execution.context_authentications]


async def test_the_row_of_a_batch_has_the_login_it_names_and_not_the_default(harness: Harness) -> None:
    usual, other = [await harness.add_login(f"https://{name}.example/") for name in ("a", "b")]
    parameters = [{"name": "login", "type": "string", "default": usual.id}]
    workflow = await harness.add_workflow(LOGIN, parameters=parameters)
    _, [first, second] = await Intake(harness.services).batch(
        harness.organization_id,
        "Both",
        ExecutionRequest(workflow_id=workflow.id),
        {2: {}, 3: {"login": other.id}},
        None,
    )
    assert (context_logins(first), context_logins(second)) == ([usual.id], [other.id])
    assert set(first.exclusive_logins) <= {usual.id}
    assert set(second.exclusive_logins) <= {other.id}
    third = await harness.accept(workflow, params={"login": other.id})
    assert context_logins(third) == [other.id]


async def test_a_login_that_blocks_name_beside_the_executions_own_is_added_once(harness: Harness) -> None:
    own, named = [await harness.add_login(f"https://{name}.example/") for name in ("a", "b")]
    blocks = [{"type": "Login", "data": {"loginId": login.id}} for login in (named, own, named)]
    execution = await harness.accept(await harness.add_workflow(*blocks), login_id=own.id)
    assert context_logins(execution) == [own.id, named.id]
    assert [login.id for login in execution.logins] == [own.id]


async def test_a_login_that_only_the_run_will_know_is_left_to_it(harness: Harness) -> None:
    blocks = [
        {"type": "Login", "data": {"loginId": "{{blocks.pick}}"}},
        {"type": "Login", "data": {"loginId": "login_of_nobody"}},
        {"type": "Transform", "blockReferenceId": "pick", "data": {"input": 1, "code": "input"}},
    ]
    assert context_logins(await harness.accept(await harness.add_workflow(*blocks))) == []


async def undeclared(harness: Harness, workflow: Workflow) -> None:
    """Somebody takes the declaration of the secret away."""
    saved = await harness.stores.workflows.save(
        harness.organization_id, replace(workflow, parameters=[]), expected_version=1, tag_names=None
    )
    assert saved is not None


@pytest.mark.parametrize("way", ["retried", "like another"])
async def test_what_was_given_as_a_secret_stays_one_when_nothing_declares_it_any_more(
    harness: Harness, workflow: Workflow, way: str
) -> None:
    first = await harness.accept(workflow, params={"pin": "4711-0815", "who": "ann"})
    await undeclared(harness, workflow)
    made = Intake(harness.services)
    if way == "retried":
        retried = await made.retry_of(first)
    else:
        request = ExecutionRequest(workflow_id=workflow.id, like_execution_id=first.id, params={"who": "bo"})
        retried = await made.execution(harness.organization_id, request)
    assert retried.params["pin"] == "********"
    assert harness.services.secret_params.open(retried) == {"pin": "4711-0815"}


async def test_an_execution_like_another_takes_what_the_order_leaves_open(
    harness: Harness, workflow: Workflow
) -> None:
    login = await harness.add_login("https://a.example/")
    first = await harness.accept(workflow, params={"pin": "4711-0815", "who": "ann"}, login_id=login.id)
    like = await harness.accept(workflow, like_execution_id=first.id, params={"who": "bo"})
    assert (like.params, like.login_id) == ({"pin": "********", "who": "bo"}, login.id)
    another = await harness.add_workflow(WAIT)
    with pytest.raises(NotFound, match="execution of this workflow"):
        await harness.accept(another, like_execution_id=first.id)


async def test_another_try_keeps_batch_time_and_priority_and_counts_on(
    harness: Harness, workflow: Workflow
) -> None:
    batch, [first] = await Intake(harness.services).batch(
        harness.organization_id,
        "One",
        ExecutionRequest(workflow_id=workflow.id, timeout_seconds=90, priority=3, is_test=True),
        {2: {"who": "ann"}},
        2,
    )
    await harness.stores.batches.add(batch, [first])
    first.attempts, first.total_attempts = 4, 2
    retried = await Intake(harness.services).retry_of(first)
    assert (retried.batch_id, retried.batch_name, retried.batch_concurrency) == (batch.id, "One", 2)
    assert (retried.deadline_at - retried.accepted_at, retried.priority, retried.is_test) == (90_000, 3, True)
    assert (retried.attempts, retried.total_attempts, retried.metadata["retryOf"]) == (5, 5, first.id)


async def test_another_try_starts_where_the_first_did_or_says_that_it_cannot(
    harness: Harness, workflow: Workflow
) -> None:
    first = await harness.accept(workflow, start_block_id="nap")
    assert (await Intake(harness.services).retry_of(first)).start_block_id == first.start_block_id
    first.start_block_id = "block_gone"
    with pytest.raises(Conflict, match="no longer part of the workflow"):
        await Intake(harness.services).retry_of(first)


async def test_another_try_of_a_live_session_is_a_live_session(harness: Harness, workflow: Workflow) -> None:
    first = await harness.accept(workflow, is_live_session=True)
    assert (await Intake(harness.services).retry_of(first)).metadata["liveSession"] is True


async def test_a_cancelled_batch_takes_no_more(harness: Harness, workflow: Workflow) -> None:
    batch, executions = await Intake(harness.services).batch(
        harness.organization_id, "Both", ExecutionRequest(workflow_id=workflow.id), {2: {}}, None
    )
    await harness.stores.batches.add(batch, executions)
    assert (await harness.accept(workflow, batch_id=batch.id)).batch_name == "Both"
    await harness.stores.batches.mark_cancelled(harness.organization_id, batch.id, now_ms())
    with pytest.raises(Conflict, match="the batch was cancelled at"):
        await harness.accept(workflow, batch_id=batch.id)


async def test_the_executions_of_a_schedule_take_turns(harness: Harness, workflow: Workflow) -> None:
    given = ScheduledFor("schedule_1", "Nightly", 1_700_000_000_000)
    execution = await harness.accept(workflow, schedule=given)
    assert execution.exclusive_logins == ["schedule_1"]
    assert execution.metadata["schedule"] == {
        "id": "schedule_1",
        "name": "Nightly",
        "tick": "2023-11-14T22:13:20.000Z",
    }


async def test_id_and_name_have_to_name_the_same_workflow(harness: Harness, workflow: Workflow) -> None:
    made = Intake(harness.services)
    both = ExecutionRequest(workflow_id=workflow.id, workflow_name=workflow.name)
    assert (await made.workflow(harness.organization_id, both)).id == workflow.id
    with pytest.raises(InvalidRequest, match="name different workflows"):
        await made.workflow(
            harness.organization_id, ExecutionRequest(workflow_id=workflow.id, workflow_name="Another")
        )


async def test_params_that_do_not_fit_are_refused_with_their_row(
    harness: Harness, workflow: Workflow
) -> None:
    with pytest.raises(InvalidRequest, match=r"params\.who"):
        await harness.accept(workflow, params={"who": 5})
    with pytest.raises(InvalidRequest, match=r"rows\[1\]"):
        await Intake(harness.services).batch(
            harness.organization_id,
            "Rows",
            ExecutionRequest(workflow_id=workflow.id),
            {2: {}, 3: {"who": 5}},
            None,
        )


async def completed(harness: Harness, workflow: Workflow, effects: list[str], **request: Any) -> Execution:
    """A run that came to its end, with effects of these blocks."""
    execution = await harness.accept(workflow, **request)
    store = harness.stores.executions
    claimed = await store.claim(execution.id, at=now_ms(), token="claim")
    assert claimed is not None
    seen = [{"blockReferenceId": reference, "what": "POST"} for reference in effects]
    await store.update(claimed.id, claimed.fence, metadata={"effects": seen})
    ended = await store.finish(final_state(claimed.id), claimed.fence, token="end")
    assert ended is not None
    return ended


async def test_a_look_follows_the_last_run_that_completed_and_is_a_look_when_it_is_retried(
    harness: Harness, workflow: Workflow
) -> None:
    with pytest.raises(Conflict, match="run it first"):
        await harness.accept(workflow, look=True)
    ran = await completed(harness, workflow, [], params={"pin": "4711-0815", "who": "ann"})
    look = await harness.accept(workflow, look=True)
    assert look.metadata["look"] == {"executionId": ran.id, "effects": [], "earlier": []}
    assert look.params == {"pin": "********", "who": "ann"}
    assert harness.services.secret_params.open(look) == {"pin": "4711-0815"}
    retried = await Intake(harness.services).retry_of(look)
    assert retried.metadata["look"]["executionId"] == ran.id


async def test_looks_pass_on_what_was_seen_when_the_run_is_no_longer_among_the_latest(
    harness: Harness, workflow: Workflow, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = await completed(harness, workflow, ["nap"])
    monkeypatch.setattr(intake, "_RECENT", 1)
    for _ in range(2):
        look = (await harness.accept(workflow, look=True)).metadata["look"]
        assert (look["executionId"], look["effects"]) == (ran.id, ["nap"])

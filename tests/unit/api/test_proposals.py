"""Proposals of executions and conversations: shown with both sides, applied once, declined, outdated."""

from typing import TYPE_CHECKING, Any

import pytest

from pagehand.clock import now_ms
from pagehand.ids import new_id
from pagehand.records import Json, Thread

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio


async def add_proposal(api: "Api", operations: list[Json] | None = None) -> tuple[dict[str, Any], str]:
    """A workflow and the execution that proposes to change it."""
    workflow = await api.create_workflow()
    chosen = operations
    if chosen is None:
        chosen = [{"type": "update", "blockId": workflow["blocks"][0]["id"], "block": {"name": "Rest"}}]
    going = await api.add_running(
        {"metadata": {"proposedOperations": chosen}, "proposal": "open"}, workflow_id=workflow["id"]
    )
    return workflow, going.id


async def add_thread_proposal(api: "Api", workflow: dict[str, Any]) -> str:
    thread = Thread(
        id=new_id("thread"),
        organization_id=await api.organization_id(),
        name="Talk",
        workflow_id=workflow["id"],
        created_at=now_ms(),
        workflow_version=workflow["version"],
        proposed_operations=[{"type": "create", "block": {"type": "Wait", "data": {"durationMs": 2}}}],
        proposal="open",
    )
    await api.services.stores.threads.add(thread)
    return thread.id


async def get_proposal(api: "Api", **which: str) -> dict[str, Any]:
    return (await api.post("/executions/getProposal", which)).json()["proposal"]


async def test_proposal_shows_the_blocks_before_and_after(api: "Api") -> None:
    workflow, execution_id = await add_proposal(api)
    found = await get_proposal(api, id=execution_id)
    assert (found["state"], found["version"], found["appliedVersion"]) == ("open", 1, None)
    assert (found["executionId"], found["threadId"]) == (execution_id, None)
    assert found["before"] == workflow["blocks"]
    assert [block["name"] for block in found["after"]] == ["Rest"]


async def test_applied_proposal_makes_one_version_however_often_it_is_applied(api: "Api") -> None:
    workflow, execution_id = await add_proposal(api)
    answers = [await api.post("/executions/applyProposal", {"id": execution_id}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json()["blocks"] == answers[1].json()["blocks"]
    assert {answer.json()["version"] for answer in answers} == {2}
    now = (await api.post("/workflows/get", {"id": workflow["id"]})).json()["workflow"]
    assert (now["version"], now["blocks"][0]["name"]) == (2, "Rest")
    found = await get_proposal(api, id=execution_id)
    assert (found["state"], found["appliedVersion"]) == ("applied", 2)
    declined = await api.post("/executions/declineProposal", {"id": execution_id})
    assert declined.status_code == 409
    assert "/workflows/restore" in declined.json()["error"]


async def test_declined_proposal_leaves_the_workflow_and_asks_nobody_again(api: "Api") -> None:
    workflow, execution_id = await add_proposal(api)
    assert (await api.post("/executions/declineProposal", {"id": execution_id})).json() == {
        "state": "declined"
    }
    assert (await get_proposal(api, id=execution_id))["state"] == "declined"
    assert (await api.post("/attention/list")).json()["total"] == 0
    assert (await api.post("/workflows/get", {"id": workflow["id"]})).json()["workflow"]["version"] == 1


async def test_proposal_for_an_earlier_version_is_outdated_and_changes_nothing(api: "Api") -> None:
    workflow, execution_id = await add_proposal(api)
    await api.post("/workflows/update", {"id": workflow["id"], "name": "changed since"})
    assert (await get_proposal(api, id=execution_id))["state"] == "outdated"
    refused = await api.post("/executions/applyProposal", {"id": execution_id})
    assert refused.status_code == 409
    assert "version 1" in refused.json()["error"]
    assert "version 2" in refused.json()["error"]
    assert (await api.post("/workflows/get", {"id": workflow["id"]})).json()["workflow"]["version"] == 2


async def test_change_that_was_made_by_hand_counts_as_applied(api: "Api") -> None:
    workflow, execution_id = await add_proposal(api)
    operations = [{"type": "update", "blockId": workflow["blocks"][0]["id"], "block": {"name": "Rest"}}]
    await api.post("/workflows/blocks/update", {"workflowId": workflow["id"], "operations": operations})
    answer = await api.post("/executions/applyProposal", {"id": execution_id})
    assert (answer.status_code, answer.json()["version"]) == (200, 2)


async def test_block_that_is_gone_makes_a_proposal_unfit(api: "Api") -> None:
    _, execution_id = await add_proposal(api, [{"type": "delete", "blockId": "block_gone"}])
    for path in ("getProposal", "applyProposal"):
        answer = await api.post(f"/executions/{path}", {"id": execution_id})
        assert answer.status_code == 409, path
        assert "does not fit" in answer.json()["error"]


async def test_conversation_proposes_like_an_execution(api: "Api") -> None:
    workflow = await api.create_workflow()
    thread_id = await add_thread_proposal(api, workflow)
    found = await get_proposal(api, threadId=thread_id)
    assert (found["threadId"], found["executionId"]) == (thread_id, None)
    assert [block["type"] for block in found["after"]] == ["Wait", "Wait"]
    applied = await api.post("/executions/applyProposal", {"threadId": thread_id})
    assert (len(applied.json()["blocks"]), applied.json()["version"]) == (2, 2)
    assert (await get_proposal(api, threadId=thread_id))["state"] == "applied"
    repeated = await api.post("/executions/applyProposal", {"threadId": thread_id})
    assert repeated.json()["version"] == 2


@pytest.mark.parametrize("path", ["getProposal", "applyProposal", "declineProposal"])
@pytest.mark.parametrize(
    ("which", "status", "word"),
    [
        ({}, 400, "`threadId`"),
        ({"id": "exec_none", "threadId": "thread_none"}, 400, "`id`"),
        ({"id": "exec_none"}, 404, "`id`"),
        ({"threadId": "thread_none"}, 404, "`threadId`"),
    ],
)
async def test_proposal_is_named_by_one_thing_that_exists(
    api: "Api", path: str, which: dict[str, str], status: int, word: str
) -> None:
    answer = await api.post(f"/executions/{path}", which)
    assert answer.status_code == status, answer.text
    assert word in answer.json()["error"]


async def test_execution_that_proposes_nothing_is_null_and_cannot_be_answered(api: "Api") -> None:
    execution = await api.add_ended(workflow_id=(await api.create_workflow())["id"])
    assert await get_proposal(api, id=execution.id) is None
    for path in ("applyProposal", "declineProposal"):
        answer = await api.post(f"/executions/{path}", {"id": execution.id})
        assert (answer.status_code, "no change" in answer.json()["error"]) == (409, True)


async def test_proposal_of_a_deleted_workflow_cannot_be_applied(api: "Api") -> None:
    workflow, execution_id = await add_proposal(api)
    await api.post("/workflows/delete", {"id": workflow["id"]})
    assert (await api.post("/executions/applyProposal", {"id": execution_id})).status_code == 404

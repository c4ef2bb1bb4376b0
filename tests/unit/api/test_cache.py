"""`/workflows/cache/…`: what blocks keep for the next run, shown only while it still fits, and cleared."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pagehand.engine.repair.element_memory import written_digest
from pagehand.engine.run.cache import wording_digests
from pagehand.records import CachedPlan, Memory
from pagehand.workflow import tree

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio


@pytest.fixture
async def workflow(api: "Api") -> dict[str, Any]:
    """A workflow with one cached plan, one healed locator and one memory that nothing was healed by."""
    workflow, owner = await api.create_workflow(), await api.organization_id()
    block = workflow["blocks"][0]
    [envelope] = tree.from_json(workflow["blocks"])
    plan = CachedPlan(
        organization_id=owner,
        workflow_id=workflow["id"],
        block_id=block["id"],
        kind="extraction",
        key="k",
        written=wording_digests(tree.from_json(workflow["blocks"]))[block["id"]],
        version=1,
        page="https://bank.example/accounts",
        made_by="model",
        kept_at=2000,
        plan={"selector": "table"},
    )
    await api.services.stores.plans.save([plan])
    healed = Memory(
        organization_id=owner,
        workflow_id=workflow["id"],
        block_id=block["id"],
        key="m",
        written=written_digest(envelope),
        version=1,
        remembered_at=1000,
        healed_locator={"text": "Save"},
    )
    unhealed = replace(healed, key="n", remembered_at=3000, healed_locator=None)
    outdated = replace(healed, key="o", written="what the block's locator was before an edit")
    await api.services.stores.memories.save([healed, unhealed, outdated])
    return workflow


async def list_cache(api: "Api", workflow: dict[str, Any], **page: int) -> tuple[list[dict[str, Any]], int]:
    answer = (await api.post("/workflows/cache/list", {"workflowId": workflow["id"], **page})).json()
    return answer["entries"], answer["total"]


async def test_plans_and_healed_locators_are_shown_newest_first(api: "Api", workflow: dict[str, Any]) -> None:
    entries, total = await list_cache(api, workflow)
    # an element that was found as it was written says nothing new: only what healing found is shown
    assert [(entry["kind"], entry["madeBy"]) for entry in entries] == [
        ("extraction", "model"),
        ("element", "healing"),
    ]
    assert total == 2
    assert {entry["blockReferenceId"] for entry in entries} == {"nap"}
    assert [entry["plan"] for entry in entries] == [{"selector": "table"}, {"locator": {"text": "Save"}}]


@pytest.mark.parametrize(
    ("page", "kinds"),
    [
        ({"limit": 1}, ["extraction"]),
        ({"limit": 1, "offset": 1}, ["element"]),
        ({"offset": 2}, []),
    ],
)
async def test_cache_is_listed_in_pages(
    api: "Api", workflow: dict[str, Any], page: dict[str, int], kinds: list[str]
) -> None:
    entries, total = await list_cache(api, workflow, **page)
    assert ([entry["kind"] for entry in entries], total) == (kinds, 2)


async def test_plan_of_a_block_that_was_edited_is_not_shown(api: "Api", workflow: dict[str, Any]) -> None:
    edit = {"type": "update", "blockId": "nap", "block": {"data": {"durationMs": 9}}}
    operations = [{**edit, "blockId": workflow["blocks"][0]["id"]}]
    await api.post("/workflows/blocks/update", {"workflowId": workflow["id"], "operations": operations})
    entries, _ = await list_cache(api, workflow)
    assert [entry["kind"] for entry in entries] == ["element"]


async def test_an_edit_of_a_locator_ends_its_healing_everywhere(api: "Api", workflow: dict[str, Any]) -> None:
    block_id = workflow["blocks"][0]["id"]
    await api.post("/workflows/executeSync", {"workflowId": workflow["id"]})

    async def healed_after(operation: dict[str, Any]) -> tuple[int, int]:
        edit = {"workflowId": workflow["id"], "operations": [{**operation, "blockId": block_id}]}
        assert (await api.post("/workflows/blocks/update", edit)).status_code == 200
        entries, _ = await list_cache(api, workflow)
        figures = (await api.post("/statistics/get")).json()["statistics"]
        return sum(entry["kind"] == "element" for entry in entries), figures["healed"]

    assert await healed_after({"type": "update", "block": {"name": "Rest"}}) == (1, 1)
    assert await healed_after({"type": "delete"}) == (0, 0)


async def test_cleared_cache_is_empty_and_counted(api: "Api", workflow: dict[str, Any]) -> None:
    body = {"workflowId": workflow["id"], "blockId": workflow["blocks"][0]["id"]}
    assert (await api.post("/workflows/cache/clear", body)).json() == {"cleared": 4}
    assert await list_cache(api, workflow) == ([], 0)
    assert (await api.post("/workflows/cache/clear", body)).json() == {"cleared": 0}


@pytest.mark.parametrize("path", ["list", "clear"])
async def test_cache_of_another_organizations_workflow_is_not_found(
    api: "Api", workflow: dict[str, Any], path: str
) -> None:
    key = await api.create_key("other")
    answer = await api.post(f"/workflows/cache/{path}", {"workflowId": workflow["id"]}, x_api_key=key)
    assert (answer.status_code, "`workflowId`" in answer.json()["error"]) == (404, True)
    assert (await list_cache(api, workflow))[1] == 2


async def test_block_that_is_not_in_the_workflow_clears_nothing(api: "Api", workflow: dict[str, Any]) -> None:
    answer = await api.post("/workflows/cache/clear", {"workflowId": workflow["id"], "blockId": "block_none"})
    assert (answer.status_code, "`blockId`" in answer.json()["error"]) == (404, True)
    assert (await list_cache(api, workflow))[1] == 2

"""`/workflows/apply` makes a workflow what its file says, once, and never over somebody's change."""

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio
NAP: dict[str, Any] = {"type": "Wait", "blockReferenceId": "nap", "data": {"durationMs": 5}}
FILE: dict[str, Any] = {"name": "Nap", "tags": ["a"], "blocks": [NAP]}


async def applied(api: "Api", **fields: Any) -> Any:
    answer = await api.post("/workflows/apply", {**FILE, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_applying_twice_changes_nothing(api: "Api") -> None:
    first, second = await applied(api), await applied(api)
    assert (first["outcome"], second["outcome"]) == ("created", "unchanged")
    assert second["workflow"] == first["workflow"]
    assert second["workflow"]["version"] == 1


async def test_a_changed_file_makes_one_version_and_keeps_the_ids_of_its_blocks(api: "Api") -> None:
    before = (await applied(api))["workflow"]
    changed = {**NAP, "data": {"durationMs": 6}}
    answer = await applied(api, blocks=[{"type": "Wait", "data": {}}, changed], tags=["b"])
    after = answer["workflow"]
    assert (answer["outcome"], after["version"]) == ("updated", 2)
    assert after["blocks"][1]["id"] == before["blocks"][0]["id"]
    assert [tag["name"] for tag in after["tags"]] == ["b"]


async def test_what_was_changed_elsewhere_is_not_replaced_without_force(api: "Api") -> None:
    made = (await applied(api))["workflow"]
    elsewhere = [{**NAP, "data": {"durationMs": 9}}]
    await api.post("/workflows/update", {"id": made["id"], "blocks": elsewhere})
    refused = await api.post("/workflows/apply", {**FILE, "output": "{{blocks.nap}}"})
    assert refused.status_code == 409
    assert "changed elsewhere" in refused.json()["error"]
    assert (await applied(api, force=True, output="{{blocks.nap}}"))["outcome"] == "updated"


async def test_an_export_lets_the_file_be_applied_again(api: "Api") -> None:
    made = await api.create_workflow("Nap")
    assert (await api.post("/workflows/apply", FILE)).status_code == 409
    await api.post("/workflows/export", {"id": made["id"]})
    assert (await applied(api))["outcome"] == "updated"


async def test_a_key_that_only_reads_does_not_let_an_older_file_replace_a_change(api: "Api") -> None:
    made = await api.create_workflow("Nap")
    organization = await api.services.stores.organizations.get(await api.organization_id())
    assert organization is not None
    key = await api.create_key(organization.name, ["read"])
    exported = await api.post("/workflows/export", {"id": made["id"]}, Authorization=f"Bearer {key}")
    assert exported.status_code == 200
    assert (await api.post("/workflows/apply", FILE)).status_code == 409


async def test_of_two_who_apply_a_new_file_at_once_one_creates_it(api: "Api") -> None:
    answers = await asyncio.gather(*(api.post("/workflows/apply", FILE) for _ in range(8)))
    assert {answer.status_code for answer in answers} <= {200, 409}
    assert (await api.post("/workflows/list", {"search": "Nap"})).json()["total"] == 1
    assert (await applied(api))["outcome"] == "unchanged"


async def test_the_same_state_made_by_hand_is_no_conflict(api: "Api") -> None:
    await api.post(
        "/workflows/create", {**FILE, "blocks": [{**NAP, "data": {"durationMs": 5, "timeoutMs": None}}]}
    )
    assert (await applied(api))["outcome"] == "unchanged"


async def test_names_that_several_have_are_refused(api: "Api") -> None:
    await api.create_workflow("Nap")
    await api.create_workflow("Nap")
    refused = await api.post("/workflows/apply", {**FILE, "force": True})
    assert (refused.status_code, "2 workflows" in refused.json()["error"]) == (409, True)


async def test_a_wrong_file_leaves_the_workflow_alone(api: "Api") -> None:
    made = (await applied(api))["workflow"]
    assert (await api.post("/workflows/apply", {**FILE, "blocks": [{"type": "Wat"}]})).status_code == 400
    assert (await api.post("/workflows/get", {"id": made["id"]})).json()["workflow"] == made


async def test_another_organization_has_its_own_workflow_of_that_name(api: "Api") -> None:
    await applied(api)
    key = await api.create_key("other")
    other = await api.post("/workflows/apply", FILE, authorization=f"Bearer {key}")
    assert other.json()["outcome"] == "created"

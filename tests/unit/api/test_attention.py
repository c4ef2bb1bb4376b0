"""`/attention/list`: everything that waits for a person, and nothing that does not."""

from typing import TYPE_CHECKING, Any, get_args

import pytest

from pagehand.clock import now_ms, to_iso
from pagehand.records import Execution, ExecutionLogin, Json, Status, Waiting, WaitingKind

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio

LOGIN = {
    "name": "Bank",
    "authenticationUrl": "https://bank.example/login",
    "loginConfiguration": {"username": "ada", "password": "pw"},
}
PROPOSED: Json = {"proposedOperations": [{"type": "update", "blockId": "nap", "block": {"name": "Rest"}}]}


async def list_items(api: "Api", **fields: Any) -> list[dict[str, Any]]:
    return (await api.post("/attention/list", fields)).json()["items"]


async def add_paused(api: "Api", kind: WaitingKind, since: int = 0, **fields: Any) -> Execution:
    waiting = Waiting(kind=kind, reason=f"It waits: {kind}", since=to_iso(since or now_ms()))
    return await api.add_running({"status": Status.PAUSED, "waiting": waiting}, **fields)


async def add_proposing(api: "Api", workflow: dict[str, Any], **fields: Any) -> Execution:
    """An ended execution that proposes to change its workflow."""
    going = await api.add_running(
        {"metadata": PROPOSED, "proposal": "open"},
        workflow_id=workflow["id"],
        workflow_version=workflow["version"],
        **fields,
    )
    return await api.finish(going)


async def test_nothing_waits_in_a_new_organization(api: "Api") -> None:
    assert (await api.post("/attention/list")).json() == {"items": [], "total": 0}


@pytest.mark.parametrize("kind", sorted({*get_args(WaitingKind)} - {"driving"}))
async def test_paused_execution_is_shown_with_what_it_waits_for(api: "Api", kind: WaitingKind) -> None:
    execution = await add_paused(api, kind, name="Row 7", logins=[ExecutionLogin(id="login_1", name="Bank")])
    [item] = await list_items(api)
    assert (item["kind"], item["reason"]) == (kind, f"It waits: {kind}")
    assert item["execution"] == {"id": execution.id, "name": "Row 7"}
    assert item["workflow"]["name"] == "Invoices"
    assert item["login"] == {"id": "login_1", "name": "Bank"}


async def test_browser_that_somebody_drives_waits_for_nobody_else(api: "Api") -> None:
    await add_paused(api, "driving")
    assert await list_items(api) == []


async def test_longest_waiting_is_on_top_and_the_limit_does_not_change_the_total(api: "Api") -> None:
    now = now_ms()
    late, early = await add_paused(api, "code", now - 1000), await add_paused(api, "approval", now - 90_000)
    assert [item["execution"]["id"] for item in await list_items(api)] == [early.id, late.id]
    cut = (await api.post("/attention/list", {"limit": 1})).json()
    assert ([item["execution"]["id"] for item in cut["items"]], cut["total"]) == ([early.id], 2)


async def test_item_has_one_id_for_as_long_as_it_waits(api: "Api") -> None:
    await add_paused(api, "code", 1000)
    [first], [second] = await list_items(api), await list_items(api)
    assert first["id"] == second["id"]


async def test_login_is_shown_from_its_third_failure_on_until_it_is_changed(api: "Api") -> None:
    made = (await api.post("/logins/create", LOGIN)).json()["login"]
    stored = await api.services.logins.get(await api.organization_id(), made["id"])
    states, now = api.services.stores.login_states, now_ms()
    for number in (1, 2):
        await states.note_failure(stored, now + number, "The site was slow.", hold=False)
        assert await list_items(api) == []
    await states.note_failure(stored, now + 3, "The site was slow.", hold=False)
    [item] = await list_items(api)
    assert (item["kind"], item["login"]) == ("login", {"id": made["id"], "name": "Bank"})
    assert "3 times" in item["reason"]
    assert "The site was slow." in item["reason"]
    await api.post("/logins/release", {"id": made["id"]})
    assert await list_items(api) == []


async def test_login_that_the_site_refused_is_shown_at_once_and_says_that_it_is_held(api: "Api") -> None:
    made = (await api.post("/logins/create", LOGIN)).json()["login"]
    stored = await api.services.logins.get(await api.organization_id(), made["id"])
    await api.services.stores.login_states.note_failure(stored, now_ms(), "Wrong password.", hold=True)
    [item] = await list_items(api)
    assert item["reason"].startswith("Wrong password.")
    assert "changed or released" in item["reason"]
    change = {"id": made["id"], "loginConfiguration": {"username": "ada", "password": "another"}}
    assert (await api.post("/logins/update", change)).status_code == 200
    # whoever changes a login has answered: what failed was the login as it was
    assert await list_items(api) == []


async def test_login_that_was_deleted_needs_nobody(api: "Api") -> None:
    made = (await api.post("/logins/create", LOGIN)).json()["login"]
    stored = await api.services.logins.get(await api.organization_id(), made["id"])
    await api.services.stores.login_states.note_failure(stored, now_ms(), "Wrong password.", hold=True)
    await api.post("/logins/delete", {"id": made["id"]})
    assert await list_items(api) == []


async def test_proposal_is_shown_once_a_workflow_and_ends_with_the_version_it_was_made_for(
    api: "Api",
) -> None:
    workflow = await api.create_workflow()
    await add_proposing(api, workflow)
    newest = await add_proposing(api, workflow)
    [item] = await list_items(api)
    assert (item["kind"], item["execution"]["id"]) == ("proposal", newest.id)
    assert "one block" in item["reason"]
    await api.post("/workflows/update", {"id": workflow["id"], "name": "changed"})
    assert await list_items(api) == []


async def test_other_organizations_see_none_of_it(api: "Api") -> None:
    await add_paused(api, "code")
    await add_proposing(api, await api.create_workflow())
    answer = await api.post("/attention/list", x_api_key=await api.create_key("other"))
    assert answer.json() == {"items": [], "total": 0}

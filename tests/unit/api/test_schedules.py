"""`/schedules/…`: what is refused when one is written, what is shown, and what a run by hand leaves."""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio

NIGHTLY = "30 3 * * *"


async def create_schedule(api: "Api", **fields: Any) -> dict[str, Any]:
    workflow = await api.create_workflow("Nightly", waits_ms=1)
    given = {"workflowId": workflow["id"], "cron": NIGHTLY, **fields}
    answer = await api.post("/schedules/create", given)
    assert answer.status_code == 200, answer.text
    return answer.json()["schedule"]


async def test_schedule_shows_its_words_its_next_five_moments_and_its_defaults(api: "Api") -> None:
    schedule = await create_schedule(api, timeZone="Europe/Berlin", params={"day": 1}, name="Every night")
    assert len(schedule["nextRuns"]) == 5
    assert schedule["nextRuns"] == sorted(schedule["nextRuns"])
    assert {moment[14:16] for moment in schedule["nextRuns"]} == {"30"}
    assert schedule["description"]
    assert (schedule["enabled"], schedule["catchUp"], schedule["overlap"]) == (True, "none", "skip")
    assert (schedule["params"], schedule["lastRun"], schedule["loginId"]) == ({"day": 1}, None, None)
    assert (await api.post("/schedules/get", {"id": schedule["id"]})).json()["schedule"] == schedule
    preview = await api.post("/schedules/preview", {"cron": NIGHTLY, "timeZone": "Europe/Berlin"})
    assert preview.json()["times"] == {name: schedule[name] for name in ("description", "nextRuns")}
    wrong = await api.post("/schedules/preview", {"cron": "61 * * * *"})
    assert wrong.status_code == 400
    assert "the minute `61` is not valid" in wrong.json()["error"]


@pytest.mark.parametrize(
    ("fields", "status", "word"),
    [
        ({"cron": "61 * * * *"}, 400, "cron"),
        ({"cron": "* * * *"}, 400, "cron"),
        ({"cron": ""}, 400, "cron"),
        ({"timeZone": "Mars/Base"}, 400, "timeZone"),
        ({"timeZone": ""}, 400, "timeZone"),
        ({"catchUp": "some"}, 400, "catchUp"),
        ({"overlap": "both"}, 400, "overlap"),
        ({"params": []}, 400, "params"),
        ({"enabled": "yes"}, 400, "enabled"),
        ({"workflowId": None}, 400, "workflowName"),
        ({"workflowId": "wf_none"}, 404, "Workflow not found"),
        ({"loginId": "login_none"}, 404, "login"),
        ({"timezone": "UTC"}, 400, "timeZone"),
    ],
)
async def test_schedule_that_could_never_start_is_refused(
    api: "Api", fields: dict[str, Any], status: int, word: str
) -> None:
    workflow = await api.create_workflow()
    answer = await api.post("/schedules/create", {"workflowId": workflow["id"], "cron": NIGHTLY, **fields})
    assert answer.status_code == status, answer.text
    assert word in answer.json()["error"]
    assert (await api.post("/schedules/list")).json() == {"schedules": [], "total": 0}


async def test_params_that_the_workflow_refuses_are_refused_before_the_first_moment(api: "Api") -> None:
    declared = [{"name": "amount", "type": "number", "isRequired": True}]
    workflow = await api.create_workflow(parameters=declared)
    for params in ({}, {"amount": "many"}):
        answer = await api.post(
            "/schedules/create", {"workflowId": workflow["id"], "cron": NIGHTLY, "params": params}
        )
        assert answer.status_code == 400, answer.text
        assert "amount" in answer.json()["error"]


async def test_secret_params_are_masked_and_the_mask_keeps_them(api: "Api") -> None:
    workflow = await api.create_workflow(parameters=[{"name": "pin", "isSecret": True}])
    given = {"workflowId": workflow["id"], "cron": NIGHTLY, "params": {"pin": "1234-secret"}}
    schedule = (await api.post("/schedules/create", given)).json()["schedule"]
    assert "1234-secret" not in str(schedule)
    update = {"id": schedule["id"], "params": {"pin": schedule["params"]["pin"], "more": 1}}
    changed = await api.post("/schedules/update", update)
    assert "1234-secret" not in changed.text
    assert changed.json()["schedule"]["params"]["more"] == 1
    started = await api.post("/schedules/run", {"id": schedule["id"]})
    assert started.status_code == 200
    assert "1234-secret" not in started.text


async def test_update_changes_what_is_given_and_keeps_the_rest(api: "Api") -> None:
    schedule = await create_schedule(api, params={"a": 1}, name="one")
    changed = (
        await api.post("/schedules/update", {"id": schedule["id"], "cron": "0 12 * * *", "enabled": False})
    ).json()["schedule"]
    assert (changed["cron"], changed["enabled"]) == ("0 12 * * *", False)
    assert (changed["params"], changed["name"], changed["workflow"]) == (
        {"a": 1},
        "one",
        schedule["workflow"],
    )
    assert changed["createdAt"] == schedule["createdAt"]


@pytest.mark.parametrize("fields", [{"cron": "nonsense"}, {"timeZone": "Nowhere"}, {"params": 1}])
async def test_refused_update_leaves_the_schedule_as_it_was(api: "Api", fields: dict[str, Any]) -> None:
    schedule = await create_schedule(api)
    assert (await api.post("/schedules/update", {"id": schedule["id"], **fields})).status_code == 400
    assert (await api.post("/schedules/get", {"id": schedule["id"]})).json()["schedule"] == schedule


async def test_run_by_hand_starts_an_execution_and_is_in_the_history(api: "Api") -> None:
    schedule = await create_schedule(api, name="By hand", enabled=False, params={"a": 1})
    started = (await api.post("/schedules/run", {"id": schedule["id"]})).json()["execution"]
    assert started["params"] == {"a": 1}
    assert started["metadata"]["schedule"]["id"] == schedule["id"]
    assert started["metadata"]["schedule"]["name"] == "By hand"
    history = (await api.post("/schedules/history", {"id": schedule["id"]})).json()
    assert history["total"] == 1
    assert history["runs"][0]["executionId"] == started["id"]
    assert history["runs"][0]["outcome"] == "started"
    assert history["runs"][0]["isManual"] is True
    shown = (await api.post("/schedules/get", {"id": schedule["id"]})).json()["schedule"]
    assert shown["lastRun"]["executionId"] == started["id"]
    # a run by hand is not one of its moments: the next one stays where it was
    assert shown["nextRuns"] == schedule["nextRuns"]


async def test_list_is_newest_first_by_workflow_and_in_pages(api: "Api") -> None:
    first, second = await create_schedule(api, name="one"), await create_schedule(api, name="two")
    listed = (await api.post("/schedules/list")).json()
    assert [schedule["id"] for schedule in listed["schedules"]] == [second["id"], first["id"]]
    page = (await api.post("/schedules/list", {"limit": 1, "offset": 1})).json()
    assert ([schedule["id"] for schedule in page["schedules"]], page["total"]) == ([first["id"]], 2)
    beyond = (await api.post("/schedules/list", {"limit": 1, "offset": 9})).json()
    assert beyond == {"schedules": [], "total": 2}
    own = (await api.post("/schedules/list", {"workflowId": first["workflow"]["id"]})).json()
    assert [schedule["id"] for schedule in own["schedules"]] == [first["id"]]


async def test_deleted_schedule_is_gone_and_its_execution_stays(api: "Api") -> None:
    schedule = await create_schedule(api)
    started = (await api.post("/schedules/run", {"id": schedule["id"]})).json()["execution"]
    gone = await api.post("/schedules/delete", {"id": schedule["id"]})
    assert gone.json() == {"schedule": {"id": schedule["id"]}}
    for path in ("get", "delete", "update", "run", "history"):
        answer = await api.post(f"/schedules/{path}", {"id": schedule["id"]})
        assert (answer.status_code, "`id`" in answer.json()["error"]) == (404, True), path
    assert (await api.post("/executions/get", {"id": started["id"]})).status_code == 200


async def test_deleting_a_workflow_ends_its_schedules(api: "Api") -> None:
    schedule = await create_schedule(api)
    await api.post("/workflows/delete", {"id": schedule["workflow"]["id"]})
    assert (await api.post("/schedules/get", {"id": schedule["id"]})).status_code == 404

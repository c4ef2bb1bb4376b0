"""Schedules as a caller meets them; a moment is made due by moving it in the database, not by waiting."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import update

from pagehand.clock import now_ms
from pagehand.storage import Database
from pagehand.storage.tables import schedules
from support.blocks import value
from support.database import add_key
from support.service import FINAL, Api, Json, RunningService
from support.waiting import wait_until


@pytest.fixture
def caller(service: RunningService, request: pytest.FixtureRequest) -> Api:
    """An organization of its own for each test."""
    return service.api(add_key(service, request.node.name[:60]))


def schedule(caller: Api, *, parameters: list[Json] | None = None, **fields: Any) -> Json:
    more = {} if parameters is None else {"parameters": parameters}
    workflow = caller.create("Nightly", value("answer", "{{params.n}}"), **more)
    given = {"workflowId": workflow["id"], "cron": "0 3 1 1 *", "params": {"n": 1}, **fields}
    return caller.call("/schedules/create", given)["schedule"]


def make_due(service: RunningService, schedule_id: str) -> None:
    async def move() -> None:
        database = Database(f"sqlite+aiosqlite:///{service.data_dir / 'pagehand.db'}")
        await database.open()
        async with database.write() as connection:
            change = update(schedules).where(schedules.c.id == schedule_id).values(next_at=now_ms() - 1)
            await connection.execute(change)
        await database.close()

    asyncio.run(move())


def started_by(caller: Api, schedule_id: str) -> list[Json]:
    listed = caller.call("/executions/list", {})["executions"]
    return [item for item in listed if item["metadata"].get("schedule", {}).get("id") == schedule_id]


def test_the_answer_shows_the_next_five_moments_and_the_cron_in_words(caller: Api) -> None:
    made = schedule(caller, cron="30 2 * * *", timeZone="Europe/Berlin", name="Night")
    assert made["description"] == "At 02:30 every day"
    assert len(made["nextRuns"]) == len(set(made["nextRuns"])) == 5
    assert made["nextRuns"] == sorted(made["nextRuns"])
    assert made["lastRun"] is None
    assert (made["enabled"], made["catchUp"], made["overlap"]) == (True, "none", "skip")
    assert caller.call("/schedules/get", {"id": made["id"]})["schedule"] == made
    assert caller.call("/schedules/list", {}) == {"schedules": [made], "total": 1}


def test_a_moment_starts_one_execution_that_names_its_schedule(caller: Api, service: RunningService) -> None:
    made = schedule(caller, name="Night")
    make_due(service, made["id"])
    wait_until(lambda: len(started_by(caller, made["id"])) > 0)
    [execution] = started_by(caller, made["id"])
    done = caller.wait_for(execution["id"], *FINAL)
    assert (done["status"], done["response"], done["name"]) == ("Completed", {"answer": 1}, "Night")
    last = caller.call("/schedules/get", {"id": made["id"]})["schedule"]["lastRun"]
    assert (last["outcome"], last["executionId"], last["status"]) == ("started", execution["id"], "Completed")
    assert last["isManual"] is False
    assert done["metadata"]["schedule"] == {"id": made["id"], "name": "Night", "tick": last["scheduledFor"]}
    assert caller.call("/schedules/history", {"id": made["id"]}) == {"runs": [last], "total": 1}


def test_run_starts_one_now_also_when_it_is_switched_off(caller: Api) -> None:
    made = schedule(caller, enabled=False)
    execution = caller.call("/schedules/run", {"id": made["id"]})["execution"]
    assert execution["metadata"]["schedule"]["id"] == made["id"]
    assert caller.wait_for(execution["id"], *FINAL)["status"] == "Completed"
    after = caller.call("/schedules/get", {"id": made["id"]})["schedule"]
    assert (after["lastRun"]["isManual"], after["lastRun"]["executionId"]) == (True, execution["id"])
    assert after["enabled"] is False


def test_one_that_is_switched_off_stays_quiet_until_it_is_on_again(
    caller: Api, service: RunningService
) -> None:
    quiet, loud = schedule(caller, enabled=False), schedule(caller)
    make_due(service, quiet["id"])
    make_due(service, loud["id"])
    wait_until(
        lambda: len(started_by(caller, loud["id"])) > 0
    )  # whoever started this has looked at the other as well
    assert started_by(caller, quiet["id"]) == []
    on = caller.call("/schedules/update", {"id": quiet["id"], "enabled": True})["schedule"]
    assert on["nextRuns"] == quiet["nextRuns"]
    assert started_by(caller, quiet["id"]) == []


def test_update_changes_what_is_given_and_keeps_the_rest(caller: Api) -> None:
    made = schedule(caller, timeZone="Europe/Berlin", catchUp="all", overlap="queue")
    changed = caller.call("/schedules/update", {"id": made["id"], "cron": "0 5 * * MON", "params": {"n": 2}})
    same = ("id", "name", "workflow", "timeZone", "catchUp", "overlap", "enabled", "createdAt")
    assert {name: changed["schedule"][name] for name in same} == {name: made[name] for name in same}
    assert (changed["schedule"]["cron"], changed["schedule"]["params"]) == ("0 5 * * MON", {"n": 2})
    assert changed["schedule"]["nextRuns"] != made["nextRuns"]


def test_a_secret_parameter_is_never_shown_and_reaches_the_execution(caller: Api) -> None:
    declared = [{"name": "n", "type": "string", "isSecret": True}]
    made = schedule(caller, parameters=declared, params={"n": "only-ours"})
    assert made["params"] == {"n": "********"}
    caller.call("/schedules/update", {"id": made["id"], "params": made["params"]})  # as a form sends it back
    execution = caller.call("/schedules/run", {"id": made["id"]})["execution"]
    done = caller.wait_for(execution["id"], *FINAL)
    assert done["status"] == "Completed"
    shown = [caller.call(f"/schedules/{item}", {"id": made["id"]}) for item in ("get", "history")]
    assert "only-ours" not in repr(shown) + repr(done["params"])


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"cron": "61 * * * *"}, "`cron`: the minute `61`"),
        ({"cron": "0 0 * * * *"}, "`cron`: expected five fields"),
        ({"cron": "0 0 31 2 *"}, "never comes"),
        ({"timeZone": "Europe/Berlim"}, "did you mean `Europe/Berlin`"),
        ({"catchUp": "some"}, "`catchUp`"),
        ({"overlap": None, "overlaps": "skip"}, "`overlaps`"),
        ({"loginId": "login_nobody"}, "`loginId`"),
        ({"workflowId": None}, "`workflowId`"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_sentence(caller: Api, fields: Json, part: str) -> None:
    workflow = caller.create("Nightly", value("answer"))
    refused = caller.post("/schedules/create", {"workflowId": workflow["id"], "cron": "0 3 * * *", **fields})
    assert refused.status_code in (400, 404)
    assert part in refused.json()["error"]
    assert caller.call("/schedules/list", {})["total"] == 0


def test_params_that_the_workflow_does_not_take_are_refused_at_once(caller: Api) -> None:
    declared = [{"name": "n", "type": "number", "isRequired": True}]
    workflow = caller.create("Nightly", value("answer", "{{params.n}}"), parameters=declared)
    refused = caller.post("/schedules/create", {"workflowId": workflow["id"], "cron": "0 3 * * *"})
    assert refused.status_code == 400
    assert "`n`" in refused.json()["error"] or "params.n" in refused.json()["error"]


def test_another_organization_sees_and_changes_nothing(caller: Api, other: Api) -> None:
    made = schedule(caller)
    for path in ("get", "update", "delete", "run", "history"):
        assert other.post(f"/schedules/{path}", {"id": made["id"]}).status_code == 404, path
    assert made["id"] not in repr(other.call("/schedules/list", {}))
    theirs = other.post("/schedules/create", {"workflowId": made["workflow"]["id"], "cron": "0 3 * * *"})
    assert theirs.status_code == 404
    assert caller.call("/schedules/get", {"id": made["id"]})["schedule"] == made


def test_a_key_needs_the_scope_of_each_operation(service: RunningService) -> None:
    name = "scoped schedules"
    made = schedule(service.api(add_key(service, name)))
    reader = service.api(add_key(service, name, scopes=["read"]))
    assert reader.call("/schedules/get", {"id": made["id"]})
    for path in ("update", "delete", "run"):
        assert reader.post(f"/schedules/{path}", {"id": made["id"]}).status_code == 403, path
    runner = service.api(add_key(service, name, scopes=["read", "run"]))
    assert runner.call("/schedules/run", {"id": made["id"]})["execution"]["id"]
    assert runner.post("/schedules/update", {"id": made["id"], "enabled": False}).status_code == 403


def test_deleted_it_is_gone_and_its_executions_stay(caller: Api) -> None:
    made = schedule(caller)
    execution = caller.call("/schedules/run", {"id": made["id"]})["execution"]
    caller.wait_for(execution["id"], *FINAL)
    assert caller.call("/schedules/delete", {"id": made["id"]}) == {"schedule": {"id": made["id"]}}
    assert caller.post("/schedules/get", {"id": made["id"]}).status_code == 404
    assert caller.get(execution["id"])["metadata"]["schedule"]["id"] == made["id"]

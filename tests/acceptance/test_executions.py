"""Executions: get, list, retry, cancel, pause, resume, events."""

import re
import time
from typing import Any

import httpx2
import pytest

from support.blocks import fail, navigate, value, wait
from support.service import FINAL, Api, Json
from support.shapes import ACTIVE, EVENT, FINISHED, LISTED, misfits
from support.site import Site


@pytest.fixture(scope="module")
def family(api: Api) -> Json:
    """Executions that differ in all that a list can filter by."""
    tagged = api.create("family", value("x"), tags=["red", "blue"])
    failing = api.create("family that fails", fail("as it should"), tags=["red"])
    runs = [
        run(api, tagged, params={"city": "Zürich", "n": 1}, isTest=True),
        run(api, tagged, params={"city": "Bern_100%", "deep": {"inside": ["Needle-77"]}}),
        run(api, failing, params={"city": "Basel"}),
    ]
    batch = api.call("/batches/create", {"name": "in it", "workflowId": tagged["id"], "rows": [{"r": 1}]})
    [row] = api.call("/executions/list", {"batch": batch["batch"]["id"]})["executions"]
    runs.append(api.wait_for(row["id"], *FINAL))
    tags = {tag["name"]: tag["id"] for tag in tagged["tags"]}
    return {"tagged": tagged, "failing": failing, "runs": runs, "batch": batch["batch"], "tags": tags}


def run(api: Api, flow: Json, **fields: Any) -> Json:
    return api.call("/workflows/executeSync", {"workflowId": flow["id"], **fields})["execution"]


def listed(api: Api, **fields: Any) -> Json:
    return api.call("/executions/list", fields)


def numbers(api: Api, family: Json, **fields: Any) -> list[int]:
    """Which of the family a list has, by position."""
    ids = [item["id"] for item in family["runs"]]
    found = [execution["id"] for execution in listed(api, limit=1000, **fields)["executions"]]
    return sorted(ids.index(item) for item in found if item in ids)


def conflict(api: Api, path: str, execution_id: str) -> str:
    answer = api.post(path, {"id": execution_id})
    assert answer.status_code == 409, f"{path}: {answer.status_code} {answer.text}"
    assert list(answer.json()) == ["error"]
    return answer.json()["error"]


def test_get_gives_the_finished_form_of_a_finished_one(api: Api, family: Json) -> None:
    for known in family["runs"]:
        shown = api.get(known["id"])
        assert misfits(shown, FINISHED) == []
        # the URL is signed anew each time
        url = shown["responseFile"]["downloadUrl"]
        assert shown == {**known, "responseFile": {**known["responseFile"], "downloadUrl": url}}


def test_list_items_carry_every_field_whatever_their_status(api: Api, family: Json) -> None:
    answer = listed(api)
    assert set(answer) == {"executions", "total", "nextCursor"}
    assert {execution["status"] for execution in answer["executions"]} >= {"Completed", "Failed"}
    assert [found for execution in answer["executions"] for found in misfits(execution, LISTED)] == []
    assert family["runs"][0]["id"] in [execution["id"] for execution in answer["executions"]]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, [0, 1, 2, 3]),
        ({"status": "Failed"}, [2]),
        ({"status": "Completed"}, [0, 1, 3]),
        ({"status": "Paused"}, []),
        ({"isTest": True}, [0]),
        ({"isTest": False}, [1, 2, 3]),
        ({"search": ["zürich"]}, [0]),
        ({"search": ["ZÜRICH", "basel"]}, [0, 2]),
        ({"search": ["needle-7"]}, [1]),
        ({"search": ["INSIDE"]}, [1]),
        ({"search": ["n_100%"]}, [1]),
        ({"search": ["%"]}, [1]),
        ({"search": ["nothing has this"]}, []),
        ({"search": []}, [0, 1, 2, 3]),
        ({"status": "Completed", "search": ["basel"]}, []),
        ({"loginId": "login_00000000000000000000000000"}, []),
        ({"batch": "batch_00000000000000000000000000"}, []),
        ({"workflowId": "wf_00000000000000000000000000"}, []),
        ({"tagFilters": ["tag_00000000000000000000000000"]}, []),
        ({"fromTs": "2100-01-01T00:00:00.000Z"}, []),
        ({"toTs": "2001-01-01T00:00:00.000Z"}, []),
        ({"fromTs": "2001-01-01T00:00:00Z", "toTs": "2100-01-01T00:00:00+02:00"}, [0, 1, 2, 3]),
    ],
)
def test_filters_narrow_the_list(api: Api, family: Json, fields: Json, expected: list[int]) -> None:
    assert numbers(api, family, **fields) == expected


def test_filters_by_things_that_are_there(api: Api, family: Json) -> None:
    tags, first = family["tags"], family["runs"][0]
    assert numbers(api, family, workflowId=family["failing"]["id"]) == [2]
    assert numbers(api, family, batch=family["batch"]["id"]) == [3]
    assert numbers(api, family, tagFilters=[tags["red"]]) == [0, 1, 2, 3]
    assert numbers(api, family, tagFilters=[tags["red"], tags["blue"]]) == [0, 1, 3]
    assert numbers(api, family, search=[first["id"][5:].upper()]) == [0]
    at = first["startTime"]
    assert numbers(api, family, fromTs=at, toTs=at, workflowId=family["tagged"]["id"]) == [0]


def test_the_newest_accepted_comes_first(api: Api, family: Json) -> None:
    found = listed(api, workflowId=family["tagged"]["id"])["executions"]
    accepted = [item["metadata"]["acceptedAt"] for item in found]
    assert accepted == sorted(accepted, reverse=True)
    assert found[-1]["id"] == family["runs"][0]["id"]


def test_pages_by_offset_and_by_cursor_cover_the_list_once(api: Api, family: Json) -> None:
    asked = {"workflowId": family["tagged"]["id"]}
    whole = [execution["id"] for execution in listed(api, **asked)["executions"]]
    assert len(whole) == 3
    by_offset = [listed(api, **asked, limit=1, offset=at) for at in range(4)]
    assert [execution["id"] for page in by_offset for execution in page["executions"]] == whole
    assert {page["total"] for page in by_offset} == {3}
    pages = [listed(api, **asked, limit=2)]
    pages.append(listed(api, **asked, limit=2, cursor=pages[0]["nextCursor"]))
    assert [execution["id"] for page in pages for execution in page["executions"]] == whole
    assert [page["total"] for page in pages] == [3, 3]
    assert pages[1]["nextCursor"] is None


def test_a_list_has_at_most_a_hundred_items_by_default(api: Api) -> None:
    flow = api.create("many", value("x"))
    rows = [{"row": row} for row in range(101)]
    batch = api.call("/batches/create", {"name": "many", "workflowId": flow["id"], "rows": rows})["batch"]
    page = listed(api, batch=batch["id"])
    assert (len(page["executions"]), page["total"]) == (100, 101)
    api.call("/batches/cancel", {"id": batch["id"]})


def test_params_are_cut_in_a_list_at_a_thousand_characters(api: Api) -> None:
    flow = api.create("cut", value("x"))
    # {"a":"…"} adds 8 characters
    exact, longer = {"a": "é" * 992}, {"a": "é" * 993}
    run(api, flow, params=exact)
    run(api, flow, params=longer)
    over, fits = [
        execution["truncatedParams"] for execution in listed(api, workflowId=flow["id"])["executions"]
    ]
    assert (len(fits), fits[-2:]) == (1000, '"}')
    assert over == '{"a":"' + "é" * 993 + '"' + "…"


def test_a_retry_is_a_new_execution_of_the_same_order(api: Api, family: Json) -> None:
    original = family["runs"][3]
    answer = api.call("/executions/retry", {"id": original["id"]})
    assert set(answer) == {"success", "message", "execution"}
    assert answer["success"] is True
    assert original["id"] in answer["message"]
    assert list(answer["execution"]) == ["execution"]
    retried = answer["execution"]["execution"]
    assert misfits(retried, ACTIVE) == []
    assert retried["status"] == "InProgress"
    assert retried["id"] != original["id"]
    assert retried["browserSessionId"] != original["browserSessionId"]
    assert (retried["attempts"], retried["totalAttempts"], retried["isLastAttempt"]) == (2, 2, True)
    assert retried["metadata"]["retryOf"] == original["id"]
    for field in ("workflow", "params", "logins", "batch", "name", "isTest"):
        assert retried[field] == original[field], field
    assert api.wait_for(retried["id"], *FINAL)["status"] == "Completed"
    assert api.get(original["id"])["endTime"] == original["endTime"]
    third = api.call("/executions/retry", {"id": retried["id"]})["execution"]["execution"]
    assert third["attempts"] == 3


def test_a_retry_runs_the_workflow_as_it_is_today(api: Api) -> None:
    flow = api.create("mended", fail("not yet"))
    broken = run(api, flow, params={"k": 1}, name="n", isTest=True)
    assert broken["status"] == "Failed"
    api.call(
        "/workflows/blocks/update",
        {"workflowId": flow["id"], "operations": [{"type": "replaceAll", "blocks": [value("ok")]}]},
    )
    retried = api.call("/executions/retry", {"id": broken["id"]})["execution"]["execution"]
    done = api.wait_for(retried["id"], *FINAL)
    assert (done["status"], done["response"]) == ("Completed", {"ok": 1})
    assert (done["name"], done["isTest"], done["params"]) == ("n", True, {"k": 1})
    assert api.get(broken["id"])["status"] == "Failed"


def test_only_a_finished_one_can_be_retried(api: Api) -> None:
    started = api.start(api.create("not over", wait(60_000))["id"])
    assert re.search("Enqueued|InProgress", conflict(api, "/executions/retry", started["id"]))
    api.call("/executions/cancel", {"id": started["id"]})


@pytest.mark.slow
def test_pause_holds_resume_lets_go_and_the_events_tell(api: Api) -> None:
    started = api.start(api.create("held", wait(600), value("x"))["id"])
    conflict(api, "/executions/resume", started["id"])
    api.wait_for(started["id"], "InProgress")
    answer = api.call("/executions/pause", {"id": started["id"]})
    assert misfits(answer["execution"], ACTIVE) == []
    held = api.wait_for(started["id"], "Paused")
    assert misfits(held, ACTIVE) == []
    conflict(api, "/executions/retry", started["id"])
    conflict(api, "/executions/pause", started["id"])
    time.sleep(0.8)
    assert api.get(started["id"])["status"] == "Paused"
    assert misfits(api.call("/executions/resume", {"id": started["id"]})["execution"], ACTIVE) == []
    done = api.wait_for(started["id"], *FINAL)
    assert (done["status"], done["response"]) == ("Completed", {"x": 1})
    types = [event["type"] for event in api.events(started["id"])]
    assert types.index("execution.paused") < types.index("execution.resumed")


def test_what_is_final_can_neither_be_paused_resumed_nor_cancelled(api: Api, family: Json) -> None:
    for known in (family["runs"][0], family["runs"][2]):
        before = api.get(known["id"])
        for path in ("/executions/pause", "/executions/resume", "/executions/cancel"):
            assert known["status"] in conflict(api, path, known["id"])
        assert api.get(known["id"])["endTime"] == before["endTime"]


def test_a_paused_one_can_be_cancelled(api: Api) -> None:
    started = api.start(api.create("held and ended", wait(60_000))["id"])
    api.wait_for(started["id"], "InProgress")
    api.call("/executions/pause", {"id": started["id"]})
    api.wait_for(started["id"], "Paused")
    ended = api.call("/executions/cancel", {"id": started["id"]})["execution"]
    assert misfits(ended, FINISHED) == []
    assert ended["status"] == "Failed"


def test_one_that_waits_in_the_queue_can_be_cancelled_and_never_ran(api: Api) -> None:
    flow = api.create("crowd", wait(60_000))
    crowd = [api.start(flow["id"])["id"] for _ in range(6)]
    last = api.get(crowd[-1])
    assert last["status"] == "Enqueued"
    assert misfits(last, ACTIVE) == []
    assert "Enqueued" in conflict(api, "/executions/pause", crowd[-1])
    ended = api.call("/executions/cancel", {"id": crowd[-1]})["execution"]
    assert misfits(ended, FINISHED) == []
    assert ended["errorAnalysis"].startswith("Cancelled by ")
    assert not [event for event in api.events(crowd[-1]) if event["type"] == "block.started"]
    for item in crowd[:-1]:
        api.call("/executions/cancel", {"id": item})


def test_events_tell_block_by_block_oldest_first(api: Api) -> None:
    flow = api.create("reported", value("a"), fail("on purpose", "b"))
    done = run(api, flow)
    answer = api.call("/executions/events", {"id": done["id"]})
    assert set(answer) == {"events", "total"}
    events = answer["events"]
    assert answer["total"] == len(events)
    assert [found for event in events for found in misfits(event, EVENT)] == []
    assert [event["seq"] for event in events] == sorted({event["seq"] for event in events})
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)
    reported = [
        (event["type"], event["blockReferenceId"]) for event in events if event["type"].startswith("block.")
    ]
    assert reported == [
        ("block.started", "a"),
        ("block.finished", "a"),
        ("block.started", "b"),
        ("block.failed", "b"),
    ]
    ids = {block["blockReferenceId"]: block["id"] for block in flow["blocks"]}
    assert all(
        event["blockId"] == ids[event["blockReferenceId"]] for event in events if event["blockReferenceId"]
    )
    page = api.call("/executions/events", {"id": done["id"], "limit": 2, "offset": 1})
    assert (page["events"], page["total"]) == (events[1:3], len(events))


def test_a_skipped_block_is_reported(api: Api, site: Site) -> None:
    missing = {
        "type": "Mouse",
        "blockReferenceId": "maybe",
        "locator": {"text": "Not there"},
        "skipIfNotPresent": True,
        "data": {"timeoutMs": 300},
    }
    done = api.run(navigate(site.page("/", "hello")), missing, value("x"))
    assert done["response"] == {"x": 1}
    [skipped] = [event for event in api.events(done["id"]) if event["type"] == "block.skipped"]
    assert skipped["blockReferenceId"] == "maybe"


def test_a_screenshot_can_be_fetched_without_a_key(api: Api, site: Site) -> None:
    done = api.run(navigate(site.page("/", "<h1>Picture</h1>")))
    assert done["status"] == "Completed", done["errorAnalysis"]
    urls = [event["screenshotUrl"] for event in api.events(done["id"]) if event["screenshotUrl"]]
    assert urls
    picture = httpx2.get(urls[0])
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/jpeg")
    assert picture.content.startswith(b"\xff\xd8")
    assert "attachment" in picture.headers["content-disposition"]

"""executeSync and execute: what they take, what they answer."""

import json
import re
import time
from typing import Any

import httpx2
import pytest

from support.blocks import branch, fail, loop, navigate, value, wait
from support.service import Api, Json, RunningService
from support.shapes import ACTIVE, FINISHED, misfits
from support.site import Site

NOT_FOUND = "Workflow not found or does not belong to this organization"


@pytest.fixture(scope="module")
def simple(api: Api) -> Json:
    return api.create("simple for runs", value("x", "{{params.n}}"))


def run(api: Api, **fields: Any) -> Json:
    return api.call("/workflows/executeSync", fields)["execution"]


def refused(api: Api, status: int, **fields: Any) -> str:
    answer = api.post("/workflows/executeSync", fields)
    assert answer.status_code == status, answer.text
    assert list(answer.json()) == ["error"]
    return answer.json()["error"]


def test_execute_sync_answers_with_the_finished_form_and_nothing_else(api: Api, simple: Json) -> None:
    answer = api.call("/workflows/executeSync", {"workflowId": simple["id"], "params": {"n": 7}})
    assert list(answer) == ["execution"]
    done = answer["execution"]
    assert misfits(done, FINISHED) == []
    assert done["workflow"] == {"id": simple["id"], "name": simple["name"]}
    assert (done["status"], done["params"], done["response"]) == ("Completed", {"n": 7}, {"x": 7})


def test_what_is_not_given_gets_its_default(api: Api) -> None:
    done = api.run(value("x"))
    defaults: Json = {
        "batch": None,
        "logins": [],
        "authentications": [],
        "contextAuthentications": [],
        "params": {},
        "name": None,
        "startBlock": None,
        "downloads": None,
        "parentExecutionId": None,
        "sessionId": None,
        "agentConversationThreadId": None,
        "attempts": 1,
        "totalAttempts": 1,
        "isLastAttempt": True,
        "isTest": False,
        "liveViewUrl": None,
        "browserSessionVendorId": None,
    }
    assert {name: done[name] for name in defaults} == defaults


def test_execute_answers_at_once_with_the_active_form(api: Api) -> None:
    flow = api.create("slow", wait(600_000))
    started = api.start(flow["id"], {"a": 1}, name="later")
    assert misfits(started, ACTIVE) == []
    assert started["status"] in ("Enqueued", "InProgress")
    assert (started["name"], started["params"]) == ("later", {"a": 1})
    api.call("/executions/cancel", {"id": started["id"]})


def test_params_come_back_as_they_were_sent(api: Api, simple: Json) -> None:
    params: Json = {
        "n": None,
        "ü": [1, 2.5, {"deep": [True, None, ""]}],
        "big": 2**53,
        "empty": {},
        "a b": "x\ny",
    }
    assert run(api, workflowId=simple["id"], params=params)["params"] == params


@pytest.mark.parametrize(
    ("sent", "shown"), [("April", "April"), (42, "42"), (-1.5, "-1.5"), (0, "0"), ("", ""), (None, None)]
)
def test_a_name_is_kept_as_a_string(api: Api, simple: Json, sent: Any, shown: Any) -> None:
    assert run(api, workflowId=simple["id"], params={"n": 1}, name=sent)["name"] == shown


def test_a_workflow_is_found_by_its_exact_name(api: Api) -> None:
    flow = api.create("Found by name", value("x"))
    assert run(api, workflowName="Found by name")["workflow"]["id"] == flow["id"]
    assert run(api, workflowName="Found by name", workflowId=flow["id"])["workflow"]["id"] == flow["id"]
    assert refused(api, 404, workflowName="found by name") == NOT_FOUND


def test_one_of_id_and_name_is_needed(api: Api) -> None:
    ways: list[Json] = [{}, {"params": {}}, {"workflowId": None, "workflowName": None}]
    for fields in ways:
        sentence = refused(api, 400, **fields)
        assert "`workflowId`" in sentence
        assert "`workflowName`" in sentence


def test_id_and_name_that_disagree_are_refused(api: Api, simple: Json) -> None:
    api.create("another one for runs", value("x"))
    for name in ("another one for runs", "nobody has this name"):
        sentence = refused(api, 400, workflowId=simple["id"], workflowName=name)
        assert "`workflowName`" in sentence


def test_a_name_that_several_carry_is_a_conflict_that_names_them(api: Api) -> None:
    flows = [api.create("twins", value("x")) for _ in range(2)]
    sentence = refused(api, 409, workflowName="twins")
    assert "`workflowName`" in sentence
    assert all(flow["id"] in sentence for flow in flows)


def test_an_unknown_workflow_has_one_exact_sentence(api: Api) -> None:
    assert refused(api, 404, workflowId="wf_00000000000000000000000000") == NOT_FOUND
    assert refused(api, 404, workflowName="no workflow is called this") == NOT_FOUND


def test_unknown_fields_are_ignored(api: Api, simple: Json) -> None:
    done = run(api, workflowId=simple["id"], params={"n": 1}, colour="blue", status="Failed")
    assert done["status"] == "Completed"
    assert "colour" not in json.dumps(done)


def test_is_test_marks_the_execution(api: Api, simple: Json) -> None:
    assert run(api, workflowId=simple["id"], params={"n": 1}, isTest=True)["isTest"] is True


def test_use_proxy_without_a_proxy_names_the_setting(api: Api, simple: Json) -> None:
    sentence = refused(api, 400, workflowId=simple["id"], useProxy=True)
    assert "`useProxy`" in sentence
    assert "PAGEHAND_PROXY" in sentence


@pytest.mark.parametrize("timeout", [0, -1, 86_400.5, 1e300, "60", True])
def test_a_timeout_outside_its_bounds_is_refused(api: Api, simple: Json, timeout: Any) -> None:
    assert "timeout" in refused(api, 400, workflowId=simple["id"], timeout=timeout)


def test_a_start_block_leaves_out_what_is_before_it(api: Api) -> None:
    flow = api.create("from the middle", value("a"), value("b", "{{blocks.a}}"), value("c"))
    start = flow["blocks"][1]
    done = run(api, workflowId=flow["id"], startBlockId=start["id"])
    assert done["response"] == {"b": None, "c": 1}
    assert done["startBlock"] == start
    assert misfits(done, FINISHED) == []


def test_a_start_block_inside_a_branch_enters_it_whatever_the_condition(api: Api) -> None:
    flow = api.create(
        "in a branch", branch("1 == 1", [value("yes")], [value("no"), value("no2")]), value("z")
    )
    inner = flow["blocks"][0]["sequenceData"]["falseSequence"][1]
    assert run(api, workflowId=flow["id"], startBlockId=inner["id"])["response"] == {"no2": 1, "z": 1}


def test_a_start_block_inside_a_loop_is_where_the_first_round_begins(api: Api) -> None:
    flow = api.create("in a loop", loop([5, 6], [value("one", "{{item}}"), value("two", "{{item}}")]))
    inner = flow["blocks"][0]["sequenceData"]["sequence"][1]
    done = run(api, workflowId=flow["id"], startBlockId=inner["id"])
    assert done["response"] == {"loop": [{"two": 5}, {"one": 6, "two": 6}]}


def test_a_start_block_of_another_workflow_is_not_found(api: Api, simple: Json) -> None:
    elsewhere = api.create("elsewhere", value("x"))["blocks"][0]["id"]
    assert "`startBlockId`" in refused(api, 404, workflowId=simple["id"], startBlockId=elsewhere)


def test_a_batch_is_named_on_its_executions_and_counts_them(api: Api, simple: Json) -> None:
    made = {"name": "for one more", "workflowId": simple["id"], "rows": [{"n": 1}]}
    batch = api.call("/batches/create", made)["batch"]
    done = run(api, workflowId=simple["id"], params={"n": 2}, batchId=batch["id"])
    assert done["batch"] == {"id": batch["id"], "name": "for one more"}
    shown = api.call("/batches/get", {"id": batch["id"]})["batch"]
    assert (shown["total"], sum(shown["progress"].values())) == (1, 2)


def test_a_declared_parameter_can_be_required_or_have_a_default(api: Api) -> None:
    declared = [{"name": "city", "isRequired": True}, {"name": "days", "default": 3}]
    blocks = [value("city", "{{params.city}}"), value("days", "{{params.days}}")]
    flow = api.create("declared", *blocks, parameters=declared)
    assert "params.city" in refused(api, 400, workflowId=flow["id"])
    done = run(api, workflowId=flow["id"], params={"city": "Bern"})
    assert done["response"] == {"city": "Bern", "days": 3}
    assert run(api, workflowId=flow["id"], params={"city": "Bern", "days": 9})["response"]["days"] == 9


def test_the_value_of_a_secret_parameter_does_not_leave_the_run(api: Api) -> None:
    blocks = [value("x", "{{params.pin}}"), fail("it was {{params.pin}}")]
    flow = api.create("hush", *blocks, parameters=[{"name": "pin", "isSecret": True}])
    done = run(api, workflowId=flow["id"], params={"pin": "canary-4711"})
    assert done["status"] == "Failed"
    reported = [
        done[name] for name in ("response", "truncatedResponse", "errorAnalysis", "summary", "context")
    ]
    reported.append(httpx2.get(done["responseFile"]["downloadUrl"]).text)
    assert "canary-4711" not in json.dumps([*reported, api.events(done["id"])])


def test_an_output_expression_replaces_the_response(api: Api) -> None:
    blocks = [value("a", 2), value("b", 3)]
    whole = api.create(
        "output", *blocks, output={"sum": ["{{blocks.a}}", "{{blocks.b}}"], "as": "b={{blocks.b}}"}
    )
    assert run(api, workflowId=whole["id"])["response"] == {"sum": [2, 3], "as": "b=3"}
    plain = api.create("plain output", *blocks, output="{{blocks.b}}")
    assert run(api, workflowId=plain["id"])["response"] == {"output": 3}


def test_outputs_of_nested_blocks_are_where_the_contract_says(api: Api) -> None:
    done = api.run(
        branch("1 == 1", [value("yes")], [value("no")]), loop([1, 2], [value("each", "{{item}}")]), wait(1)
    )
    assert done["response"] == {"yes": 1, "loop": [{"each": 1}, {"each": 2}]}


def test_a_repeat_with_the_same_key_is_the_same_execution(api: Api, simple: Json) -> None:
    fields = {"workflowId": simple["id"], "params": {"n": 3}}
    first, second = (
        api.call("/workflows/executeSync", fields, headers={"Idempotency-Key": "runs-1"})["execution"]
        for _ in range(2)
    )
    assert second["id"] == first["id"]
    other_body = api.post(
        "/workflows/executeSync", {**fields, "params": {"n": 4}}, headers={"Idempotency-Key": "runs-1"}
    )
    assert other_body.status_code == 409
    assert "Idempotency-Key" in other_body.json()["error"]
    other_key = api.call("/workflows/executeSync", fields, headers={"Idempotency-Key": "runs-2"})["execution"]
    assert other_key["id"] != first["id"]


def test_a_key_of_one_organization_means_nothing_in_another(api: Api, other: Api) -> None:
    ids = [
        caller.call(
            "/workflows/executeSync",
            {"workflowName": "same key"},
            headers={"Idempotency-Key": "shared"},
        )["execution"]["id"]
        for caller in (api, other)
        if caller.create("same key", value("x"))
    ]
    assert len(set(ids)) == 2


@pytest.mark.parametrize("key", ["", "x" * 256, "with space", "tab\there"])
def test_an_idempotency_key_must_be_visible_text(api: Api, simple: Json, key: str) -> None:
    answer = api.post(
        "/workflows/executeSync", {"workflowId": simple["id"]}, headers={"Idempotency-Key": key}
    )
    assert answer.status_code == 400
    assert "Idempotency-Key" in answer.json()["error"]


def test_every_answer_carries_a_request_id(api: Api) -> None:
    mine = api.post("/executions/list", {}, headers={"X-Request-Id": "mine-42"})
    assert mine.headers["x-request-id"] == "mine-42"
    answers = [api.post("/executions/list"), api.post("/nowhere"), api.post("/executions/get", {"id": 1})]
    ids = [answer.headers["x-request-id"] for answer in answers]
    assert len(set(ids)) == 3
    assert all(re.fullmatch(r"req_[0-9a-z]{26}", execution_id) for execution_id in ids)
    odd = api.post("/executions/list", {}, headers={"X-Request-Id": "a b<script>"})
    assert odd.headers["x-request-id"].startswith("req_")


@pytest.mark.slow
def test_a_long_run_sends_white_space_ahead_of_its_answer(service: RunningService, api: Api) -> None:
    flow = api.create("long", wait(16_000), value("x"))
    chunks: list[bytes] = []
    came: list[float] = []
    began = time.monotonic()
    with httpx2.stream(
        "POST", f"{service.url}/workflows/executeSync", json={"workflowId": flow["id"]}, timeout=120
    ) as answer:
        assert answer.status_code == 200
        for chunk in answer.iter_raw():
            chunks.append(chunk)
            came.append(time.monotonic() - began)
    assert chunks[0].strip() == b""
    assert came[0] >= 14.5
    done = json.loads(b"".join(chunks))["execution"]
    assert (done["status"], done["response"]) == ("Completed", {"x": 1})
    assert misfits(done, FINISHED) == []


@pytest.mark.slow
def test_a_client_that_goes_away_does_not_stop_the_run(service: RunningService, api: Api) -> None:
    flow = api.create("left alone", wait(1500), value("x"))
    with pytest.raises(httpx2.ReadTimeout):
        httpx2.post(f"{service.url}/workflows/executeSync", json={"workflowId": flow["id"]}, timeout=0.8)
    [left] = api.call("/executions/list", {"workflowId": flow["id"]})["executions"]
    assert api.wait_for(left["id"], "Completed", "Failed")["response"] == {"x": 1}


def test_a_browser_gives_the_execution_its_session(api: Api, site: Site) -> None:
    done = api.run(navigate(site.page("/", "<title>T</title>hello")), fail("enough"))
    assert done["status"] == "Failed"
    assert isinstance(done["sessionId"], str)
    assert done["browserSessionId"].startswith("bs_")


def test_the_summary_says_what_was_not_found(api: Api, site: Site) -> None:
    page = site.page("/gaps", "<h1>Bill</h1><ul><li><b>a</b><li><b>b</b></ul>")
    names = {"b": {"locator": {"css": "b"}}, "price": {"locator": {"css": ".price"}}}
    rows = {"type": "Extract", "locator": {"css": "li"}, "data": {"many": True, "fields": names}}
    block = {
        "type": "Extract",
        "data": {"fields": {"total": {"locator": {"css": "#total"}}}, "timeoutMs": 300},
    }
    done = api.run(navigate(page), {**rows, "blockReferenceId": "rows"}, {**block, "blockReferenceId": "one"})
    assert done["status"] == "Completed"
    assert "(`rows`): `price` is missing in every row." in done["summary"]
    assert "(`one`): `total` was not found on the page." in done["summary"]


def test_a_frame_alone_is_refused_where_an_element_is_needed(api: Api) -> None:
    blocks = [{"type": "Mouse", "locator": {"frame": "inner"}, "data": {}}]
    answer = api.post("/workflows/create", {"name": "frame alone", "blocks": blocks})
    assert answer.status_code == 400
    assert "`locator.frame` alone names a frame" in answer.json()["error"]

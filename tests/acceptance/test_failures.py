"""What a failed execution tells programs: a stable code, the block, the locator, who cancelled it."""

from typing import Any

import pytest

from support.blocks import fail, navigate, value, wait
from support.service import Api, Json
from support.site import Site


def failure(api: Api, *blocks: Json, **more: Any) -> Json:
    done = api.run(*blocks, **more)
    assert done["status"] == "Failed"
    return done["failure"]


def test_a_completed_one_has_none(api: Api) -> None:
    assert api.run(value("x"))["failure"] is None


@pytest.mark.parametrize(
    ("block", "code"),
    [
        (value("a", "{{params.missing}}"), "WorkflowError"),
        ({"type": "Wait", "blockReferenceId": "a", "data": {"durationMs": "{{params.word}}"}}, "BadData"),
        ({"type": "CodeV2", "blockReferenceId": "a", "data": {"code": "1 / 0"}}, "WorkflowError"),
        (
            {"type": "If", "blockReferenceId": "a", "data": {"condition": {"prompt": "Is it?"}}},
            "ModelNeeded",
        ),
    ],
)
def test_the_code_says_what_kind_of_failure_it_is(api: Api, block: Json, code: str) -> None:
    shown = failure(api, block, params={"word": "soon"})
    assert (shown["code"], shown["blockReferenceId"]) == (code, "a")
    assert shown["message"]
    assert shown["cancelled"] is None


def test_fail_on_condition_is_a_failure_of_its_own(api: Api) -> None:
    assert failure(api, fail("The account is closed."))["code"] == "ConditionMet"


def test_an_element_that_is_not_there_comes_with_its_locator(api: Api, site: Site) -> None:
    page = site.page("/nothing", "<h1>Nothing to click</h1>")
    click = {
        "type": "Mouse",
        "blockReferenceId": "go",
        "locator": {"role": "button", "text": "Go"},
        "data": {"timeoutMs": 300},
    }
    shown = failure(api, navigate(page), click)
    assert shown["code"] == "ElementNotFound"
    assert shown["locator"] == {"role": "button", "text": "Go"}
    assert shown["blockId"].startswith("block_")


def test_out_of_time_and_cancelled_are_kept_apart(api: Api) -> None:
    assert failure(api, wait(5000), timeout=0.3)["code"] == "OutOfTime"
    flow = api.create("to be cancelled", wait(60_000))
    running = api.call("/workflows/execute", {"workflowId": flow["id"]})["execution"]
    ended = api.call("/executions/cancel", {"id": running["id"]})["execution"]
    assert ended["failure"]["code"] == "Cancelled"
    assert set(ended["failure"]["cancelled"]) == {"by", "at"}
    [item] = api.call("/executions/list", {"search": [running["id"]]})["executions"]
    assert item["failure"] == ended["failure"]
    assert (item["endTime"], item["durationMs"]) == (ended["endTime"], ended["durationMs"])

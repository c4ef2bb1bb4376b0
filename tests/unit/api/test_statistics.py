"""`/statistics/…`, `/organization/…`, `/demo/…` and the list of kinds: what the console shows first."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from pagehand.api.app import create_app
from pagehand.api.scopes import SCOPES
from pagehand.blocks.base import Block
from pagehand.clock import now_ms
from pagehand.records import Event, ExecutionFailure, Status

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio

DAY_MS = 86_400_000


async def test_statistics_count_what_runs_waits_and_failed_and_leave_tests_out(api: "Api") -> None:
    await api.add_ended()
    failure = ExecutionFailure(code="ElementNotFound", message="No element matches `Save`.")
    failed = await api.add_ended({"status": Status.FAILED, "failure": failure})
    await api.add_ended({"status": Status.FAILED}, is_test=True)
    await api.add_running()
    await api.add_running({"status": Status.PAUSED})
    await api.add_execution()
    figures = (await api.post("/statistics/get", {"days": 3})).json()["statistics"]
    assert (figures["running"], figures["waiting"], figures["enqueued"]) == (1, 1, 1)
    assert figures["failedLastDay"] == 1
    assert len(figures["days"]) == 3
    today = figures["days"][-1]
    assert (today["completed"], today["failed"], today["other"]) == (1, 1, 3)
    [workflow] = figures["workflows"]
    assert (workflow["successRate"], workflow["medianDurationMs"]) == (0.5, 1000)
    [shown] = figures["failures"]
    assert (shown["executionId"], shown["reason"]) == (failed.id, "No element matches `Save`.")
    assert shown["screenshotUrl"] is None


async def test_failure_is_shown_with_the_last_picture_of_its_page(api: "Api") -> None:
    failed = await api.add_ended({"status": Status.FAILED, "error_analysis": "It broke."})
    keys = [f"{failed.organization_id}/{failed.id}/p{seq}" for seq in (1, 2)]
    await api.services.stores.events.add(
        [
            Event(execution_id=failed.id, seq=seq, at=seq, type="t", message="m", screenshot_key=key)
            for seq, key in enumerate(keys, 1)
        ]
    )
    [shown] = (await api.post("/statistics/get")).json()["statistics"]["failures"]
    token = shown["screenshotUrl"].partition("?t=")[2]
    assert api.services.signer.open(token).resource == keys[1]
    assert shown["reason"] == "It broke."


async def test_failure_of_two_days_ago_is_not_one_of_the_last_day(api: "Api") -> None:
    at = now_ms() - 2 * DAY_MS
    await api.add_ended({"status": Status.FAILED}, accepted_at=at, start_time=at)
    figures = (await api.post("/statistics/get", {"days": 1})).json()["statistics"]
    assert figures["failedLastDay"] == 0
    assert [(day["failed"], day["completed"]) for day in figures["days"]] == [(0, 0)]
    assert len(figures["failures"]) == 1


@pytest.mark.parametrize("days", [0, 91, "7", 1.5])
async def test_days_are_1_to_90(api: "Api", days: object) -> None:
    answer = await api.post("/statistics/get", {"days": days})
    assert (answer.status_code, "days" in answer.json()["error"]) == (400, True)


async def test_statistics_of_another_organization_are_its_own(api: "Api") -> None:
    await api.add_ended()
    figures = (await api.post("/statistics/get", x_api_key=await api.create_key("other"))).json()[
        "statistics"
    ]
    assert (figures["workflows"], figures["failures"], figures["healed"]) == ([], [], 0)


async def test_model_usage_sums_what_executions_have_spent(api: "Api") -> None:
    usage = {"calls": 2, "inputTokens": 100, "outputTokens": 20, "costUsd": 0.25}
    for _ in range(2):
        await api.add_running({"metadata": {"modelUsage": usage}})
    await api.add_execution()
    spent = (await api.post("/statistics/modelUsage")).json()["modelUsage"]
    assert (spent["executions"], spent["calls"], spent["costUsd"]) == (2, 4, 0.5)
    assert (spent["inputTokens"], spent["outputTokens"]) == (200, 40)
    nothing = (await api.post("/statistics/modelUsage", x_api_key=await api.create_key("other"))).json()
    assert (nothing["modelUsage"]["calls"], nothing["modelUsage"]["since"]) == (0, None)


async def test_proxy_of_the_organization_is_shown_without_its_password_and_taken_away(api: "Api") -> None:
    key = await api.create_key("one")
    address = "socks5://me:correct-horse@proxy.example.com:1080"
    answer = await api.post("/organization/update", {"proxy": f" {address} "}, x_api_key=key)
    assert answer.status_code == 200, answer.text
    assert "correct-horse" not in answer.text
    shown = (await api.post("/organization/get", x_api_key=key)).json()["organization"]
    assert (shown["name"], "proxy.example.com:1080" in shown["proxy"]) == ("one", True)
    kept = (await api.post("/organization/update", {}, x_api_key=key)).json()["organization"]
    assert kept == shown
    gone = (await api.post("/organization/update", {"proxy": ""}, x_api_key=key)).json()["organization"]
    assert gone["proxy"] is None
    assert (await api.post("/organization/get")).json()["organization"]["proxy"] is None


@pytest.mark.parametrize("proxy", ["proxy.example.com", "ftp://proxy.example.com", "http://", 5])
async def test_address_that_is_not_a_proxy_is_refused(api: "Api", proxy: object) -> None:
    answer = await api.post("/organization/update", {"proxy": proxy})
    assert (answer.status_code, "proxy" in answer.json()["error"]) == (400, True), answer.text


async def test_key_without_admin_changes_nothing_for_everybody(api: "Api") -> None:
    key = await api.create_key("one", [scope for scope in SCOPES if scope != "admin"])
    answer = await api.post("/organization/update", {"proxy": ""}, x_api_key=key)
    assert (answer.status_code, "`admin`" in answer.json()["error"]) == (403, True)


async def test_without_a_demo_there_is_none_to_break(api: "Api") -> None:
    assert (await api.post("/demo/get")).json() == {"demo": None}
    answer = await api.post("/demo/break", {"isBroken": True})
    assert (answer.status_code, "--demo" in answer.json()["error"]) == (404, True)


@dataclass
class Demo:
    """What `serve` hands the API of the portal beside it."""

    organization_id: str
    workflow_id: str
    url: str = "http://127.0.0.1:8701"
    is_broken: bool = False

    def set_broken(self, is_broken: bool, /) -> None:
        self.is_broken = is_broken


async def test_demo_is_shown_and_broken_for_its_own_organization_only(api: "Api") -> None:
    demo = Demo(await api.organization_id(), (await api.create_workflow("Demo"))["id"])
    app = create_app(replace(api.services, demo=demo))
    api.client._transport.app = app  # pyright: ignore[reportAttributeAccessIssue, reportPrivateUsage] - the same client over the app with a demo
    newest = await api.add_ended(workflow_id=demo.workflow_id)
    shown = (await api.post("/demo/get")).json()["demo"]
    assert shown == {
        "url": demo.url,
        "workflowId": demo.workflow_id,
        "executionId": newest.id,
        "isBroken": False,
    }
    broken = (await api.post("/demo/break", {"isBroken": True})).json()["demo"]
    assert (broken["isBroken"], demo.is_broken) == (True, True)
    other = await api.create_key("other")
    assert (await api.post("/demo/get", x_api_key=other)).json() == {"demo": None}
    refused = await api.post("/demo/break", {"isBroken": False}, x_api_key=other)
    assert (refused.status_code, demo.is_broken) == (404, True)


async def test_every_kind_is_described_for_forms(api: "Api") -> None:
    answer = (await api.post("/workflows/blocks/kinds")).json()
    kinds = {kind["type"]: kind for kind in answer["kinds"]}
    assert len(kinds) == len(api.services.kinds)
    # the most used come first, the rest by what people call it
    rest = [kind.type for kind in api.services.kinds if kind.menu_position == Block.menu_position]
    labels = [kind["label"] for kind in answer["kinds"]]
    assert labels[-len(rest) :] == sorted(kinds[kind]["label"] for kind in rest)
    assert len(labels) > len(rest)
    for kind in kinds.values():
        assert kind["purpose"].endswith((".", "!")), kind["type"]
        assert "\n" not in kind["purpose"]
        assert kind["data"]["type"] == "object"
        assert kind["group"] in ("page", "flow", "data", "documents", "outside")
    assert kinds["LoopV2"]["sequences"] == ["sequence"]
    assert kinds["If"]["sequences"] == ["trueSequence", "falseSequence"]
    # what the kind is about comes first, what many kinds share last
    fields = list(kinds["Mouse"]["data"]["properties"])
    assert fields.index("isCommit") > fields.index("action")

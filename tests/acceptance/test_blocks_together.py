"""How blocks work together in a run: conditions, skipping, transformers, loops, outputs."""

import time
from typing import Any

import pytest

from support.blocks import branch, loop, navigate, value
from support.service import FINAL, Api, Json
from support.site import Site

PAGE = """
<h1>Orders</h1>
<ul><li>One</li><li>Two</li><li style="display:none">Three</li></ul>
<label><input type=checkbox checked id=terms> Terms</label> <button disabled>Send</button>
<input id=name value=Ada> <p id=late></p>
<script>setTimeout(() => { document.querySelector('#late').textContent = 'Ready now' }, 700)</script>
"""


def judged(condition: Any) -> Json:
    return branch(condition, [value("yes", True)], [value("no", True)])


@pytest.fixture
def page(site: Site) -> str:
    return site.page("/", PAGE)


@pytest.mark.parametrize(
    ("element", "state", "more", "holds"),
    [
        ("h1", "visible", {}, True),
        ("li:last-child", "visible", {}, False),
        ("li:last-child", "hidden", {}, True),
        ("li:last-child", "exists", {}, True),
        (".absent", "exists", {}, False),
        (".absent", "hidden", {}, True),
        ("button", "disabled", {}, True),
        ("button", "enabled", {}, False),
        (".absent", "enabled", {}, False),
        ("#terms", "checked", {}, True),
        ("#terms", "unchecked", {}, False),
        ("h1", "textContains", {"value": "{{params.word}}"}, True),
        ("h1", "textContains", {"value": "Invoices"}, False),
        ("#name", "textContains", {"value": "Ad"}, True),
        ("#name", "textContains", {"value": "Bo"}, False),
        ("#name", "valueEquals", {"value": "Ada"}, True),
        ("#name", "valueEquals", {"value": "Ad"}, False),
        ("li", "count>2", {}, True),
        ("li", "count>=4", {}, False),
        ("li", "count=3", {}, True),
        ("li", "count<3", {}, False),
        (".absent", "count<=0", {}, True),
    ],
)
def test_element_conditions(
    api: Api, page: str, element: str, state: str, more: Json, *, holds: bool
) -> None:
    condition = {"element": {"css": element}, "state": state, **more}
    ended = api.run(navigate(page), judged(condition), params={"word": "Order"})
    assert ended["response"] == ({"yes": True} if holds else {"no": True}), ended["errorAnalysis"]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("params.n > 3", True),
        ('params["n"] > 4', False),
        ({"url": "*/"}, True),
        ({"url": "/elsewhere"}, False),
    ],
)
def test_expressions_and_addresses(api: Api, page: str, condition: Any, *, holds: bool) -> None:
    ended = api.run(navigate(page), judged(condition), params={"n": 4})
    assert ended["response"] == ({"yes": True} if holds else {"no": True}), ended["errorAnalysis"]


def test_a_prompt_without_a_model_says_what_to_set(api: Api) -> None:
    ended = api.run(judged({"prompt": "Is it nice?"}))
    assert "PAGEHAND_MODEL" in ended["errorAnalysis"]


def test_waiting_for_a_condition(api: Api, page: str) -> None:
    ready = {"element": {"css": "#late"}, "state": "textContains", "value": "Ready"}
    ended = api.run(
        navigate(page), {"type": "WaitForCondition", "data": {"condition": ready}}, value("after")
    )
    assert ended["response"] == {"after": 1}


def test_what_is_not_present_is_skipped_and_reads_null(api: Api, page: str) -> None:
    missing: Json = {
        "type": "Extract",
        "blockReferenceId": "gone",
        "skipIfNotPresent": True,
        "locator": {"css": ".absent"},
        "data": {"timeoutMs": 300, "fields": {"x": {}}, "schema": {"required": ["x"]}},
    }
    click = {
        "type": "Mouse",
        "blockReferenceId": "click",
        "skipIfNotPresent": True,
        "locator": {"role": "button", "text": "Send"},
        "data": {"timeoutMs": 300},
    }
    ended = api.run(navigate(page), missing, click, value("seen", "{{blocks.gone}}"))
    assert (ended["status"], ended["response"]) == ("Completed", {"seen": None})
    skipped = [
        event["blockReferenceId"] for event in api.events(ended["id"]) if event["type"] == "block.skipped"
    ]
    assert skipped == ["gone", "click"]


@pytest.mark.parametrize(
    "function",
    [
        "lambda output, context: output + context['params']['n']",
        "def f(output, context):\n    return output + context.params.n",
        "(output, context) => output + context.params.n",
        "function (output, context) { return output + context.params.n }",
    ],
)
def test_a_transformer_replaces_the_output(api: Api, function: str) -> None:
    ended = api.run({**value("sum", 40), "transformerFn": function}, params={"n": 2})
    assert ended["response"] == {"sum": 42}, ended["errorAnalysis"]


def test_a_failing_transformer_fails_its_block(api: Api) -> None:
    ended = api.run({**value("sum", 40), "transformerFn": "lambda output, context: output.nope()"})
    assert ended["status"] == "Failed"
    assert "`sum`" in ended["errorAnalysis"]


def test_a_loop_reads_the_round_before_until_the_block_runs_again(api: Api) -> None:
    blocks = [value("before", "{{blocks.now}}"), value("now", "{{item}}")]
    ended = api.run(loop([1, 2, 3], blocks))
    assert [item["before"] for item in ended["response"]["loop"]] == [None, 1, 2]


def test_a_branch_not_taken_reads_null_in_later_rounds(api: Api) -> None:
    blocks = [branch("item == 1", [value("only", "{{item}}")], []), value("seen", "{{blocks.only}}")]
    ended = api.run(loop([1, 2], blocks))
    assert ended["response"]["loop"] == [{"only": 1, "seen": 1}, {"seen": None}]


def test_a_failed_run_keeps_the_rounds_it_had(api: Api) -> None:
    stop = {"type": "FailOnCondition", "data": {"condition": "item == 3", "message": "no {{item}}"}}
    ended = api.run(value("first"), loop([1, 2, 3, 4], [value("x", "{{item}}"), stop]))
    assert ended["status"] == "Failed"
    assert "no 3" in ended["errorAnalysis"]
    assert ended["response"] == {"first": 1, "loop": [{"x": 1}, {"x": 2}, {"x": 3}]}


def test_leaving_a_loop_that_is_not_there_fails_plainly(api: Api) -> None:
    ended = api.run({"type": "ExitFromLoop", "data": {}})
    assert ended["status"] == "Failed"
    assert "outside any loop" in ended["errorAnalysis"]


@pytest.mark.slow
def test_a_pause_stops_the_clock_of_a_wait(api: Api) -> None:
    workflow = api.create("pausing", {"type": "Wait", "data": {"durationMs": 1500, "timeoutMs": 2500}})
    execution = api.start(workflow["id"])
    api.wait_for(execution["id"], "InProgress")
    api.call("/executions/pause", {"id": execution["id"]})
    api.wait_for(execution["id"], "Paused")
    time.sleep(3)
    api.call("/executions/resume", {"id": execution["id"]})
    ended = api.wait_for(execution["id"], *FINAL)
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert ended["durationMs"] > 4000


@pytest.mark.slow
def test_a_block_that_takes_too_long_says_so(api: Api) -> None:
    ended = api.run({"type": "Wait", "name": "Nap", "data": {"durationMs": 60_000, "timeoutMs": 500}})
    assert ended["status"] == "Failed"
    assert "`Nap` did not finish within its 0.5 s" in ended["errorAnalysis"]


def test_declared_parameters_have_defaults_and_are_demanded(api: Api) -> None:
    declared = [{"name": "greeting", "default": "Hello"}, {"name": "who", "isRequired": True}]
    workflow = api.create(
        "declared", value("said", "{{params.greeting}} {{params.who}}"), parameters=declared
    )
    fields = {"workflowId": workflow["id"]}
    ended = api.call("/workflows/executeSync", {**fields, "params": {"who": "Ada"}})["execution"]
    assert ended["response"] == {"said": "Hello Ada"}
    refused = api.post("/workflows/executeSync", fields)
    assert (refused.status_code, "params.who" in refused.text) == (400, True)
    refused = api.post("/batches/create", {**fields, "name": "b", "rows": [{"who": "Ada"}, {}]})
    assert (refused.status_code, "rows[1].who" in refused.text) == (400, True)


class TestRetries:
    """A login that allows them, and a site that is down at first."""

    def login(self, api: Api, site: Site) -> str:
        fields = "<input name=user><input type=password name=pw><button>Sign in</button>"
        site.page("/in", f"<form action=/home>{fields}</form>")
        site.page("/home", "<p id=who>Welcome</p>")
        login = {
            "name": "Retrying",
            "authenticationUrl": f"{site.url}/in",
            "homeUrl": f"{site.url}/home",
            "loginConfiguration": {"username": "ada", "password": "secret-pw"},
            "autoRetryOnServiceDown": True,
            "autoRetryMaxAttempts": 2,
            "autoRetryDelayMinutes": 0,
        }
        return api.call("/logins/create", login)["login"]["id"]

    @pytest.mark.slow
    def test_a_site_that_is_down_is_tried_again(self, api: Api, site: Site) -> None:
        login = self.login(api, site)
        site.page("/data", "busy", status=503)
        workflow = api.create("retries", navigate(f"{site.url}/data"), value("done"))
        execution = api.start(workflow["id"], loginId=login)
        end = time.monotonic() + 30
        while "/data" not in site.hits:
            assert time.monotonic() < end, api.get(execution["id"])
            time.sleep(0.02)
        site.page("/data", "fine")
        ended = api.wait_for(execution["id"], *FINAL)
        assert (ended["status"], ended["totalAttempts"]) == ("Completed", 3), ended["errorAnalysis"]
        assert ended["attempts"] >= 2
        assert "execution.retried" in [event["type"] for event in api.events(execution["id"])]

    @pytest.mark.slow
    def test_attempts_run_out(self, api: Api, site: Site) -> None:
        login = self.login(api, site)
        site.page("/data", "busy", status=503)
        ended = api.run(navigate(f"{site.url}/data"), loginId=login)
        assert (ended["status"], ended["attempts"], ended["isLastAttempt"]) == ("Failed", 3, True)

    @pytest.mark.slow
    def test_a_block_that_fails_by_its_own_logic_is_not_tried_again(self, api: Api, site: Site) -> None:
        login = self.login(api, site)
        site.page("/data", "not here", status=404)
        ended = api.run(navigate(f"{site.url}/data"), loginId=login)
        assert (ended["status"], ended["attempts"]) == ("Failed", 1)

"""An agent works on a page: a scripted model, and everything else real."""

import json

import pytest

from support.blocks import navigate
from support.model import ModelReply, ModelRequest, ScriptedModel, is_report, ref, tool_call
from support.service import Api, Json
from support.site import Site

PAGE = """<!doctype html><title>Shop</title><h1>Find a product</h1>
<label>Search <input id=q></label> <button onclick="show()">Find</button>
<table hidden><caption>Products</caption><tr><th>Product<th>Price<tr><td id=name><td>12.50</table>
<script>function show() {
  document.querySelector('table').hidden = false;
  document.querySelector('#name').textContent = document.querySelector('#q').value; }</script>"""
SCHEMA: Json = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"product": {"type": "string"}, "price": {"type": "number"}},
        "required": ["product", "price"],
    },
}


def buyer(asked: ModelRequest) -> ModelReply:
    """Types a lamp, finds it, reads the table."""
    if is_report(asked):
        return ModelReply("The model has seen it.")
    if "table" in asked.last:
        return tool_call("done", message="Found it", result=[{"product": "Lamp", "price": 12.5}])
    if "Input" in asked.last:
        return tool_call("Mouse", ref=ref(asked, "Find"))
    return tool_call("Input", ref=ref(asked, "Search"), value="Lamp")


def multistep(**data: object) -> Json:
    return {"type": "Multistep", "blockReferenceId": "agent", "data": data}


@pytest.mark.slow
def test_the_agent_reaches_its_goal_with_page_blocks(smart: Api, model: ScriptedModel, site: Site) -> None:
    site.page("/", PAGE)
    model.script = buyer
    goal = "Search for {{params.what}} and read the products"
    execution = smart.run(
        navigate(site.url + "/"), multistep(goal=goal, schema=SCHEMA), params={"what": "Lamp"}
    )
    assert execution["errorAnalysis"] == ""
    assert execution["response"]["agent"] == [{"product": "Lamp", "price": 12.5}]
    assert execution["metadata"]["modelUsage"]["calls"] == 4


@pytest.mark.slow
def test_every_step_is_an_event_and_a_message_in_the_thread(
    smart: Api, model: ScriptedModel, site: Site
) -> None:
    model.script = buyer
    goal = "Search for Lamp"
    execution = smart.run(navigate(site.page("/", PAGE)), multistep(goal=goal, schema=SCHEMA))
    events = smart.events(execution["id"])
    steps = [event["blockReferenceId"] for event in events if event["type"] == "block.finished"]
    assert steps == ["page", "agent_step_1", "agent_step_2", "agent_step_3", "agent"]
    thread = smart.call("/agents/session/messages/list", {"id": execution["metadata"]["threadId"]})
    kept = [(message["role"], message["parts"][0]["text"]) for message in thread["messages"]]
    assert kept[0] == ("user", goal)
    assert [role for role, _ in kept[1:]] == ["assistant", "tool", "assistant", "tool", "assistant"]
    assert "Lamp" in kept[1][1]


def run(api: Api, workflow: Json, **params: str) -> Json:
    fields = {"workflowId": workflow["id"], "params": params}
    return api.call("/workflows/executeSync", fields)["execution"]


@pytest.mark.slow
def test_the_second_run_repeats_the_steps_with_its_own_values_and_no_model(
    smart: Api, model: ScriptedModel, site: Site
) -> None:
    model.script = buyer
    block = multistep(goal="Search for {{params.what}}", schema=SCHEMA)
    workflow = smart.create("shop", navigate(site.page("/", PAGE)), block)
    run(smart, workflow, what="Lamp")
    [entry] = smart.call("/workflows/cache/list", {"workflowId": workflow["id"]})["entries"]
    assert entry["kind"] == "steps"
    assert "Lamp" not in str(entry)
    model.requests.clear()
    second = run(smart, workflow, what="Table")
    assert second["response"]["agent"] == [{"product": "Table", "price": 12.5}]
    assert model.requests == []


@pytest.mark.slow
def test_steps_that_no_longer_fit_are_worked_out_anew(smart: Api, model: ScriptedModel, site: Site) -> None:
    model.script = buyer
    workflow = smart.create("shop", navigate(site.page("/", PAGE)), multistep(goal="Lamp", schema=SCHEMA))
    run(smart, workflow)
    model.requests.clear()
    site.page("/", PAGE.replace(">Find<", ">Look up<"))
    model.script = lambda asked: buyer(
        ModelRequest(json.loads(json.dumps(asked.body).replace("Look up", "Find")))
    )
    assert run(smart, workflow)["response"]["agent"] == [{"product": "Lamp", "price": 12.5}]
    assert len(model.block_requests) == 3


@pytest.mark.slow
def test_the_steps_can_be_kept_as_ordinary_blocks(smart: Api, model: ScriptedModel, site: Site) -> None:
    model.script = buyer
    workflow = smart.create("shop", navigate(site.page("/", PAGE)), multistep(goal="Lamp", schema=SCHEMA))
    execution = run(smart, workflow)
    [finished] = [event for event in smart.events(execution["id"]) if event["type"] == "agent.finished"]
    edit = {"workflowId": workflow["id"], "operations": finished["data"]["operations"]}
    blocks = smart.call("/workflows/blocks/update", edit)["blocks"]
    assert [block["type"] for block in blocks] == ["Navigate", "Input", "Mouse", "Extract"]
    model.requests.clear()
    assert next(iter(reversed(run(smart, workflow)["response"].values()))) == [
        {"product": "Lamp", "price": 12.5}
    ]
    assert model.requests == []


@pytest.mark.slow
def test_giving_up_and_running_out_of_steps_are_failures_with_the_reason(
    smart: Api, model: ScriptedModel, site: Site
) -> None:
    url = site.page("/", PAGE)
    model.reply_with(tool_call("give_up", reason="there is no basket"))
    gave_up = smart.run(navigate(url), multistep(goal="Open the basket"))
    assert "there is no basket" in gave_up["errorAnalysis"]
    model.script = lambda asked: ModelReply("seen") if is_report(asked) else tool_call("Wait", durationMs=1)
    late = smart.run(navigate(url), multistep(goal="Wait", maxSteps=2))
    assert "not reached within 2 steps" in late["errorAnalysis"]


@pytest.mark.slow
def test_a_result_that_does_not_fit_the_schema_is_sent_back(
    smart: Api, model: ScriptedModel, site: Site
) -> None:
    right = [{"product": "Lamp", "price": 1}]
    model.reply_with(
        tool_call("done", message="ok", result="nothing"), tool_call("done", message="ok", result=right)
    )
    execution = smart.run(navigate(site.page("/", PAGE)), multistep(goal="Lamp", schema=SCHEMA))
    assert execution["response"]["agent"] == right
    assert "does not fit" in model.block_requests[1].last


@pytest.mark.slow
def test_a_tool_that_fails_is_reported_to_the_model(smart: Api, model: ScriptedModel, site: Site) -> None:
    model.reply_with(
        tool_call("Mouse", ref="e999"), tool_call("Fly"), tool_call("done", message="ok", result=None)
    )
    execution = smart.run(navigate(site.page("/", PAGE)), multistep(goal="Look around"))
    assert execution["status"] == "Completed", execution["errorAnalysis"]
    assert "`e999`" in model.block_requests[1].last
    assert "There is no tool `Fly`" in model.block_requests[2].last


def test_with_vision_the_agent_sees_the_page(smart: Api, model: ScriptedModel, site: Site) -> None:
    model.reply_with(tool_call("done", message="ok", result=None))
    smart.run(navigate(site.page("/", PAGE)), multistep(goal="Look around", useVision=True))
    assert model.requests[0].images == 1


def test_without_a_model_the_agent_says_what_to_set(api: Api, site: Site) -> None:
    execution = api.run(navigate(site.page("/", PAGE)), multistep(goal="Look around"))
    assert "PAGEHAND_MODEL" in execution["errorAnalysis"]


def test_without_a_page_the_agent_has_nowhere_to_work(smart: Api, model: ScriptedModel) -> None:
    model.reply_with()
    execution = smart.run(multistep(goal="Look around"))
    assert "allowedDomains" in execution["errorAnalysis"]

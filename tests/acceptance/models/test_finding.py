"""Elements that a model finds: fields by words, moved elements, and what the recovery agent may do."""

import pytest

from support.blocks import navigate
from support.model import ModelReply, ModelRequest, ScriptedModel, is_report, ref, structured_reply, tool_call
from support.service import Api, Json
from support.site import Site

FORM = """<!doctype html><form onsubmit="return false">
<div><span>Where shall it go</span> <input id=x1></div>
<div><span>Who pays</span> <input id=x2></div>
<button id=go onclick="done.textContent = x1.value + '|' + x2.value">Save</button></form><p id=done></p>"""
READ: Json = {
    "type": "Extract",
    "blockReferenceId": "read",
    "data": {"fields": {"text": {"locator": {"css": "#done"}}}},
}


def run(api: Api, workflow: Json, **params: str) -> Json:
    fields = {"workflowId": workflow["id"], "params": params}
    return api.call("/workflows/executeSync", fields)["execution"]


def click(**locator: str) -> Json:
    return {"type": "Mouse", "name": "Save it", "locator": locator, "data": {"timeoutMs": 6000}}


def second_field(asked: ModelRequest) -> ModelReply:
    """The reference of the page's second text box."""
    boxes = [line for line in asked.last.splitlines() if "textbox" in line]
    return structured_reply({"ref": boxes[1].split("[ref=")[1].split("]")[0]})


def infer(prompt: str, value: str) -> Json:
    data = {"key": "", "mode": "aiInference", "prompt": prompt, "inputType": "TextInput", "value": value}
    return {"type": "Input", "data": {**data, "timeoutMs": 4000}}


@pytest.mark.slow
def test_a_field_by_words_is_the_models_once_and_then_nobodys(
    smart: Api, model: ScriptedModel, site: Site
) -> None:
    model.script = lambda asked: ModelReply("seen") if is_report(asked) else second_field(asked)
    workflow = smart.create(
        "pay",
        navigate(site.page("/", FORM)),
        infer("the person invoiced", "{{params.who}}"),
        click(css="#go"),
        READ,
    )
    first = run(smart, workflow, who="Ada")
    assert first["response"]["read"] == {"text": "|Ada"}, first["errorAnalysis"]
    assert "the person invoiced" in model.block_requests[0].instructions
    assert "Ada" not in model.block_requests[0].prompt
    model.requests.clear()
    assert run(smart, workflow, who="Grace")["response"]["read"] == {"text": "|Grace"}
    assert model.requests == []


@pytest.mark.slow
def test_a_field_the_model_does_not_see_is_the_blocks_failure(
    smart: Api, model: ScriptedModel, site: Site
) -> None:
    model.reply_with(structured_reply({"ref": None}))
    execution = smart.run(navigate(site.page("/", FORM)), infer("the moon's phase", "full"))
    assert execution["status"] == "Failed"


@pytest.mark.slow
def test_a_moved_element_is_found_kept_proposed_and_applied_on_a_word(
    smart: Api, model: ScriptedModel, site: Site
) -> None:
    model.script = lambda asked: (
        ModelReply("seen") if is_report(asked) else structured_reply({"ref": ref(asked, "Save")})
    )
    workflow = smart.create("save", navigate(site.page("/", FORM)), click(css="#gone"), READ)
    first = run(smart, workflow)
    assert first["status"] == "Completed", first["errorAnalysis"]
    events = {event["type"]: event for event in smart.events(first["id"])}
    assert events["locator.healed"]["data"]["by"] == "model"
    model.requests.clear()
    assert run(smart, workflow)["status"] == "Completed"
    assert model.requests == []

    assert smart.call("/workflows/get", {"id": workflow["id"]})["workflow"]["version"] == 1
    [proposal] = first["metadata"]["proposedOperations"]
    assert proposal["block"]["locator"] == {"role": "button", "text": "Save"}
    blocks = smart.call("/executions/applyProposal", {"id": first["id"]})["blocks"]
    assert blocks[1]["locator"]["text"] == "Save"
    assert smart.call("/workflows/get", {"id": workflow["id"]})["workflow"]["version"] == 2


def test_without_a_proposal_there_is_nothing_to_apply(smart: Api, site: Site) -> None:
    execution = smart.run(navigate(site.page("/", FORM)))
    assert smart.post("/executions/applyProposal", {"id": execution["id"]}).status_code == 409
    assert smart.post("/executions/applyProposal", {"id": "exec_none"}).status_code == 404


@pytest.mark.slow
def test_the_models_word_is_not_taken_for_what_could_do_harm(
    smart: Api, model: ScriptedModel, site: Site
) -> None:
    page = "<!doctype html><button onclick=\"fetch('/deleted')\">Delete everything</button>"
    model.script = lambda asked: (
        ModelReply("seen") if is_report(asked) else structured_reply({"ref": ref(asked, "Delete everything")})
    )
    execution = smart.run(navigate(site.page("/", page)), click(css="#save"))
    assert execution["status"] == "Failed"
    assert "/deleted" not in site.hits


OVERLAY = """<!doctype html><div role=dialog aria-modal=true aria-label=News
 style="position:fixed;inset:0;background:white"><p>Subscribe!</p>
 <button aria-label=Close onclick="this.parentElement.remove()">x</button></div>
<button id=go onclick="done.textContent='saved'">Save</button><p id=done></p>"""


def recovering(block: Json) -> Json:
    return {**block, "useWorkflowRecoveryAgent": True}


@pytest.mark.slow
def test_recovery_closes_what_lies_over_the_page_without_a_model(api: Api, site: Site) -> None:
    block = {**click(css="#go"), "data": {"timeoutMs": 1500}}
    url = site.page("/", OVERLAY)
    assert api.run(navigate(url), block)["status"] == "Failed"
    execution = api.run(navigate(url), recovering(block), READ)
    assert execution["response"]["read"] == {"text": "saved"}, execution["errorAnalysis"]
    assert "recovery.succeeded" in [event["type"] for event in api.events(execution["id"])]


HIDDEN_MENU = """<!doctype html><button onclick="menu.hidden=false">More</button>
<div id=menu hidden><button id=go onclick="done.textContent='saved'">Save</button></div><p id=done></p>"""


@pytest.mark.slow
def test_recovery_with_a_model_clears_the_way_and_the_block_is_done_again(
    smart: Api, model: ScriptedModel, site: Site
) -> None:
    def script(asked: ModelRequest) -> ModelReply:
        if is_report(asked):
            return ModelReply("seen")
        if "Mouse" in asked.last:
            return tool_call("done", message="The menu is open", result={"ref": None})
        return tool_call("Mouse", ref=ref(asked, "More"))

    model.script = script
    block = recovering({**click(css="#go"), "data": {"timeoutMs": 1500}})
    execution = smart.run(navigate(site.page("/", HIDDEN_MENU)), block, READ)
    assert execution["response"]["read"] == {"text": "saved"}, execution["errorAnalysis"]
    assert "Save it" in model.requests[0].instructions
    assert "proposedOperations" not in execution["metadata"]
    messages = smart.call("/agents/session/messages/list", {"id": execution["metadata"]["threadId"]})
    assert [message["role"] for message in messages["messages"]] == ["assistant", "tool", "assistant"]


@pytest.mark.slow
def test_recovery_may_not_type_leave_or_do_harm(smart: Api, model: ScriptedModel, site: Site) -> None:
    page = "<!doctype html><button onclick=\"fetch('/paid')\">Pay now</button>"

    def script(asked: ModelRequest) -> ModelReply:
        if is_report(asked):
            return ModelReply("seen")
        if "find one element" in asked.instructions.lower():
            return structured_reply({"ref": None})
        assert set(asked.tools) == {"Mouse", "Hover", "ClosePopup", "Wait", "done", "give_up"}
        if "may not be undone" in asked.last:
            return tool_call("give_up", reason="I was not allowed to")
        return tool_call("Mouse", ref=ref(asked, "Pay now"))

    model.script = script
    block = recovering({**click(css="#go"), "data": {"timeoutMs": 1500}})
    execution = smart.run(navigate(site.page("/", page)), block)
    assert execution["status"] == "Failed"
    assert "/paid" not in site.hits

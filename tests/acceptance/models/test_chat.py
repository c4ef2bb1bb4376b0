"""Chat with a model: asked only where the grammar refuses, its blocks checked like anybody's."""

import pytest

from support.model import ScriptedModel, structured_reply
from support.service import Api

FREE = "Buy the cheapest lamp there is"
BUY = {"type": "Mouse", "locator": {"role": "button", "text": "Buy"}, "data": {"action": "click"}}
NONSENSE = {"type": "Mouse", "data": {"action": "juggle"}}


@pytest.mark.slow
def test_free_words_become_the_models_blocks_and_are_mended_once(smart: Api, model: ScriptedModel) -> None:
    model.reply_with(structured_reply({"blocks": [NONSENSE]}), structured_reply({"blocks": [BUY]}))
    flow = smart.create("chat")
    made = smart.call("/workflows/blocks/chat", {"workflowId": flow["id"], "message": FREE})
    assert [(block["type"], block["locator"]) for block in made["blocks"]] == [
        ("Mouse", {"role": "button", "text": "Buy", "strict": True})
    ]
    messages = smart.call("/agents/session/messages/list", {"id": made["threadId"]})["messages"]
    assert messages[0]["parts"][0]["text"] == FREE


def test_plain_words_make_no_model_call(smart: Api, model: ScriptedModel) -> None:
    model.reply_with()
    flow = smart.create("chat")
    made = smart.call("/workflows/blocks/chat", {"workflowId": flow["id"], "message": "Wait 2 seconds"})
    assert made["blocks"][0]["data"] == {"durationMs": 2000}
    assert model.requests == []


def test_a_models_refusal_is_the_answer(smart: Api, model: ScriptedModel) -> None:
    model.reply_with(structured_reply({"blocks": [], "refusal": "No page was named."}))
    thread = smart.call("/agents/session/create")["thread"]["id"]
    new = smart.call("/agents/session/messages/send", {"id": thread, "message": FREE})["messages"]
    assert "No page was named." in new[1]["parts"][0]["text"]

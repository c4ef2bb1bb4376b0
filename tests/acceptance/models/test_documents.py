"""Documents and knowledge with a model: asked only where structure does not tell, its answers checked."""

import base64

from support.model import ModelReply, ScriptedModel, structured_reply
from support.service import Api, Json

LETTER = "Dear Ada, we are glad to tell you that we pay you back four hundred euros for case K-7."
SCHEMA: Json = {
    "type": "object",
    "properties": {"amount": {"type": "number"}, "case": {"type": "string"}},
    "required": ["amount", "case"],
}


def parse(api: Api, text: str = LETTER, **data: object) -> Json:
    content = base64.b64encode(text.encode()).decode()
    file = api.call("/files/upload", {"name": "letter.txt", "contentBase64": content})["file"]
    return api.run(
        {"type": "ParseDocument", "blockReferenceId": "read", "data": {"file": file["id"], **data}}
    )


def test_free_text_gets_the_shape_of_a_schema(smart: Api, model: ScriptedModel) -> None:
    model.reply_with(structured_reply({"amount": 400, "case": "K-7"}))
    execution = parse(smart, schema=SCHEMA)
    assert execution["response"]["read"] == {"amount": 400, "case": "K-7"}, execution["errorAnalysis"]
    assert LETTER in model.requests[0].last
    assert "What the schema asks for." in model.requests[0].instructions


def test_a_document_with_structure_needs_no_model(smart: Api, model: ScriptedModel) -> None:
    execution = parse(smart, "Amount: 400\nCase: K-7\n", schema=SCHEMA)
    assert execution["response"]["read"] == {"amount": 400, "case": "K-7"}, execution["errorAnalysis"]
    assert model.block_requests == []


def test_an_answer_that_does_not_fit_is_asked_for_once_more_and_then_refused(
    smart: Api, model: ScriptedModel
) -> None:
    model.reply_with(structured_reply({"amount": "much"}), structured_reply({"amount": "much"}))
    execution = parse(smart, schema=SCHEMA)
    assert execution["status"] == "Failed"
    assert "does not fit the schema" in execution["errorAnalysis"]
    assert len(model.block_requests) == 2


def test_without_a_schema_the_prompt_is_answered_in_words(smart: Api, model: ScriptedModel) -> None:
    model.reply_with(ModelReply("Four hundred euros."))
    execution = parse(smart, prompt="How much is paid back?")
    assert execution["response"]["read"] == "Four hundred euros."
    assert "How much is paid back?" in model.requests[0].instructions


def query(api: Api, **data: object) -> Json:
    api.call("/knowledge/create", {"name": "Terms", "text": "Pumps carry a warranty of five years."})
    api.call(
        "/knowledge/create", {"name": "Prices", "text": "Pumps cost ninety euros; the warranty is free."}
    )
    block = {"query": "warranty of pumps", **data}
    return api.run({"type": "QueryKnowledgeBase", "blockReferenceId": "found", "data": block})


def test_an_answer_from_knowledge_cites_the_passages_it_rests_on(smart: Api, model: ScriptedModel) -> None:
    model.reply_with(structured_reply({"answer": "Five years.", "citations": [1, 1]}))
    execution = query(smart, prompt="How long is the warranty?", topK=2)
    found = execution["response"]["found"]
    assert found["answer"] == "Five years."
    [cited] = found["citations"]
    asked = model.requests[0]
    assert f"[1] {cited['document']['name']}\n{cited['text']}" in asked.last
    assert "How long is the warranty?" in asked.instructions


def test_a_citation_of_what_was_never_shown_is_refused(smart: Api, model: ScriptedModel) -> None:
    model.reply_with(structured_reply({"answer": "Nine years.", "citations": [9]}))
    execution = query(smart, prompt="How long is the warranty?", topK=2)
    assert execution["status"] == "Failed"
    assert "cites passages that it was not shown" in execution["errorAnalysis"]


def test_what_the_passages_do_not_say_is_answered_with_nothing(smart: Api, model: ScriptedModel) -> None:
    model.reply_with(structured_reply({"answer": None, "citations": []}))
    execution = query(smart, prompt="Who founded the house?", topK=2)
    assert execution["response"]["found"] == {"answer": None, "citations": []}

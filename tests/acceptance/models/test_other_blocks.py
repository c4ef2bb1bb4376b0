"""Generate, conditions and search with a model; reports that it adds to."""

import pytest

from support.blocks import fail, navigate, value
from support.model import ModelReply, ScriptedModel, structured_reply
from support.service import Api, Json
from support.site import Site

ORDER: Json = {"type": "object", "properties": {"no": {"type": "string"}}, "required": ["no"]}


def generate(**data: object) -> Json:
    return {"type": "ExtractFromInput", "blockReferenceId": "made", "data": data}


def test_free_text_gets_the_shape_of_a_schema(smart: Api, model: ScriptedModel) -> None:
    model.reply_with(structured_reply({"no": "A-17"}))
    execution = smart.run(
        generate(inputText="We got your order, it is A-17.", prompt="the order", schema=ORDER)
    )
    assert execution["response"]["made"] == {"no": "A-17"}
    assert "We got your order" in model.requests[0].last


def test_text_with_structure_needs_no_model(smart: Api, model: ScriptedModel) -> None:
    execution = smart.run(generate(inputText="no: A-17", prompt="the order", schema=ORDER))
    assert execution["response"]["made"] == {"no": "A-17"}
    assert model.requests == []


def test_without_a_schema_the_model_writes(smart: Api, model: ScriptedModel) -> None:
    model.reply_with(ModelReply("Dear Ada, thank you."))
    execution = smart.run(generate(inputText="Ada paid", prompt="A friendly answer"))
    assert execution["response"]["made"] == "Dear Ada, thank you."


def condition(prompt: str) -> Json:
    return {
        "type": "If",
        "data": {"condition": {"prompt": prompt}},
        "sequenceData": {"trueSequence": [value("yes")], "falseSequence": [value("no")]},
    }


@pytest.mark.slow
def test_a_condition_by_prompt_is_judged_by_the_page(smart: Api, model: ScriptedModel, site: Site) -> None:
    url = site.page("/", "<!doctype html><p>Your claim was denied.")
    model.reply_with(structured_reply({"holds": True, "reason": "it says denied"}))
    execution = smart.run(
        navigate(url), condition("The {{params.what}} was denied"), params={"what": "claim"}
    )
    assert list(execution["response"]) == ["yes"]
    assert "The claim was denied" in model.requests[0].instructions
    assert "Your claim was denied." in model.requests[0].last


@pytest.mark.slow
def test_the_same_condition_about_an_unchanged_page_is_asked_once(
    smart: Api, model: ScriptedModel, site: Site
) -> None:
    url = site.page("/", "<!doctype html><p>Nothing yet.")
    model.reply_with(structured_reply({"holds": False}))
    wait = {
        "type": "WaitForCondition",
        "data": {"condition": {"prompt": "It is done"}, "timeoutMs": 1500, "pollMs": 100},
    }
    execution = smart.run(navigate(url), wait)
    assert execution["status"] == "Failed"
    assert len(model.block_requests) == 1


def test_a_search_result_is_picked_by_prompt(smart: Api, model: ScriptedModel, site: Site) -> None:
    first, two = site.page("/one", "<h1>One"), site.page("/two", "<h1>Two")
    other = site.url.replace("127.0.0.1", "localhost")
    results = f"<a href='{first}'>A shop</a> <a href='{two}'>The annual report</a>"
    site.page("/search", f"<!doctype html>{results}")
    model.reply_with(structured_reply({"number": 1}))
    block = {
        "type": "SearchAndNavigate",
        "data": {
            "query": "acme",
            "engine": f"{other}/search?q={{query}}",
            "pick": {"prompt": "the annual report"},
        },
    }
    code = {"language": "javascript", "code": "() => location.pathname"}
    where = {"type": "CodeV2", "blockReferenceId": "at", "data": code}
    execution = smart.run(block, where)
    assert execution["response"]["at"] == "/two", execution["errorAnalysis"]
    assert "1. The annual report" in model.requests[0].last


def test_the_model_adds_its_view_to_the_analysis_of_a_failure(
    smart: Api, model: ScriptedModel, site: Site
) -> None:
    model.reply_with()
    execution = smart.run(navigate(site.page("/", "<h1>Sold out")), fail("It is sold out"))
    assert execution["errorAnalysis"].startswith("It is sold out\nBlock: `FailOnCondition`")
    assert execution["errorAnalysis"].endswith("The model's view: The model has seen it.")
    assert "Sold out" in model.requests[0].last


@pytest.mark.slow
def test_a_report_does_not_depend_on_the_model(smart: Api, model: ScriptedModel, site: Site) -> None:
    model.script = lambda _: ModelReply(status=400)
    execution = smart.run(navigate(site.page("/", "<h1>Sold out")), fail("It is sold out"))
    assert "It is sold out" in execution["errorAnalysis"]
    assert "The model's view" not in execution["errorAnalysis"]


def test_a_run_without_a_question_asks_nothing_for_its_summary(smart: Api, model: ScriptedModel) -> None:
    assert smart.run(value("x"))["status"] == "Completed"
    assert model.requests == []


def test_a_run_that_asked_gets_a_story(smart: Api, model: ScriptedModel) -> None:
    model.reply_with(ModelReply("Hello"))
    execution = smart.run(generate(inputText="Ada", prompt="greet"))
    assert execution["summary"].endswith("The model has seen it.")
    assert execution["metadata"]["modelUsage"]["calls"] == 2

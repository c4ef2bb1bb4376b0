"""Extract with a model: it is asked where values stand, and not again while that fits."""

import pytest

from support.blocks import navigate
from support.model import ModelReply, ScriptedModel, structured_reply
from support.service import Api, Json
from support.site import Site

SCHEMA: Json = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"patient": {"type": "string"}, "amount": {"type": "number"}},
        "required": ["patient", "amount"],
    },
}
PLAN: Json = {"rows": ".r", "fields": {"patient": {"css": ".a"}, "amount": {"css": ".b", "attribute": None}}}


def odd_page(*rows: tuple[str, str]) -> str:
    """Values whose names are nowhere on the page."""
    drawn = "".join(f"<div class=r><b class=a>{row}</b><i class=b>{two}</i></div>" for row, two in rows)
    return f"<!doctype html><title>x</title><main><h1>q</h1>{drawn}</main>"


def extract(**more: object) -> Json:
    return {"type": "Extract", "blockReferenceId": "claims", "data": {"schema": SCHEMA, **more}}


def run(api: Api, workflow: Json) -> Json:
    return api.call("/workflows/executeSync", {"workflowId": workflow["id"]})["execution"]


@pytest.fixture
def page(site: Site) -> str:
    return site.page("/claims/17", odd_page(("Ada", "$1,200.50"), ("Grace", "$7")))


@pytest.mark.slow
def test_the_model_says_where_values_stand_and_the_second_run_asks_nobody(
    smart: Api, model: ScriptedModel, site: Site, page: str
) -> None:
    model.reply_with(structured_reply(PLAN))
    workflow = smart.create("claims", navigate(page), extract(prompt="All claims"))
    first = run(smart, workflow)
    assert first["response"]["claims"] == [
        {"patient": "Ada", "amount": 1200.5},
        {"patient": "Grace", "amount": 7},
    ], first["errorAnalysis"]
    assert len(model.block_requests) == 1
    assert "Ada" in model.block_requests[0].last
    assert "All claims" in model.block_requests[0].instructions

    model.requests.clear()
    site.page("/claims/17", odd_page(("Edsger", "3"), ("Barbara", "4"), ("Alan", "5")))
    second = run(smart, workflow)
    assert [row["patient"] for row in second["response"]["claims"]] == ["Edsger", "Barbara", "Alan"]
    assert model.requests == []
    assert "modelUsage" not in second["metadata"]


@pytest.mark.slow
def test_a_changed_page_asks_once_more(smart: Api, model: ScriptedModel, site: Site, page: str) -> None:
    other = {"rows": "li", "fields": {"patient": {"css": "u"}, "amount": {"css": "s"}}}
    model.reply_with(structured_reply(PLAN), structured_reply(other))
    workflow = smart.create("claims", navigate(page), extract())
    run(smart, workflow)
    site.page("/claims/17", "<!doctype html><h1>q</h1><ul><li><u>Ada</u><s>1</s><li><u>Eve</u><s>2</s></ul>")
    second = run(smart, workflow)
    assert second["response"]["claims"] == [{"patient": "Ada", "amount": 1}, {"patient": "Eve", "amount": 2}]
    third = run(smart, workflow)
    assert third["response"] == second["response"]
    assert len(model.block_requests) == 2


@pytest.mark.slow
def test_what_is_kept_is_shown_holds_no_data_and_can_be_cleared(
    smart: Api, model: ScriptedModel, page: str
) -> None:
    model.reply_with(structured_reply(PLAN), structured_reply(PLAN))
    workflow = smart.create("claims", navigate(page), extract())
    run(smart, workflow)
    [entry] = smart.call("/workflows/cache/list", {"workflowId": workflow["id"]})["entries"]
    assert (entry["kind"], entry["madeBy"], entry["blockReferenceId"]) == ("extraction", "model", "claims")
    assert entry["page"].endswith("/claims/*")
    assert entry["plan"]["rows"] == ".r"
    assert "Ada" not in str(entry)
    cleared = smart.call("/workflows/cache/clear", {"workflowId": workflow["id"]})
    assert cleared["cleared"] >= 1
    assert smart.call("/workflows/cache/list", {"workflowId": workflow["id"]}) == {"entries": [], "total": 0}
    run(smart, workflow)
    assert len(model.block_requests) == 2


@pytest.mark.slow
def test_editing_a_block_drops_what_it_and_those_after_it_kept(
    smart: Api, model: ScriptedModel, page: str
) -> None:
    model.reply_with(structured_reply(PLAN), structured_reply(PLAN))
    workflow = smart.create("claims", navigate(page), extract(), navigate(page, "last"))
    run(smart, workflow)
    after = {"type": "update", "block": {"blockReferenceId": "last", "data": {"url": page + "?x"}}}
    smart.call("/workflows/blocks/update", {"workflowId": workflow["id"], "operations": [after]})
    run(smart, workflow)
    assert len(model.block_requests) == 1
    before = {"type": "update", "block": {"blockReferenceId": "page", "data": {"url": page + "?y"}}}
    smart.call("/workflows/blocks/update", {"workflowId": workflow["id"], "operations": [before]})
    assert smart.call("/workflows/cache/list", {"workflowId": workflow["id"]})["total"] == 0
    run(smart, workflow)
    assert len(model.block_requests) == 2


@pytest.mark.slow
def test_a_block_that_is_not_cacheable_asks_every_time(smart: Api, model: ScriptedModel, page: str) -> None:
    model.reply_with(structured_reply(PLAN), structured_reply(PLAN))
    workflow = smart.create("claims", navigate(page), {**extract(), "isCacheable": False})
    run(smart, workflow)
    run(smart, workflow)
    assert len(model.block_requests) == 2


@pytest.mark.slow
def test_a_plan_that_does_not_fit_gives_way_to_the_data_itself(
    smart: Api, model: ScriptedModel, page: str
) -> None:
    wrong = {"rows": ".nothing", "fields": {"patient": {"css": "b"}, "amount": {"css": "i"}}}
    model.reply_with(structured_reply(wrong), structured_reply([{"patient": "Ada", "amount": 1200.5}]))
    execution = smart.run(navigate(page), extract())
    assert execution["response"]["claims"] == [{"patient": "Ada", "amount": 1200.5}]


@pytest.mark.slow
def test_nested_shapes_are_asked_for_as_data(smart: Api, model: ScriptedModel, page: str) -> None:
    schema = {
        "type": "object",
        "properties": {"sum": {"type": "object", "properties": {"euros": {"type": "number"}}}},
        "required": ["sum"],
    }
    model.reply_with(structured_reply({"sum": {"euros": 5}}))
    block = {"type": "Extract", "blockReferenceId": "it", "data": {"schema": schema}}
    assert smart.run(navigate(page), block)["response"]["it"] == {"sum": {"euros": 5}}


@pytest.mark.slow
def test_with_vision_the_model_sees_a_picture(smart: Api, model: ScriptedModel, page: str) -> None:
    model.reply_with(structured_reply(PLAN))
    smart.run(navigate(page), extract(useVision=True))
    assert model.requests[0].images == 1


@pytest.mark.slow
def test_the_models_failure_is_the_blocks_failure_with_the_reason(
    smart: Api, model: ScriptedModel, page: str
) -> None:
    model.reply_with(ModelReply(status=401))
    execution = smart.run(navigate(page), extract())
    assert execution["status"] == "Failed"
    assert "The model did not answer" in execution["errorAnalysis"]
    assert "401" in execution["errorAnalysis"]


def test_structure_is_tried_first_and_its_plan_is_kept_too(
    smart: Api, model: ScriptedModel, site: Site
) -> None:
    table = "<table><caption>Claims</caption><tr><th>Patient<th>Amount<tr><td>Ada<td>5</table>"
    workflow = smart.create("table", navigate(site.page("/t", f"<!doctype html>{table}")), extract())
    first = run(smart, workflow)
    assert first["response"]["claims"] == [{"patient": "Ada", "amount": 5}]
    [entry] = smart.call("/workflows/cache/list", {"workflowId": workflow["id"]})["entries"]
    assert entry["madeBy"] == "structure"
    assert run(smart, workflow)["response"] == first["response"]
    assert model.requests == []

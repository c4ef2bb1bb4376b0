"""Workflows are checked when they are kept, and what they declare is held to when they run."""

from typing import Any

from support.blocks import value, wait
from support.service import Api, Json


def refusal(api: Api, path: str, body: Json) -> str:
    answer = api.post(path, body)
    assert answer.status_code == 400, answer.text
    return answer.json()["error"]


def test_a_mistake_is_refused_and_a_doubt_reported(api: Api) -> None:
    message = refusal(api, "/workflows/create", {"name": "x", "blocks": [value("a", "{{blocks.none}}")]})
    assert "block `a`, `data.input`" in message
    made = api.call(
        "/workflows/create", {"name": "x", "blocks": [value("a", code="blocks['b']"), value("b")]}
    )
    [warning] = made["warnings"]
    assert (warning["blockReferenceId"], warning["field"]) == ("a", "data.code")
    assert api.call("/workflows/create", {"name": "y", "blocks": [value("a")]})["warnings"] == []


def test_a_block_that_others_name_stays_until_they_do_not(api: Api) -> None:
    flow = api.create("named", value("table"), value("sum", "{{blocks.table}}"))
    edit: Json = {"workflowId": flow["id"], "operations": [{"type": "delete", "blockId": "table"}]}
    assert "which this edit deletes" in refusal(api, "/workflows/blocks/update", edit)
    edit["operations"].append({"type": "delete", "blockId": "sum"})
    assert api.call("/workflows/blocks/update", edit) == {"blocks": [], "version": 2, "warnings": []}


def test_update_and_import_check_as_well(api: Api) -> None:
    flow = api.create("to update", value("a", "{{params.n}}"))
    message = refusal(api, "/workflows/update", {"id": flow["id"], "parameters": [{"name": "m"}]})
    assert "declares no parameter `n`" in message
    assert "`output`" in refusal(api, "/workflows/update", {"id": flow["id"], "output": "{{blocks.b}}"})
    portable = api.call("/workflows/export", {"id": flow["id"]})["workflow"]
    portable["blocks"][0]["data"]["code"] = "input +"
    assert "not valid Python" in refusal(api, "/workflows/import", {"workflow": portable})


def test_declared_parameters_are_held_to(api: Api) -> None:
    parameters = [
        {"name": "day", "type": "date", "isRequired": True},
        {"name": "size", "enum": ["S", "L"], "default": "S"},
    ]
    blocks = [value("day", "{{params.day}}"), value("size", "{{params.size}}")]
    flow = api.call("/workflows/create", {"name": "sizes", "blocks": blocks, "parameters": parameters})
    run: dict[str, Any] = {"workflowId": flow["workflow"]["id"]}
    for params, words in (
        ({}, "`params.day` is missing"),
        ({"day": "soon"}, "`params.day`: expected an ISO 8601 date"),
        ({"day": "2026-01-31", "size": "XL"}, '`params.size`: expected one of "S", "L", got "XL"'),
    ):
        assert words in refusal(api, "/workflows/executeSync", {**run, "params": params})
    done = api.call("/workflows/executeSync", {**run, "params": {"day": "2026-01-31", "more": 1}})[
        "execution"
    ]
    assert done["response"] == {"day": "2026-01-31", "size": "S"}
    rows = {**run, "name": "b", "rows": [{"day": "2026-01-31"}, {"day": 5}]}
    assert "`rows[1].day`" in refusal(api, "/batches/create", rows)


def test_get_shows_what_a_workflow_takes_and_puts_out(api: Api) -> None:
    schema = {"type": "object", "properties": {"total": {"type": "number"}}}
    read = {"type": "Extract", "blockReferenceId": "bill", "data": {"schema": schema, "prompt": "the bill"}}
    flow = api.create("shapes", value("a", "{{params.city}} {{params.street}}"), read)
    shown = api.call("/workflows/get", {"id": flow["id"]})["workflow"]
    assert list(shown["inputSchema"]["properties"]) == ["city", "street"]
    assert shown["outputSchema"]["properties"]["bill"] == schema


def test_an_output_that_fails_blames_itself(api: Api) -> None:
    flow = api.call(
        "/workflows/create", {"name": "blame", "blocks": [wait(1)], "output": "{{params.missing}}"}
    )["workflow"]
    done = api.call("/workflows/executeSync", {"workflowId": flow["id"]})["execution"]
    assert done["status"] == "Failed"
    assert done["failure"]["blockReferenceId"] is None
    assert done["errorAnalysis"].startswith("The workflow's `output`: ")
    assert "picture" not in done["errorAnalysis"]


def test_every_schema_has_a_title_of_its_own(api: Api) -> None:
    schemas = api.http.get("/openapi.json").json()["components"]["schemas"]
    titles = [schema["title"] for schema in schemas.values() if "title" in schema]
    assert len(titles) == len(set(titles))


def test_a_loop_reads_outputs_of_the_round_before(api: Api) -> None:
    number = {"type": "Transform", "blockReferenceId": "n", "data": {"input": "{{index}}", "code": "input"}}
    done = api.run(
        {
            "type": "Loop",
            "blockReferenceId": "rounds",
            "data": {"over": {"while": "blocks.n != 2"}},
            "sequenceData": {"sequence": [number]},
        }
    )
    assert done["response"]["rounds"] == [{"n": 0}, {"n": 1}, {"n": 2}]

"""Finding executions: by workflow name, by tag names, in names; and what a retry says of its parent."""

import pytest

from support.blocks import value, wait
from support.service import Api, Json


@pytest.fixture(scope="module")
def flow(api: Api) -> Json:
    body = {"name": "filtered by name", "blocks": [value("x")], "tags": ["night shift", "north"]}
    return api.call("/workflows/create", body)["workflow"]


@pytest.fixture(scope="module")
def done(api: Api, flow: Json) -> Json:
    return api.call("/workflows/executeSync", {"workflowId": flow["id"], "name": "Invoice Harvest 7"})[
        "execution"
    ]


def found(api: Api, **filters: object) -> list[str]:
    return [execution["id"] for execution in api.call("/executions/list", filters)["executions"]]


def test_by_the_name_of_the_workflow(api: Api, done: Json) -> None:
    assert found(api, workflowName="filtered by name") == [done["id"]]
    assert found(api, workflowName="filtered by nam") == []
    assert found(api, workflowName="filtered by name", workflowId="wf_none") == []


def test_tags_by_name_and_by_id_together(api: Api, flow: Json, done: Json) -> None:
    north = next(tag["id"] for tag in flow["tags"] if tag["name"] == "north")
    assert found(api, tagFilters=["night shift", north]) == [done["id"]]
    listed = api.call("/workflows/list", {"tagFilters": ["night shift"]})["workflows"]
    assert [item["id"] for item in listed] == [flow["id"]]


def test_a_tag_name_that_does_not_exist_is_refused_and_an_id_matches_nothing(api: Api) -> None:
    answer = api.post("/executions/list", {"tagFilters": ["no such tag"]})
    assert answer.status_code == 400
    assert "`no such tag`" in answer.json()["error"]
    assert found(api, tagFilters=["tag_none"]) == []


def test_search_looks_in_the_name_too(api: Api, done: Json) -> None:
    assert found(api, search=["invoice harvest"]) == [done["id"]]


def test_search_terms_are_bounded(api: Api) -> None:
    for search in (["x"] * 51, ["x" * 201]):
        answer = api.post("/executions/list", {"search": search})
        assert answer.status_code == 400
        assert "`search" in answer.json()["error"]
    assert api.post("/executions/list", {"search": ["x" * 200] * 50}).status_code == 200


def test_a_retry_names_the_execution_it_repeats(api: Api, done: Json) -> None:
    retried = api.call("/executions/retry", {"id": done["id"]})["execution"]["execution"]
    assert retried["parentExecutionId"] == done["id"] == retried["metadata"]["retryOf"]


def test_a_run_starts_at_a_block_by_its_reference(api: Api) -> None:
    flow = api.create("in the middle", wait(60_000), value("late", 3))
    body = {"workflowId": flow["id"], "startBlockId": "late"}
    execution = api.call("/workflows/executeSync", body)["execution"]
    assert execution["response"] == {"late": 3}
    assert execution["startBlock"]["id"] == flow["blocks"][1]["id"]


def test_a_block_edit_answers_with_the_new_version(api: Api) -> None:
    flow = api.create("counted", value("x"))
    edit = {"workflowId": flow["id"], "operations": [{"type": "delete", "blockId": "x"}], "version": 1}
    assert api.call("/workflows/blocks/update", edit)["version"] == 2

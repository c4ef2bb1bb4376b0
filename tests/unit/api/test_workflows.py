from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio

NESTED = {
    "type": "Loop",
    "blockReferenceId": "loop",
    "data": {"over": {"times": 2}},
    "sequenceData": {"sequence": [{"type": "Wait", "data": {"durationMs": 1}, "blockReferenceId": "inner"}]},
}


async def test_created_workflow_is_shown_whole(api: "Api") -> None:
    parameters = [{"name": "pin", "isSecret": True}]
    made = await api.create_workflow("one", tags=["a", "b"], output="{{blocks.nap}}", parameters=parameters)
    assert made["id"].startswith("wf_")
    assert (made["version"], made["output"]) == (1, "{{blocks.nap}}")
    assert sorted(tag["name"] for tag in made["tags"]) == ["a", "b"]
    assert made["parameters"][0]["isSecret"] is True
    assert made["blocks"][0]["parentRelationship"]["blockDepth"] == 0
    assert (await api.post("/workflows/get", {"id": made["id"]})).json()["workflow"] == made


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"name": ""}, "name"),
        ({"name": 5}, "name"),
        ({"blocks": {}}, "blocks"),
        ({"blocks": ["x"]}, "blocks"),
        ({"blocks": [{"type": "Wait", "data": {"durationMS": 1}}]}, "durationMS"),
        ({"tags": [1]}, "tags"),
        ({"output": "{{7*7}}"}, "output"),
        ({"parameters": [{"name": "a b"}]}, "parameters"),
        ({"parameters": [{"name": "a"}, {"name": "a"}]}, "parameters"),
    ],
)
async def test_workflow_that_does_not_fit_is_refused(api: "Api", fields: dict[str, Any], word: str) -> None:
    answer = await api.post("/workflows/create", {"name": "x", **fields})
    assert answer.status_code == 400, answer.text
    assert word in answer.json()["error"]
    assert (await api.post("/workflows/list")).json()["total"] == 0


async def test_update_makes_a_version_and_a_stale_one_is_refused(api: "Api") -> None:
    made = await api.create_workflow("one", tags=["a"])
    changed = await api.post("/workflows/update", {"id": made["id"], "name": "two", "version": 1})
    assert (changed.json()["workflow"]["version"], changed.json()["workflow"]["name"]) == (2, "two")
    assert [tag["name"] for tag in changed.json()["workflow"]["tags"]] == ["a"]
    stale = await api.post("/workflows/update", {"id": made["id"], "name": "three", "version": 1})
    assert stale.status_code == 409


async def test_blocks_and_parameters_change_together_or_not_at_all(api: "Api") -> None:
    made = await api.create_workflow("one")
    nap = {"id": "block_mine", "type": "Wait", "data": {"durationMs": 5}}
    both: dict[str, Any] = {
        "id": made["id"],
        "version": 1,
        "blocks": [nap],
        "parameters": [{"name": "limit"}],
    }
    changed = (await api.post("/workflows/update", both)).json()["workflow"]
    assert changed["version"] == 2
    assert [block["id"] for block in changed["blocks"]] == ["block_mine"]
    assert [parameter["name"] for parameter in changed["parameters"]] == ["limit"]
    wrong = {"id": made["id"], "name": "two", "blocks": [{"type": "Wait", "data": {"durationMs": "soon"}}]}
    refused = await api.post("/workflows/update", wrong)
    assert refused.status_code == 400
    assert "`data.durationMs`" in refused.json()["error"]
    kept = (await api.post("/workflows/get", {"id": made["id"]})).json()["workflow"]
    assert (kept["version"], kept["name"]) == (2, "one")


async def test_empty_output_takes_it_away(api: "Api") -> None:
    made = await api.create_workflow("one", output="{{blocks.nap}}")
    kept = (await api.post("/workflows/update", {"id": made["id"], "output": None})).json()["workflow"]
    assert kept["output"] == "{{blocks.nap}}"
    gone = (await api.post("/workflows/update", {"id": made["id"], "output": ""})).json()["workflow"]
    assert gone["output"] is None


async def test_restore_brings_old_content_back_as_a_new_version(api: "Api") -> None:
    made = await api.create_workflow("one")
    await api.post("/workflows/update", {"id": made["id"], "name": "two"})
    restored = (await api.post("/workflows/restore", {"id": made["id"], "version": 1})).json()["workflow"]
    assert (restored["version"], restored["name"]) == (3, "one")
    versions = (await api.post("/workflows/versions", {"id": made["id"]})).json()
    assert [(version["version"], version["name"]) for version in versions["versions"]] == [
        (3, "one"),
        (2, "two"),
        (1, "one"),
    ]
    old = (await api.post("/workflows/get", {"id": made["id"], "version": 2})).json()["workflow"]
    assert old["name"] == "two"
    assert (await api.post("/workflows/restore", {"id": made["id"], "version": 9})).status_code == 404


async def test_export_imports_as_an_equal_workflow_with_ids_of_its_own(api: "Api") -> None:
    made = (await api.post("/workflows/create", {"name": "n", "blocks": [NESTED], "tags": ["t"]})).json()[
        "workflow"
    ]
    exported = (await api.post("/workflows/export", {"id": made["id"]})).json()["workflow"]
    assert exported["format"] == "pagehand.workflow/1"
    assert made["id"] not in str(exported)
    assert "block_" not in str(exported)
    imported = (await api.post("/workflows/import", {"workflow": exported, "name": "m"})).json()["workflow"]
    assert imported["id"] != made["id"]
    assert imported["blocks"][0]["id"] != made["blocks"][0]["id"]
    assert (await api.post("/workflows/export", {"id": imported["id"]})).json()["workflow"] == {
        **exported,
        "name": "m",
    }


async def test_import_of_another_format_is_refused(api: "Api") -> None:
    answer = await api.post("/workflows/import", {"workflow": {"format": "other", "name": "x", "blocks": []}})
    assert answer.status_code == 400
    assert "format" in answer.json()["error"]


async def test_duplicate_is_a_copy_under_another_name(api: "Api") -> None:
    made = await api.create_workflow("one")
    copy = (await api.post("/workflows/duplicate", {"id": made["id"]})).json()["workflow"]
    assert copy["name"] == "one (copy)"
    assert copy["id"] != made["id"]


async def test_copy_of_the_longest_name_can_be_carried_elsewhere(api: "Api") -> None:
    made = await api.create_workflow("x" * 1000)
    copy = (await api.post("/workflows/duplicate", {"id": made["id"]})).json()["workflow"]
    assert copy["name"] == "x" * 993 + " (copy)"
    exported = (await api.post("/workflows/export", {"id": copy["id"]})).json()["workflow"]
    imported = await api.post("/workflows/import", {"workflow": exported})
    assert imported.json()["workflow"]["name"] == copy["name"]


async def test_deleted_workflow_is_gone(api: "Api") -> None:
    made = await api.create_workflow("one")
    answer = await api.post("/workflows/delete", {"id": made["id"]})
    assert answer.json() == {"workflow": {"id": made["id"], "name": "one"}}
    for path in ("get", "delete", "update", "versions", "export", "duplicate"):
        assert (await api.post(f"/workflows/{path}", {"id": made["id"]})).status_code == 404, path


async def test_block_operations_apply_all_or_none(api: "Api") -> None:
    made = await api.create_workflow("one")
    create = {"type": "create", "block": NESTED}
    bad = {"type": "delete", "blockId": "block_none"}
    refused = await api.post(
        "/workflows/blocks/update", {"workflowId": made["id"], "operations": [create, bad]}
    )
    assert refused.status_code == 400
    assert "operations[1]" in refused.json()["error"]
    done = await api.post(
        "/workflows/blocks/update", {"workflowId": made["id"], "operations": [create], "version": 1}
    )
    assert [block["type"] for block in done.json()["blocks"]] == ["Wait", "LoopV2"]
    stale = await api.post(
        "/workflows/blocks/update", {"workflowId": made["id"], "operations": [], "version": 1}
    )
    assert stale.status_code == 409


async def test_unknown_workflow_comes_before_a_stale_version(api: "Api") -> None:
    answer = await api.post(
        "/workflows/blocks/update", {"workflowId": "wf_none", "operations": [], "version": 9}
    )
    assert answer.status_code == 404
    assert "`workflowId`" in answer.json()["error"]


async def test_list_finds_by_name_and_tag(api: "Api") -> None:
    first, second = await api.create_workflow("Alpha claim", tags=["x"]), await api.create_workflow("beta")
    found = (await api.post("/workflows/list", {"search": "CLAIM"})).json()
    assert [workflow["id"] for workflow in found["workflows"]] == [first["id"]]
    tagged = (await api.post("/workflows/list", {"tagFilters": [first["tags"][0]["id"]]})).json()
    assert tagged["total"] == 1
    everything = (await api.post("/workflows/list")).json()
    assert [workflow["id"] for workflow in everything["workflows"]] == [second["id"], first["id"]]


async def test_tags_are_made_renamed_and_deleted(api: "Api") -> None:
    tag = (await api.post("/tags/create", {"name": "red"})).json()["tag"]
    assert (await api.post("/tags/create", {"name": "red"})).json()["tag"] == tag
    renamed = await api.post("/tags/rename", {"id": tag["id"], "name": "blue"})
    assert renamed.json()["tag"] == {"id": tag["id"], "name": "blue"}
    assert (await api.post("/tags/list")).json() == {"tags": [{"id": tag["id"], "name": "blue"}], "total": 1}
    await api.post("/tags/create", {"name": "red"})
    assert (await api.post("/tags/rename", {"id": tag["id"], "name": "red"})).status_code == 409
    assert (await api.post("/tags/delete", {"id": tag["id"]})).json() == {"tag": {"id": tag["id"]}}
    assert (await api.post("/tags/delete", {"id": tag["id"]})).status_code == 404


async def test_chat_checks_what_it_is_about_and_asks_for_a_model(api: "Api") -> None:
    made = await api.create_workflow()
    for fields, status, word in (
        ({"message": "  "}, 400, "message"),
        ({"message": "x", "workflowId": "wf_none"}, 404, "workflowId"),
        ({"message": "x", "instructorExecutionId": "exec_none"}, 404, "instructorExecutionId"),
        ({"message": "Find the nicest hotel"}, 400, "PAGEHAND_MODEL"),
    ):
        answer = await api.post("/workflows/blocks/chat", {"workflowId": made["id"], **fields})
        assert (answer.status_code, word in answer.json()["error"]) == (status, True), answer.text


async def test_a_message_understood_in_part_is_refused_with_both_parts(api: "Api") -> None:
    made = await api.create_workflow()
    message = "Click Orders. Find the nicest hotel. Do not click Delete. Wait 2 seconds"
    answer = await api.post("/workflows/blocks/chat", {"workflowId": made["id"], "message": message})
    body = answer.json()
    assert (answer.status_code, set(body)) == (400, {"error", "understood", "notUnderstood"})
    clicked, waited = body["understood"]
    assert clicked["locator"] == {"text": "Orders", "strict": True}
    assert (waited["type"], waited["data"]) == ("Wait", {"durationMs": 2000})
    assert [(part["text"], part["position"]) for part in body["notUnderstood"]] == [
        ("Find the nicest hotel", 14),
        ("Do not click Delete", 37),
    ]
    assert set(body["notUnderstood"][0]) == {"text", "position", "reason", "suggestions"}
    assert (await api.post("/workflows/get", {"id": made["id"]})).json()["workflow"]["version"] == 1

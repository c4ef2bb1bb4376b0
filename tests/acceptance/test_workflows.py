"""Workflows and tags: create, get, list, update, delete, duplicate, versions, restore, export, import."""

import json
from typing import Any

import pytest

from support.blocks import branch, loop, value, wait
from support.service import Api, Json
from support.shapes import BLOCK, MOMENT, NAMED, WORKFLOW, ListOf, misfits


def get(api: Api, workflow_id: str, **fields: Any) -> Json:
    return api.call("/workflows/get", {"id": workflow_id, **fields})["workflow"]


def update(api: Api, workflow_id: str, **fields: Any) -> Json:
    return api.call("/workflows/update", {"id": workflow_id, **fields})["workflow"]


def listed(api: Api, **fields: Any) -> Json:
    return api.call("/workflows/list", fields)


def without_what_is_ours(workflow: Json) -> Json:
    """What a copy shares with its original."""
    text = json.dumps(workflow)
    for block in all_blocks(workflow["blocks"]):
        text = text.replace(block["id"], block["blockReferenceId"])
    kept = json.loads(text)
    return {name: kept[name] for name in ("blocks", "output", "parameters", "tags")}


def all_blocks(blocks: list[Json]) -> list[Json]:
    nested = [item for block in blocks for inner in block.get("sequenceData", {}).values() for item in inner]
    return blocks + (all_blocks(nested) if nested else [])


def rich(api: Api, name: str) -> Json:
    """A workflow with something of everything."""
    return api.create(
        name,
        loop([1], [branch("1 == 1", [value("yes", "{{params.city}}")], [])]),
        {"type": "Mouse", "locator": {"role": "button", "text": "Go"}, "data": {}, "skipIfNotPresent": True},
        tags=["kept", "also kept"],
        output={"all": "{{blocks.loop}}"},
        parameters=[{"name": "city", "description": "Where", "isRequired": False, "default": "Bern"}],
    )


def test_a_block_needs_only_type_and_data(api: Api) -> None:
    answer = api.call(
        "/workflows/create",
        {"name": "least", "blocks": [wait(1), {"type": "Wait", "data": {"durationMs": 2}}]},
    )
    assert list(answer) == ["workflow", "warnings"]
    made = answer["workflow"]
    assert misfits(made, WORKFLOW) == []
    assert (made["version"], made["tags"], made["output"], made["parameters"]) == (1, [], None, [])
    assert made["createdAt"] == made["updatedAt"]
    second = made["blocks"][1]
    assert second["blockReferenceId"] not in ("", "nap")
    assert (second["isCacheable"], second["skipIfNotPresent"], second["useWorkflowRecoveryAgent"]) == (
        True,
        False,
        False,
    )
    assert second["parentRelationship"] == {
        "blockDepth": 0,
        "positionInSequence": 1,
        "parentBlockId": None,
        "parentSequenceId": None,
    }
    assert get(api, made["id"]) == made


def test_a_workflow_may_begin_without_blocks(api: Api) -> None:
    made = api.call("/workflows/create", {"name": "empty"})["workflow"]
    assert (made["blocks"], made["version"]) == ([], 1)


def test_references_are_made_from_the_type_and_stay_unique(api: Api) -> None:
    nap = {"type": "Wait", "data": {"durationMs": 1}}
    made = api.create(
        "numbered",
        nap,
        {**nap, "blockReferenceId": "Wait_2"},
        nap,
        {"type": "Loop", "data": {"over": {"times": 1}}},
    )
    references = [block["blockReferenceId"] for block in made["blocks"]]
    assert len(set(references)) == 4
    assert references[0] == "Wait_1"
    assert made["blocks"][3]["type"] == "LoopV2"


def test_nested_blocks_know_their_parents(api: Api) -> None:
    made = rich(api, "nested")
    outer = made["blocks"][0]
    inner = outer["sequenceData"]["sequence"][0]
    leaf = inner["sequenceData"]["trueSequence"][0]
    assert inner["sequenceData"]["falseSequence"] == []
    assert leaf["parentRelationship"] == {
        "blockDepth": 2,
        "positionInSequence": 0,
        "parentBlockId": inner["id"],
        "parentSequenceId": "trueSequence",
    }
    assert inner["parentRelationship"]["parentSequenceId"] == "sequence"


@pytest.mark.parametrize(
    ("block", "named"),
    [
        ({"type": "Wait", "data": {"durationMs": 1, "duration": 2}}, "duration"),
        ({"type": "Mouse", "locator": {"txt": "Go"}, "data": {}}, "txt"),
        ({"type": "Wait", "data": {"durationMs": "soon"}}, "durationMs"),
        ({"type": "Navigate", "data": {}}, "url"),
        ({"type": "Teleport", "data": {}}, "Teleport"),
        ({"data": {}}, "type"),
        ({"type": "Wait", "data": {"durationMs": 1}, "blockReferenceId": "a b"}, "blockReferenceId"),
        ({"type": "Wait", "data": {"durationMs": 1}, "isCacheable": "yes"}, "isCacheable"),
        ({"type": "Wait", "data": {"durationMs": 1}, "sequenceData": {"sequence": [wait(1)]}}, "sequence"),
        ({"type": "Transform", "data": {"input": "{{7*7}}", "code": "input"}}, "{{7*7}}"),
        ("Wait", "blocks[0]"),
    ],
)
def test_a_block_that_does_not_fit_is_refused_by_name(api: Api, block: Any, named: str) -> None:
    before = listed(api)["total"]
    answer = api.post("/workflows/create", {"name": "bad", "blocks": [block]})
    assert answer.status_code == 400
    assert list(answer.json()) == ["error"]
    assert named in answer.json()["error"]
    assert listed(api)["total"] == before


def test_two_blocks_cannot_share_a_reference(api: Api) -> None:
    answer = api.post("/workflows/create", {"name": "bad", "blocks": [value("x"), loop([1], [value("x")])]})
    assert answer.status_code == 400
    assert "`x`" in answer.json()["error"]


def test_a_list_is_newest_first_searched_and_paged(api: Api) -> None:
    flows = [api.create(f"Shelf {n} of 100%", tags=["shelf", f"shelf-{n}"]) for n in range(3)]
    page = listed(api, search="sHELF")
    assert set(page) == {"workflows", "total"}
    assert misfits(page["workflows"], ListOf(WORKFLOW)) == []
    assert [workflow["id"] for workflow in page["workflows"]] == [flow["id"] for flow in reversed(flows)]
    assert listed(api, search="of 100%")["total"] == 3
    assert listed(api, search="%%")["total"] == 0
    part = listed(api, search="shelf", limit=1, offset=1)
    assert ([workflow["id"] for workflow in part["workflows"]], part["total"]) == ([flows[1]["id"]], 3)
    shelf, first = flows[0]["tags"] if flows[0]["tags"][0]["name"] == "shelf" else flows[0]["tags"][::-1]
    assert listed(api, tagFilters=[shelf["id"]])["total"] == 3
    assert [
        workflow["id"] for workflow in listed(api, tagFilters=[shelf["id"], first["id"]])["workflows"]
    ] == [flows[0]["id"]]
    assert listed(api, tagFilters=["tag_00000000000000000000000000"]) == {"workflows": [], "total": 0}


def test_an_update_changes_what_is_given_and_keeps_the_rest(api: Api) -> None:
    made = rich(api, "before")
    renamed = update(api, made["id"], name="after")
    assert misfits(renamed, WORKFLOW) == []
    assert (renamed["name"], renamed["version"]) == ("after", 2)
    assert {**renamed, "name": "", "version": 0, "updatedAt": ""} == {
        **made,
        "name": "",
        "version": 0,
        "updatedAt": "",
    }
    assert renamed["updatedAt"] >= made["updatedAt"]
    declared = [{"name": "city"}, {"name": "n"}]
    changed = update(api, made["id"], tags=["new"], output="{{blocks.loop}}", parameters=declared)
    assert [tag["name"] for tag in changed["tags"]] == ["new"]
    assert changed["output"] == "{{blocks.loop}}"
    assert [parameter["name"] for parameter in changed["parameters"]] == ["city", "n"]
    assert update(api, made["id"], tags=[])["tags"] == []
    assert get(api, made["id"])["version"] == 4


def test_a_stale_version_is_a_conflict(api: Api) -> None:
    made = api.create("stale", value("x"))
    update(api, made["id"], name="second", version=1)
    edits = {"workflowId": made["id"], "operations": [{"type": "create", "block": wait(1)}], "version": 1}
    for path, fields in (
        ("/workflows/update", {"id": made["id"], "name": "third", "version": 1}),
        ("/workflows/blocks/update", edits),
    ):
        answer = api.post(path, fields)
        assert answer.status_code == 409, path
        assert "`version`" in answer.json()["error"]
    assert (get(api, made["id"])["name"], get(api, made["id"])["version"]) == ("second", 2)


def test_versions_stay_readable_and_one_can_be_restored(api: Api) -> None:
    made = rich(api, "one")
    update(api, made["id"], name="two", output="{{params.city}}")
    api.call(
        "/workflows/blocks/update",
        {"workflowId": made["id"], "operations": [{"type": "replaceAll", "blocks": []}]},
    )
    answer = api.call("/workflows/versions", {"id": made["id"]})
    assert set(answer) == {"versions", "total"}
    shape = {"version": int, "name": str, "blockCount": int, "createdAt": MOMENT}
    assert misfits(answer["versions"], ListOf(shape)) == []
    reported = [
        (version["version"], version["name"], version["blockCount"]) for version in answer["versions"]
    ]
    assert reported == [(3, "two", 0), (2, "two", 4), (1, "one", 4)]
    part = api.call("/workflows/versions", {"id": made["id"], "limit": 1, "offset": 1})
    assert (part["versions"], part["total"]) == ([answer["versions"][1]], 3)
    assert get(api, made["id"], version=1)["blocks"] == made["blocks"]
    restored = api.call("/workflows/restore", {"id": made["id"], "version": 1})["workflow"]
    assert misfits(restored, WORKFLOW) == []
    assert (restored["version"], restored["name"], restored["output"]) == (4, "one", made["output"])
    assert restored["blocks"] == made["blocks"]
    for path in ("/workflows/get", "/workflows/restore"):
        missing = api.post(path, {"id": made["id"], "version": 99})
        assert missing.status_code == 404, path
        assert "`version`" in missing.json()["error"]


def test_a_running_execution_keeps_the_version_it_began_with(api: Api) -> None:
    made = api.create("running", wait(700), value("old"))
    started = api.start(made["id"])
    api.wait_for(started["id"], "InProgress")
    api.call(
        "/workflows/blocks/update",
        {"workflowId": made["id"], "operations": [{"type": "replaceAll", "blocks": [value("new")]}]},
    )
    assert api.wait_for(started["id"], "Completed", "Failed")["response"] == {"old": 1}


def test_a_copy_has_ids_of_its_own_and_the_same_content(api: Api) -> None:
    made = rich(api, "original")
    copies = [
        api.call("/workflows/duplicate", {"id": made["id"], "name": "copied"})["workflow"],
        api.call("/workflows/import", api.call("/workflows/export", {"id": made["id"]}))["workflow"],
    ]
    ids = {block["id"] for block in all_blocks(made["blocks"])}
    for copy in copies:
        assert misfits(copy, WORKFLOW) == []
        assert (copy["version"], copy["id"] != made["id"]) == (1, True)
        assert not ids & {block["id"] for block in all_blocks(copy["blocks"])}
        assert without_what_is_ours(copy) == without_what_is_ours(made)
    assert [copy["name"] for copy in copies] == ["copied", "original"]
    unnamed = api.call("/workflows/duplicate", {"id": made["id"]})["workflow"]
    assert unnamed["name"] not in ("", "original")


def test_an_export_carries_nothing_of_this_installation(api: Api) -> None:
    made = rich(api, "portable")
    portable = api.call("/workflows/export", {"id": made["id"]})["workflow"]
    content = {"format", "name", "blocks", "output", "parameters", "tags", "retrySafe", "pictures"}
    assert set(portable) == content
    assert (portable["format"], portable["tags"]) == ("pagehand.workflow/1", ["also kept", "kept"])
    text = json.dumps(portable)
    assert not [block["id"] for block in all_blocks(made["blocks"]) if block["id"] in text]
    assert made["id"] not in text
    renamed = api.call("/workflows/import", {"workflow": portable, "name": "elsewhere"})["workflow"]
    assert renamed["name"] == "elsewhere"
    broken = api.post("/workflows/import", {"workflow": {**portable, "format": "other/9"}})
    assert broken.status_code == 400
    assert "format" in broken.json()["error"]


def test_a_deleted_workflow_is_gone_but_its_executions_stay(api: Api) -> None:
    made = api.create("short-lived", value("x"))
    done = api.call("/workflows/executeSync", {"workflowId": made["id"]})["execution"]
    answer = api.call("/workflows/delete", {"id": made["id"]})
    assert answer == {"workflow": {"id": made["id"], "name": "short-lived"}}
    for path in ("get", "delete", "export", "duplicate", "versions"):
        assert api.post(f"/workflows/{path}", {"id": made["id"]}).status_code == 404, path
    assert api.get(done["id"])["workflow"] == {"id": made["id"], "name": "short-lived"}
    retry = api.post("/executions/retry", {"id": done["id"]})
    assert retry.status_code == 404
    assert listed(api, search="short-lived")["total"] == 0


def test_tags_are_made_once_renamed_everywhere_and_deleted(api: Api) -> None:
    tag = api.call("/tags/create", {"name": "Quarterly"})["tag"]
    assert misfits(tag, NAMED) == []
    assert api.call("/tags/create", {"name": "Quarterly"})["tag"] == tag
    flow = api.create("tagged", tags=["Quarterly"])
    assert flow["tags"] == [tag]
    renamed = api.call("/tags/rename", {"id": tag["id"], "name": "Monthly"})
    assert renamed == {"tag": {"id": tag["id"], "name": "Monthly"}}
    assert get(api, flow["id"])["tags"] == [renamed["tag"]]
    taken = api.call("/tags/create", {"name": "Taken"})["tag"]
    assert api.post("/tags/rename", {"id": taken["id"], "name": "Monthly"}).status_code == 409
    page = api.call("/tags/list", {"limit": 1000})
    assert set(page) == {"tags", "total"}
    names = [tag["name"] for tag in page["tags"]]
    assert names == sorted(names)
    assert page["total"] == len(names)
    assert api.call("/tags/list", {"limit": 1, "offset": 1})["tags"] == page["tags"][1:2]
    assert api.call("/tags/delete", {"id": tag["id"]}) == {"tag": {"id": tag["id"]}}
    assert get(api, flow["id"])["tags"] == []
    assert api.post("/tags/delete", {"id": tag["id"]}).status_code == 404


def test_blocks_have_the_fields_of_a_block_everywhere(api: Api) -> None:
    made = rich(api, "shapes")
    assert [found for block in all_blocks(made["blocks"]) for found in misfits(block, BLOCK)] == []

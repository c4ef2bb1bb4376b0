"""What can be known without a page is found alike by create, update, apply, import and `check`."""

import json
from typing import TYPE_CHECKING, Any

import pytest

from pagehand.blocks import kinds
from pagehand.cli.checking import check_file
from pagehand.workflow_files.positions import FileRefused
from pagehand.workflow_files.words import SEQUENCES

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio
Json = dict[str, Any]
DECLARED: Json = {"parameters": [{"name": "claim", "type": "string"}]}


def value(reference: str, given: Any = 1, code: str = "input") -> Json:
    return {"type": "Transform", "blockReferenceId": reference, "data": {"input": given, "code": code}}


def reader(template: str) -> Json:
    return value("reader", template)


def click(**locator: str) -> Json:
    return {"type": "Mouse", "blockReferenceId": "go", "locator": locator, "data": {}}


def if_(condition: Any, then: list[Json], other: list[Json]) -> Json:
    nested = {"trueSequence": then, "falseSequence": other}
    return {
        "type": "If",
        "blockReferenceId": "which",
        "data": {"condition": condition},
        "sequenceData": nested,
    }


def loop(*blocks: Json) -> Json:
    return {
        "type": "LoopV2",
        "blockReferenceId": "rounds",
        "data": {"over": {"times": 2}},
        "sequenceData": {"sequence": list(blocks)},
    }


def extract(schema: Json) -> Json:
    return {"type": "Extract", "blockReferenceId": "read", "data": {"prompt": "x", "schema": schema}}


WRONG: dict[str, tuple[list[Json], Json, str, str, str]] = {
    # the blocks, other fields, then the block, the field and a word that the refusal names
    "no such block": ([reader("{{blocks.tabel}}"), value("table")], {}, "reader", "input", "tabel"),
    "a later block": ([reader("{{blocks.table}}"), value("table")], {}, "reader", "input", "comes later"),
    "the reader itself": ([reader("{{blocks.reader}}")], {}, "reader", "input", "this very block"),
    "the other branch": (
        [if_("1 == 1", [value("table")], [reader("{{blocks.table}}")])],
        *({}, "reader", "input", "another branch"),
    ),
    "a loop holds only one": (
        [loop(reader("{{blocks.table}}")), value("table")], {}, "reader", "input", "comes later",
    ),
    "not declared": ([reader("{{params.clam}}")], DECLARED, "reader", "input", "did you mean `claim`"),
    "not declared, in code": ([value("reader", 1, "params['clam']")], DECLARED, "reader", "code", "clam"),
    "item outside a loop": ([reader("{{item.name}}")], {}, "reader", "input", "only inside a loop"),
    "index outside a loop": ([if_("index > 1", [], [])], {}, "which", "condition", "only inside a loop"),
    "Python": ([value("reader", 1, "input +")], {}, "reader", "code", "line 1"),
    "transformerFn": (
        [{**value("reader"), "transformerFn": "lambda output: ("}], {}, "reader", "transformerFn", "line 1",
    ),
    "an expression": ([if_("1 === 1", [], [])], {}, "which", "condition", "write `==`"),
    "a condition": ([if_({"expression": "params.x ="}, [], [])], {}, "which", "condition", "not valid"),
    "CSS": ([click(css="a >")], {}, "go", "css", "missing beside"),
    "CSS of a condition": ([if_({"element": {"css": "a["}}, [], [])], {}, "which", "css", "missing"),
    "XPath": ([click(xpath="//a[")], {}, "go", "xpath", "missing"),
    "JSON Schema": ([extract({"type": "strng"})], {}, "read", "schema", "not a JSON Schema"),
    "a pattern in one": (
        [extract({"properties": {"a": {"pattern": "("}}})], {}, "read", "schema", "not a regular expression",
    ),
    "the output": ([value("table")], {"output": "{{blocks.tabel}}"}, "", "output", "did you mean `table`"),
}  # fmt: skip
DOUBTFUL: dict[str, tuple[list[Json], Json, str | None, str, str]] = {
    "later in the same loop": (
        [loop(reader("{{blocks.table}}"), value("table"))], {}, "reader", "data.input", "first round",
    ),
    "in the loop whose condition it is": (
        [{**loop(value("table")), "data": {"over": {"while": "blocks.table != 3"}}}],
        *({}, "rounds", "data.over.while", "first round"),
    ),
    "never used": ([value("table")], DECLARED, None, "parameters.claim", "never used"),
    "never reached": (
        [loop({"type": "Next", "data": {}}, value("table"))], {}, "table", "type", "never reached",
    ),
    "an effect without isCommit": (
        [click(role="button", text="Pay now")], {}, "go", "data.isCommit", "Pay now",
    ),
    "JavaScript": ([value("table", 1, "(x) => { return (x")], {}, "table", "data.code", "do not close"),
}  # fmt: skip


def as_file(blocks: list[Json], fields: Json) -> str:
    """The same in a workflow file."""
    declared = {parameter["name"]: {"type": parameter["type"]} for parameter in fields.get("parameters", [])}
    return json.dumps({"name": "x", **fields, "parameters": declared, "blocks": [*map(_short, blocks)]})


def _short(block: Json) -> Json:
    nested: dict[str, list[Json]] = block.get("sequenceData", {})
    words = {"ref": "blockReferenceId", "at": "locator", "transformerFn": "transformerFn"}
    return {
        "kind": block["type"],
        **{word: block[name] for word, name in words.items() if name in block},
        **block["data"],
        **{word: [*map(_short, nested[name])] for word, name in SEQUENCES.items() if name in nested},
    }


def requests(made: Json, blocks: list[Json], fields: Json) -> dict[str, Json]:
    """Every way to keep these blocks, by path."""
    whole = {"name": "x", "blocks": blocks, **fields}
    ways = {
        "/workflows/create": whole,
        "/workflows/update": {"id": made["id"], "blocks": blocks, **fields},
        "/workflows/apply": whole,
        "/workflows/import": {"workflow": {"format": "pagehand.workflow/1", **whole}},
    }
    if not fields:  # edits of blocks change nothing else
        replace = {"type": "replaceAll", "blocks": blocks}
        ways["/workflows/blocks/update"] = {"workflowId": made["id"], "operations": [replace]}
    return ways


@pytest.mark.parametrize("name", WRONG)
async def test_a_mistake_is_refused_wherever_it_is_kept(api: "Api", name: str) -> None:
    blocks, fields, block, field, word = WRONG[name]
    made = await api.create_workflow("one", output="")
    for path, body in requests(made, blocks, fields).items():
        answer = await api.post(path, body)
        assert answer.status_code == 400, f"{path}: {answer.text}"
        sentence = answer.json()["error"]
        assert all(part in sentence for part in (f"`{block}`" if block else "", field, word)), (
            f"{path}: {sentence}"
        )
    with pytest.raises(FileRefused) as refused:
        check_file(as_file(blocks, fields), kinds())
    assert word in str(refused.value.complaints[0])


@pytest.mark.parametrize("name", DOUBTFUL)
async def test_a_doubt_is_reported_wherever_it_is_kept(api: "Api", name: str) -> None:
    blocks, fields, block, field, word = DOUBTFUL[name]
    made = await api.create_workflow("one", output="")
    for path, body in requests(made, blocks, fields).items():
        answer = await api.post(path, body)
        assert answer.status_code == 200, f"{path}: {answer.text}"
        found = [
            warning
            for warning in answer.json()["warnings"]
            if (warning["blockReferenceId"], warning["field"]) == (block, field)
            and word in warning["message"]
        ]
        assert found, f"{path}: {answer.text}"
    warnings = check_file(as_file(blocks, fields), kinds()).warnings
    assert any(word in str(warning) for warning in warnings)


async def test_a_named_block_is_neither_deleted_nor_moved_behind_its_reader(api: "Api") -> None:
    blocks = [value("table"), reader("{{blocks.table}}")]
    made = await api.create_workflow("one", blocks=blocks)
    first = made["blocks"][0]["id"]
    for edit, word in (
        ({"type": "delete", "blockId": first}, "deletes"),
        ({"type": "move", "blockId": first, "target": {"type": "end"}}, "comes later"),
    ):
        answer = await api.post("/workflows/blocks/update", {"workflowId": made["id"], "operations": [edit]})
        assert answer.status_code == 400, answer.text
        assert "`reader`" in answer.json()["error"]
        assert word in answer.json()["error"]


async def test_cron_that_is_wrong_is_refused(api: "Api") -> None:
    made = await api.create_workflow("one")
    for cron in ("61 * * * *", "* * * *", "x * * * *", "@often"):
        answer = await api.post("/schedules/create", {"workflowId": made["id"], "cron": cron})
        assert answer.status_code == 400
        assert "`cron`" in answer.json()["error"]

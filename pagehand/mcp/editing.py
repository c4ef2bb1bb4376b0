"""Tools to build workflows: look at a page in words, propose blocks, try them, keep them."""

from typing import Any, Final

from mcp.types import CallToolResult

from pagehand.client import ApiError
from pagehand.client.plans import Json
from pagehand.mcp.catalog import TEXT, BuiltInTool, ToolCall
from pagehand.mcp.results import UNTRUSTED, failed, json_result

_EDIT: Final = frozenset({"read", "edit"})
_EDIT_AND_RUN: Final = frozenset({"read", "edit", "run"})
_WORKFLOW: Final = {
    "workflow_id": {
        **TEXT,
        "description": "The workflow's id, as `find_workflows` shows it.",
    }
}
_SESSION: Final = {
    "session_id": {**TEXT, "description": "The browser that `describe_page` or `test_blocks` has opened."}
}
_BLOCKS: Final = {
    "blocks": {
        "type": "array",
        "items": {"type": "object"},
        "description": "Blocks as `propose_blocks` gives them; `list_block_kinds` describes them.",
    }
}
_OPERATIONS: Final = {
    "operations": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "type": {"enum": ["create", "update", "delete", "move", "replaceAll"]},
                "blockId": TEXT,
                "block": {"type": "object"},
                "target": {
                    "type": "object",
                    "properties": {
                        "type": {"enum": ["after", "start", "end"]},
                        "previousBlockId": TEXT,
                        "parentBlockId": TEXT,
                        "parentSequenceId": TEXT,
                    },
                },
                "blocks": {"type": "array", "items": {"type": "object"}},
            },
            "required": ["type"],
        },
        "description": "In order, all or none: `create` a `block` at a `target`, `update` or `delete` or "
        "`move` the one with `blockId`, or `replaceAll` with `blocks`.",
    },
    "version": {"type": "integer", "description": "Refuse if this is no longer the workflow's version."},
}


async def _list_block_kinds(call: ToolCall) -> CallToolResult:
    answer = await call.ask("/workflows/blocks/kinds")
    wanted = call.arguments.get("type")
    if wanted is None:
        return json_result({"kinds": {kind["type"]: kind["purpose"] for kind in answer["kinds"]}})
    found = [kind for kind in answer["kinds"] if kind["type"] == wanted]
    return json_result({"kind": found[0]}) if found else failed(f"There is no kind `{wanted[:80]}`.")


async def _create_workflow(call: ToolCall) -> CallToolResult:
    answer = await call.ask(
        "/workflows/create", name=call.arguments["name"], blocks=call.arguments.get("blocks", [])
    )
    return json_result(_saved(answer["workflow"], answer))


async def _upload_file(call: ToolCall) -> CallToolResult:
    content = call.arguments["content_base64"]
    answer = await call.ask("/files/upload", name=call.arguments["name"], contentBase64=content)
    return json_result({"fileId": answer["file"]["id"], "name": answer["file"]["name"]})


async def _get_workflow(call: ToolCall) -> CallToolResult:
    return json_result(await call.ask("/workflows/get", id=call.arguments["workflow_id"]))


async def _propose_blocks(call: ToolCall) -> CallToolResult:
    try:
        answer = await call.ask(
            "/workflows/blocks/chat",
            workflowId=call.arguments["workflow_id"],
            message=call.arguments["message"],
            instructorExecutionId=call.arguments.get("session_id"),
        )
    except ApiError as error:
        # with what was understood, and other ways to say the rest
        refused = failed(str(error))
        return refused.model_copy(update={"structured_content": error.body}) if error.body else refused
    return json_result({"blocks": answer["blocks"]})


async def _edit_blocks(call: ToolCall) -> CallToolResult:
    answer = await call.ask(
        "/workflows/blocks/update",
        workflowId=call.arguments["workflow_id"],
        operations=call.arguments["operations"],
        version=call.arguments.get("version"),
    )
    return json_result(_saved({"id": call.arguments["workflow_id"], **answer}, answer))


def _saved(workflow: Json, answer: Json) -> Json:
    return {
        "workflowId": workflow["id"],
        "version": workflow["version"],
        "blocks": workflow["blocks"],
        "warnings": answer.get("warnings", []),
    }


async def _describe_page(call: ToolCall) -> CallToolResult:
    session_id = await _session(call)
    if isinstance(session_id, CallToolResult):
        return session_id
    page = await call.ask("/liveSessions/describe", id=session_id, url=call.arguments.get("url"))
    return json_result({"sessionId": session_id, **page})


async def _test_blocks(call: ToolCall) -> CallToolResult:
    session_id = await _session(call)
    if isinstance(session_id, CallToolResult):
        return session_id
    fields: dict[str, Any] = {"blocks": call.arguments.get("blocks")}
    report = await call.ask("/liveSessions/run", id=session_id, **fields)
    result = json_result({"sessionId": session_id, **report})
    return result.model_copy(update={"is_error": report["status"] == "Failed"})


async def _session(call: ToolCall) -> str | CallToolResult:
    """The browser to use: the given one, or a new one for the workflow."""
    if session_id := call.arguments.get("session_id"):
        return session_id
    workflow_id = call.arguments.get("workflow_id")
    if workflow_id is None:
        return failed("Give `workflow_id` to open a browser, or the `session_id` of one that is open.")
    opened = await call.ask(
        "/liveSessions/open", workflowId=workflow_id, params=call.arguments.get("params", {})
    )
    return opened["execution"]["id"]


_PARAMS: Final = {"params": {"type": "object", "description": "The params that blocks in a new browser see."}}
_BROWSER: Final = (
    "A browser of its own is opened for `workflow_id`, and closed when it was not used for a while; "
    "`session_id` uses it again."
)

TOOLS: Final = (
    BuiltInTool(
        name="list_block_kinds",
        description="Lists the kinds of blocks with a sentence each; with `type`, one kind with examples and "
        "the JSON Schema of its data.",
        run=_list_block_kinds,
        needs=_EDIT,
        properties={"type": {**TEXT, "description": "The kind to describe in full."}},
        is_read_only=True,
    ),
    BuiltInTool(
        name="create_workflow",
        description="Creates a workflow, with or without blocks.",
        run=_create_workflow,
        needs=_EDIT,
        properties={"name": TEXT, **_BLOCKS},
        required=("name",),
    ),
    BuiltInTool(
        name="upload_file",
        description="Stores a file, which workflows take as a param by its id.",
        run=_upload_file,
        needs=_EDIT,
        properties={"name": TEXT, "content_base64": TEXT},
        required=("name", "content_base64"),
    ),
    BuiltInTool(
        name="get_workflow",
        description="Shows a workflow with its blocks, parameters and version.",
        run=_get_workflow,
        needs=_EDIT,
        properties=_WORKFLOW,
        required=("workflow_id",),
        is_read_only=True,
    ),
    BuiltInTool(
        name="describe_page",
        description="Shows the page of a browser in words: every control with the words that a block's "
        f'locator (`{{"words": …}}`) finds it by. {_BROWSER} {UNTRUSTED}',
        run=_describe_page,
        needs=_EDIT_AND_RUN,
        properties={
            "url": {**TEXT, "description": "Open this address first; else the page is taken as it is."},
            **_WORKFLOW,
            **_SESSION,
            **_PARAMS,
        },
        is_open_world=True,
    ),
    BuiltInTool(
        name="propose_blocks",
        description="Makes blocks of instructions in plain words, such as “Click Save. Read the table of "
        "orders.” With `session_id`, elements are looked up on the pages that the browser has seen. Nothing "
        "is kept: `test_blocks` tries the blocks, `edit_blocks` keeps them.",
        run=_propose_blocks,
        needs=_EDIT,
        properties={"message": {**TEXT, "description": "What the blocks shall do."}, **_WORKFLOW, **_SESSION},
        required=("workflow_id", "message"),
    ),
    BuiltInTool(
        name="test_blocks",
        description="Runs blocks in a browser without keeping them; without `blocks`, those of the workflow. "
        f"It really does what they say. {_BROWSER} {UNTRUSTED}",
        run=_test_blocks,
        needs=_EDIT_AND_RUN,
        properties={**_BLOCKS, **_WORKFLOW, **_SESSION, **_PARAMS},
        is_destructive=True,
        is_open_world=True,
    ),
    BuiltInTool(
        name="edit_blocks",
        description="Changes the blocks of a workflow and keeps them as its next version; earlier versions "
        "can be restored in the console.",
        run=_edit_blocks,
        needs=_EDIT,
        properties={**_WORKFLOW, **_OPERATIONS},
        required=("workflow_id", "operations"),
        is_destructive=True,
    ),
)

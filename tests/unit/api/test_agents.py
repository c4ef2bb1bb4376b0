"""MCP without a browser: the reference client, the real app, engine and stores in one process."""

import asyncio
import json
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any, cast

import pytest
from httpx2 import ASGITransport
from mcp import Client, MCPError
from mcp.types import CallToolResult

from pagehand.api import agents
from pagehand.api.keys import new_key
from pagehand.clock import now_ms
from pagehand.mcp import catalog, server
from pagehand.mcp.connection import Connection
from pagehand.mcp.server import BUILT_IN, build_server

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio
Json = dict[str, Any]
INITIALIZE: Json = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPT = "application/json, text/event-stream"


@asynccontextmanager
async def agent(api: "Api", key: str | None = None) -> "AsyncGenerator[Client]":
    """The reference client of a server whose tools use the app."""
    connection = Connection("http://127.0.0.1:8700", key, transport=ASGITransport(api.app))
    async with connection, Client(build_server(lambda _: nullcontext(connection)), mode="legacy") as client:
        yield client


def words(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


def shown(result: CallToolResult) -> Json:
    return cast("Json", result.structured_content)


async def tools_of(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


async def test_a_workflow_is_called_with_params_and_answers_with_its_response(api: "Api") -> None:
    parameters = [{"name": "n", "type": "number", "isRequired": True, "description": "How many"}]
    await api.create_workflow("Count it", parameters=parameters)
    async with agent(api) as client:
        [tool] = [tool for tool in (await client.list_tools()).tools if tool.name == "count_it"]
        assert tool.input_schema["properties"]["n"] == {"type": "number", "description": "How many"}
        assert tool.input_schema["required"] == ["n"]
        assert tool.output_schema == {"type": "object", "properties": {"echo": {}}}
        heard: list[tuple[float, float | None, str | None]] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            heard.append((progress, total, message))

        result = await client.call_tool("count_it", {"n": 3}, progress_callback=on_progress)
        assert (result.is_error, result.structured_content) == (False, {"echo": {"n": 3}})
        assert json.loads(result.content[1].text) == {"echo": {"n": 3}}  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType] - a text
        assert [(done, total) for done, total, _ in heard] == [(1, 1)]
        refused = await client.call_tool("count_it", {"n": "many"})
        assert refused.is_error
        assert "`params.n`" in words(refused) or "n" in words(refused)


async def test_a_failure_is_a_tool_error_with_its_analysis(api: "Api") -> None:
    block = {"type": "FailOnCondition", "data": {"condition": "1 == 1", "message": "No more stamps"}}
    await api.post("/workflows/create", {"name": "Post it", "blocks": [block]})
    async with agent(api) as client:
        result = await client.call_tool("post_it", {})
        assert result.is_error
        assert "No more stamps" in words(result)
        execution_id = shown(result)["executionId"]
        looked_at = await client.call_tool("get_execution", {"execution_id": execution_id})
        assert not looked_at.is_error  # to look at what failed is not a failure
        assert shown(looked_at)["failure"]["message"] == "No more stamps"
        retried = await client.call_tool("retry_execution", {"execution_id": execution_id})
        assert retried.is_error
        assert shown(retried)["executionId"] != execution_id


async def test_cancelling_the_call_cancels_the_execution(api: "Api") -> None:
    made = await api.create_workflow("Long", waits_ms=600_000)
    async with agent(api) as client:
        call = asyncio.create_task(client.call_tool("long", {}))
        await _until_status(api, made["id"], "InProgress")
        call.cancel()
        ended = await _until_status(api, made["id"], "Failed")
        assert ended["failure"]["code"] == "Cancelled"


async def _until_status(api: "Api", workflow_id: str, status: str) -> Json:
    async with asyncio.timeout(60):
        while True:
            for execution in await _executions(api, workflow_id):
                if execution["status"] == status:
                    return execution
            await asyncio.sleep(0.02)


async def _executions(api: "Api", workflow_id: str) -> list[Json]:
    return (await api.post("/executions/list", {"workflowId": workflow_id})).json()["executions"]


async def test_executions_go_on_when_the_service_stops(api: "Api") -> None:
    made = await api.create_workflow("Long", waits_ms=600_000)
    connection = Connection(transport=ASGITransport(api.app), is_stopping=lambda: True)
    async with connection, Client(build_server(lambda _: nullcontext(connection)), mode="legacy") as client:
        call = asyncio.create_task(client.call_tool("long", {}))
        await _until_status(api, made["id"], "InProgress")
        call.cancel()
        await asyncio.wait({call})
        [execution] = await _executions(api, made["id"])
        assert execution["status"] == "InProgress"
        await api.post("/executions/cancel", {"id": execution["id"]})


@pytest.mark.parametrize(
    ("scopes", "offered", "withheld"),
    [
        (["read"], {"find_workflows", "read_file"}, {"quick", "submit_code", "edit_blocks", "describe_page"}),
        (["read", "run"], {"quick", "submit_code", "retry_execution"}, {"edit_blocks", "describe_page"}),
        (["read", "edit"], {"edit_blocks", "propose_blocks"}, {"quick", "test_blocks", "submit_code"}),
        (["read", "run", "edit"], {"quick", *BUILT_IN}, set[str]()),
    ],
)
async def test_a_tool_that_the_scopes_do_not_allow_is_neither_listed_nor_callable(
    api: "Api", scopes: list[str], offered: set[str], withheld: set[str]
) -> None:
    await api.post(
        "/workflows/create",
        {"name": "quick", "blocks": []},
        authorization=f"Bearer {await api.create_key('o')}",
    )
    async with agent(api, await api.create_key("o", scopes)) as client:
        listed = await tools_of(client)
        assert offered <= listed
        assert not withheld & listed
        for name in withheld:
            with pytest.raises(MCPError, match="There is no tool"):
                await client.call_tool(name, {})


async def test_organizations_do_not_see_each_other(api: "Api") -> None:
    made = await api.create_workflow("Secret plan")
    done = (await api.post("/workflows/executeSync", {"workflowId": made["id"]})).json()["execution"]
    upload = {"name": "a.txt", "contentBase64": "aGVsbG8="}
    file_id = (await api.post("/files/upload", upload)).json()["file"]["id"]
    async with agent(api) as own:
        assert "secret_plan" in await tools_of(own)
        assert "hello" in str((await own.call_tool("read_file", {"file_id": file_id})).content)
    async with agent(api, await api.create_key("other")) as client:
        assert "secret_plan" not in await tools_of(client)
        with pytest.raises(MCPError, match="There is no tool"):
            await client.call_tool("secret_plan", {})
        for name, arguments in (
            ("get_execution", {"execution_id": done["id"]}),
            ("read_file", {"file_id": file_id}),
            ("get_workflow", {"workflow_id": made["id"]}),
        ):
            result = await client.call_tool(name, arguments)
            assert result.is_error
            assert "in this organization" in words(result)
        with pytest.raises(MCPError, match="in this organization"):
            await client.read_resource(f"pagehand://files/{file_id}")


async def test_a_renamed_or_deleted_workflow_is_no_longer_called_by_its_old_name(api: "Api") -> None:
    made = await api.create_workflow("Before")
    async with agent(api) as client:
        assert "before" in await tools_of(client)
        await api.post("/workflows/update", {"id": made["id"], "name": "After"})
        with pytest.raises(MCPError, match="There is no tool"):
            await client.call_tool("before", {})
        assert not (await client.call_tool("after", {})).is_error
        await api.post("/workflows/delete", {"id": made["id"]})
        with pytest.raises(MCPError, match="There is no tool"):
            await client.call_tool("after", {})


async def test_wrong_arguments_are_refused_in_words(api: "Api") -> None:
    async with agent(api) as client:
        for arguments in ({}, {"executionId": "exec_1"}, {"execution_id": 5}):
            result = await client.call_tool("get_execution", arguments)
            assert result.is_error
            assert "do not fit" in words(result)


async def test_files_are_resources_and_large_ones_only_links(api: "Api") -> None:
    upload = {"name": "a.bin", "mimeType": "application/pdf", "contentBase64": "JVBERg=="}
    file_id = (await api.post("/files/upload", upload)).json()["file"]["id"]
    large = await api.client.post("/files/upload", files={"file": ("b.txt", b"x" * 4_200_000)})
    async with agent(api) as client:
        listed = (await client.list_resources()).resources
        assert {str(item.uri) for item in listed} >= {f"pagehand://files/{file_id}"}
        [content] = (await client.read_resource(f"pagehand://files/{file_id}")).contents
        assert content.model_dump()["blob"] == "JVBERg=="
        refused = await client.call_tool("read_file", {"file_id": large.json()["file"]["id"]})
        assert refused.is_error
        assert "/files/download" in words(refused)
        with pytest.raises(MCPError, match="There is no resource"):
            await client.read_resource("file:///etc/passwd")


async def test_the_endpoint_checks_key_scope_host_origin_and_method(api: "Api") -> None:
    assert (await api.post("/mcp", INITIALIZE, accept=ACCEPT)).status_code == 200
    running = await api.create_key("o", ["run"])
    refused = {
        401: {"authorization": "Bearer ph_no_such_key"},
        403: {"authorization": f"Bearer {running}"},
    }
    for status, headers in refused.items():
        assert (await api.post("/mcp", INITIALIZE, accept=ACCEPT, **headers)).status_code == status
    for headers in ({"host": "evil.example"}, {"origin": "https://evil.example"}, {"via": "1.1 proxy"}):
        assert (await api.post("/mcp", INITIALIZE, accept=ACCEPT, **headers)).status_code == 403
    put = await api.client.put("/mcp")
    assert (put.status_code, put.headers["allow"]) == (405, "POST, GET, DELETE")


async def test_the_endpoint_refuses_large_and_broken_bodies(api: "Api") -> None:
    large = await api.send("/mcp", b'{"a": "' + b"x" * 2_100_000 + b'"}', accept=ACCEPT)
    assert large.status_code == 413
    assert (await api.send("/mcp", b"[" * 100, accept=ACCEPT)).status_code == 400
    assert (await api.send("/mcp", b"hello", accept=ACCEPT, content_type="text/plain")).status_code == 415


async def test_a_session_belongs_to_its_key(api: "Api") -> None:
    first, second = await api.create_key("o"), await api.create_key("o")
    opened = await api.post("/mcp", INITIALIZE, accept=ACCEPT, authorization=f"Bearer {first}")
    session = opened.headers["mcp-session-id"]
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    answers = [
        await api.post("/mcp", ping, accept=ACCEPT, mcp_session_id=session, authorization=f"Bearer {key}")
        for key in (first, second)
    ]
    assert [answer.status_code for answer in answers] == [200, 404]


async def test_the_sessions_of_a_key_end_with_it_and_so_does_what_they_do(api: "Api") -> None:
    made = await api.create_workflow("Long", waits_ms=600_000)
    owner = await api.services.stores.organizations.ensure("default")
    key, text = new_key(owner.id, name="agent")
    await api.services.stores.keys.add(key)
    before = asyncio.all_tasks()
    head = {"accept": ACCEPT, "authorization": f"Bearer {text}"}
    opened = await api.post("/mcp", INITIALIZE, **head)
    head["mcp_session_id"] = opened.headers["mcp-session-id"]
    call: Json = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "long"}}
    calling = asyncio.create_task(api.post("/mcp", call, **head))
    await _until_status(api, made["id"], "InProgress")
    assert await api.services.stores.keys.revoke(owner.id, key.id, now_ms())
    async with asyncio.timeout(30):
        await asyncio.wait({calling})
        # its answer is cut off, or ends with its session without a result: whichever is noticed first
        assert calling.exception() is not None or '"result"' not in calling.result().text
        await asyncio.wait(
            {task for task in asyncio.all_tasks() - before if task.get_name() == "sessions of an agent"}
            or {calling}
        )
    # what a person started goes on, as with any other answer that the key had waited for
    [running] = await _executions(api, made["id"])
    assert running["status"] == "InProgress"
    assert (await api.post("/mcp", call, **head)).status_code == 401
    await api.post("/executions/cancel", {"id": running["id"]})


async def test_calls_of_one_key_are_limited(api: "Api", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_MAX_CALLS", 1)
    made = await api.create_workflow("Long", waits_ms=600_000)
    async with agent(api) as client:
        call = asyncio.create_task(client.call_tool("long", {}))
        await _until_status(api, made["id"], "InProgress")
        refused = await client.call_tool("find_workflows", {})
        assert refused.is_error
        assert "calls are in progress" in words(refused)
        call.cancel()
        await _until_status(api, made["id"], "Failed")
        assert not (await client.call_tool("find_workflows", {})).is_error


async def test_sessions_that_nobody_uses_are_replaced(api: "Api", monkeypatch: pytest.MonkeyPatch) -> None:
    opened = await api.post("/mcp", INITIALIZE, accept=ACCEPT)
    session = opened.headers["mcp-session-id"]
    monkeypatch.setattr(agents, "_UNUSED_SECONDS", -1)
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    await api.create_workflow("wakes them")
    async with asyncio.timeout(60):
        while (await api.post("/mcp", ping, accept=ACCEPT, mcp_session_id=session)).status_code == 200:  # noqa: ASYNC110 - no event says it
            await asyncio.sleep(0.05)
    assert (await api.post("/mcp", INITIALIZE, accept=ACCEPT)).status_code == 200


async def test_a_service_that_stops_ends_sessions_and_refuses_new_ones(api: "Api") -> None:
    await api.post("/mcp", INITIALIZE, accept=ACCEPT)
    api.services.changes.close()
    assert (await api.post("/mcp", INITIALIZE, accept=ACCEPT)).status_code == 503


async def test_an_uploaded_file_is_a_param(api: "Api") -> None:
    await api.create_workflow("Takes a file", parameters=[{"name": "sheet", "type": "file"}])
    async with agent(api) as client:
        stored = await client.call_tool("upload_file", {"name": "a.csv", "content_base64": "YTsx"})
        file_id = shown(stored)["fileId"]
        result = await client.call_tool("takes_a_file", {"sheet": file_id})
        assert shown(result) == {"echo": {"sheet": file_id}}


async def test_sessions_of_one_key_are_limited(api: "Api", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "_MAX_SESSIONS", 3)
    busy, other = await api.create_key("o"), await api.create_key("p")
    for _ in range(3):
        opened = await api.post("/mcp", INITIALIZE, accept=ACCEPT, authorization=f"Bearer {busy}")
        assert opened.status_code == 200
    refused = await api.post("/mcp", INITIALIZE, accept=ACCEPT, authorization=f"Bearer {busy}")
    assert refused.status_code == 503
    allowed = await api.post("/mcp", INITIALIZE, accept=ACCEPT, authorization=f"Bearer {other}")
    assert allowed.status_code == 200


async def test_large_workflows_are_listed_without_their_blocks_and_large_schemas(api: "Api") -> None:
    rows = {f"field{number}": {"type": "string"} for number in range(2000)}
    schema = {"type": "object", "properties": {"rows": {"type": "object", "properties": rows}}}
    block = {"type": "Extract", "blockReferenceId": "found", "data": {"schema": schema}}
    made = (await api.post("/workflows/create", {"name": "Wide", "blocks": [block]})).json()["workflow"]
    assert "field1999" in json.dumps(made["outputSchema"])
    listed = await api.post("/workflows/tools", {"id": made["id"]})
    [tool] = listed.json()["tools"]
    assert (tool["name"], tool["blockCount"], tool["isFlat"]) == ("Wide", 1, True)
    assert tool["outputSchema"] == {"type": "object"}
    assert "field1" not in listed.text
    async with agent(api) as client:
        assert "wide" in await tools_of(client)


async def test_what_an_agent_lists_has_a_limit_however_much_there_is(
    api: "Api", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "_MOST_TOOLS", 2)
    monkeypatch.setattr(catalog, "_SCHEMA_BYTES", 0)
    for name in ("One", "Two", "Three"):
        await api.create_workflow(name, parameters=[{"name": "n", "type": "number"}])
    async with agent(api) as client:
        tools = [tool for tool in (await client.list_tools()).tools if tool.name not in BUILT_IN]
        assert [tool.name for tool in tools] == ["two", "three"]
        assert [tool.input_schema for tool in tools] == [{"type": "object"}] * 2

"""The reference client of MCP against a running service: over HTTP and stdio, in the old and new protocol."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.types import CallToolResult, ToolListChangedNotification

from support.blocks import fail, navigate, value, wait
from support.database import add_key
from support.portal import PASSWORD, RIGHT_CODE, PortalWithCode
from support.service import Api, Json, RunningService
from support.site import Site

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
Connect = Callable[..., AbstractAsyncContextManager[Client]]
SECONDS = 120


@pytest.fixture(scope="module")
def key(service: RunningService) -> str:
    return add_key(service, "agents")


@pytest.fixture(scope="module")
def owner(service: RunningService, key: str) -> Api:
    """The same organization over the API."""
    return service.api(key)


@pytest.fixture(scope="module")
def running_key(service: RunningService) -> str:
    return add_key(service, "agents", scopes=["read", "run"])


@pytest.fixture(scope="module")
def building_key(service: RunningService) -> str:
    return add_key(service, "builders", scopes=["read", "run", "edit"])


@asynccontextmanager
async def over_http(
    service: RunningService, key: str, mode: str = "auto", **more: Any
) -> AsyncGenerator[Client]:
    async with create_mcp_http_client({"Authorization": f"Bearer {key}"}) as http:
        transport = streamable_http_client(f"{service.url}/mcp", http_client=http)
        async with Client(transport, mode=mode, **more) as client:
            yield client


@asynccontextmanager
async def over_stdio(
    service: RunningService, key: str, mode: str = "auto", **more: Any
) -> AsyncGenerator[Client]:
    environment = {"PAGEHAND_URL": service.url, "PAGEHAND_KEY": key}
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "pagehand", "mcp"], env=environment, cwd=Path.cwd()
    )
    async with Client(command, mode=mode, **more) as client:
        yield client


@pytest.fixture(params=["http", "http of old clients", "stdio", "stdio of old clients"])
def connect(request: pytest.FixtureRequest, service: RunningService, key: str) -> Connect:
    way = over_stdio if request.param.startswith("stdio") else over_http
    mode = "legacy" if request.param.endswith("old clients") else "auto"
    return partial(way, service, key, mode)


def words(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


def structured(result: CallToolResult) -> Json:
    return cast("Json", result.structured_content)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(SECONDS):
        while True:
            if await holds():
                return
            await asyncio.sleep(0.05)


async def test_an_agent_lists_runs_and_cancels_workflows_and_hears_of_new_ones(
    connect: Connect, owner: Api, request: pytest.FixtureRequest
) -> None:
    name = request.node.callspec.id.replace(" ", "_")
    owner.create(f"Sum {name}", value("sum", "{{params.n}}"), wait(1), output={"sum": "{{blocks.sum}}"})
    owner.create(f"Broken {name}", fail("No more stamps"))
    long = owner.create(f"Long {name}", wait(600_000))
    changed = asyncio.Event()

    async def on_message(message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            changed.set()

    async with connect(message_handler=on_message) as client:
        assert client.server_capabilities.tools is not None
        assert client.server_capabilities.tools.list_changed is True
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {f"sum_{name}", "find_workflows", "describe_page", "submit_code"} <= set(tools)
        heard: list[tuple[float, float | None]] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            assert message
            heard.append((progress, total))

        result = await client.call_tool(f"sum_{name}", {"n": 5}, progress_callback=on_progress)
        assert (result.is_error, result.structured_content) == (False, {"sum": 5}), result
        assert heard == [(1, 2), (2, 2)]
        broken = await client.call_tool(f"broken_{name}")
        assert broken.is_error
        assert "No more stamps" in words(broken)

        call = asyncio.create_task(client.call_tool(f"long_{name}"))
        listed: list[Json] = []

        async def has_status(status: str) -> bool:
            request = {"workflowId": long["id"]}
            listed[:] = (await asyncio.to_thread(owner.call, "/executions/list", request))["executions"]
            return bool(listed) and listed[0]["status"] == status

        await until(lambda: has_status("InProgress"))
        call.cancel()
        await until(lambda: has_status("Failed"))
        assert listed[0]["failure"]["code"] == "Cancelled"

        await _hears_of(client, owner, f"New {name}", changed)
        assert f"new_{name}" in {tool.name for tool in (await client.list_tools()).tools}


async def _hears_of(client: Client, owner: Api, name: str, changed: asyncio.Event) -> None:
    """A client of the old protocol is told by itself; one of the new has to listen."""
    async with asyncio.timeout(SECONDS):
        if client.protocol_version < "2026":
            # again until it is heard: the stream that brings it may not be open yet
            while not changed.is_set():
                await asyncio.to_thread(owner.create, name, wait(1))
                await asyncio.wait({asyncio.create_task(changed.wait())}, timeout=3)
            return
        async with client.listen(tools_list_changed=True) as changes:
            await asyncio.to_thread(owner.create, name, wait(1))
            await anext(aiter(changes))


async def test_a_code_is_handed_in_and_the_file_is_read_by_the_same_agent(
    service: RunningService, owner: Api, running_key: str, guarded: PortalWithCode
) -> None:
    configuration = {
        "username": "ada",
        "password": PASSWORD,
        "twoFactorAuthConfiguration": {"method": "SMS"},
    }
    pages = {"authenticationUrl": f"{guarded.url}/in", "homeUrl": f"{guarded.url}/home"}
    login = owner.call("/logins/create", {"name": "Portal", **pages, "loginConfiguration": configuration})[
        "login"
    ]["id"]
    table = {"type": "ParseToCsv", "data": {"input": [{"a": 1}], "fileName": "a.csv"}}
    owner.create("Guarded", {"type": "Login", "data": {"loginId": login}}, table)
    async with over_http(service, running_key) as client:
        waiting = await client.call_tool("guarded")
        assert not waiting.is_error
        shown = structured(waiting)
        assert (shown["status"], shown["waiting"]["kind"]) == ("Paused", "code")
        assert "`submit_code`" in words(waiting)
        items = structured(await client.call_tool("list_attention"))
        assert shown["executionId"] in [item["execution"]["id"] for item in items["items"]]
        code = {"code": RIGHT_CODE, "execution_id": shown["executionId"]}
        done = await client.call_tool("submit_code", code)
        assert (done.is_error, structured(done)["status"]) == (False, "Completed"), words(done)
        [link] = [block for block in done.content if block.type == "resource_link" and block.name == "a.csv"]
        [content] = (await client.read_resource(str(link.uri))).contents
        assert content.model_dump()["text"].split() == ["a", "1"]
        repeated = await client.call_tool("read_file", {"file_id": str(link.uri).rsplit("/", 1)[1]})
        assert "a\\r\\n1" in str(repeated.content) or "a\\n1" in str(repeated.content)


PAGE = """<!doctype html><title>Orders</title><h1>Orders</h1><label>Customer <input></label>
<table><tr><td>ACME<td><button onclick="note.textContent='paid'">Pay</button>
<tr><td>Beta<td><button>Pay</button></table><p id=note>open</p>"""


async def test_an_agent_looks_at_a_page_proposes_tests_and_saves_blocks(
    service: RunningService, building_key: str, site: Site
) -> None:
    page = site.page("/orders", PAGE)
    async with over_http(service, building_key) as client:

        async def call(tool: str, **arguments: Any) -> Json:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, words(result)
            return structured(result)

        workflow_id = (await call("create_workflow", name="Pay ACME"))["workflowId"]
        seen = await call("describe_page", workflow_id=workflow_id, url=page)
        assert seen["title"] == "Orders"
        named = [element.get("words") for element in seen["elements"]]
        assert "Pay button in the row of ACME" in named
        assert "Customer field" in named
        proposed = (
            await call(
                "propose_blocks",
                workflow_id=workflow_id,
                session_id=seen["sessionId"],
                message=f"Open {page}. Click the Pay button in the row of ACME.",
            )
        )["blocks"]
        tested = await call("test_blocks", session_id=seen["sessionId"], blocks=proposed)
        assert tested["status"] == "Completed"
        wrong = {**navigate(page), "data": {"url": f"{site.url}/gone-{'x' * 5}"}}
        click = {"type": "Mouse", "locator": {"words": "Refund"}, "data": {"timeoutMs": 300}}
        failed = await client.call_tool(
            "test_blocks", {"session_id": seen["sessionId"], "blocks": [wrong, click]}
        )
        assert failed.is_error
        replace = {"type": "replaceAll", "blocks": proposed}
        saved = await call("edit_blocks", workflow_id=workflow_id, operations=[replace])
        assert (saved["version"], len(saved["blocks"])) == (2, len(proposed))
        assert not (await client.call_tool("pay_acme")).is_error
        not_understood = await client.call_tool(
            "propose_blocks", {"workflow_id": workflow_id, "message": "Frobnicate the wug"}
        )
        assert not_understood.is_error
        service.api(building_key).call("/liveSessions/close", {"id": seen["sessionId"]})


async def test_streams_end_when_the_key_is_revoked(service: RunningService, owner: Api) -> None:
    made = owner.call("/keys/create", {"name": "short", "scopes": ["read", "run"]})
    async with (
        asyncio.timeout(SECONDS),
        over_http(service, made["secret"]) as client,
        client.listen(tools_list_changed=True) as changes,
    ):
        await asyncio.to_thread(owner.call, "/keys/revoke", {"id": made["key"]["id"]})
        with pytest.raises(SubscriptionLost):
            await anext(aiter(changes))


async def test_a_service_that_is_not_there_ends_the_command_with_3() -> None:
    command = [sys.executable, "-m", "pagehand", "mcp", "--url", "http://127.0.0.1:9"]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    _, said = await process.communicate()
    assert (process.returncode, b"pagehand serve" in said) == (3, True)

"""The table of operations: what is checked before anything runs, what is published after, what is logged."""

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
import structlog
from starlette.types import Message, Scope

from pagehand.api import openapi
from pagehand.api.fields import EmptyRequest, View
from pagehand.api.operation import Call, Result, operation, public_get
from pagehand.api.resources import operations
from pagehand.api.router import OperationRouter

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio


async def test_service_that_is_starting_answers_nobody_and_says_what_it_waits_for(api: "Api") -> None:
    api.services.readiness.problem = "The database cannot be opened yet; try again shortly."
    key = await api.create_key("one")
    for path, headers in (
        ("/workflows/list", {}),
        ("/workflows/list", {"x_api_key": key}),
        # nobody's key can be looked up: it is neither right nor wrong yet
        ("/workflows/list", {"x_api_key": "ph_no_such"}),
        ("/files/download", {}),
    ):
        answer = await api.post(path, **headers)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2"), path
        assert answer.json() == {"error": api.services.readiness.problem}
    assert (await api.client.get("/healthz")).status_code == 503
    api.services.readiness.problem = ""
    assert (await api.client.get("/healthz")).json() == {"status": "ok"}


async def test_head_of_what_can_be_fetched_is_answered(api: "Api") -> None:
    answer = await api.client.head("/healthz")
    assert answer.status_code == 200
    refused = await api.client.head("/workflows/list")
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("path", "body", "noun"),
    [
        ("/tags/create", {"name": "t"}, "tag"),
        ("/knowledge/create", {"name": "d", "text": "zebra"}, "knowledge"),
        ("/webhooks/create", {"url": "https://a.example/", "events": ["batch.finished"]}, "webhook"),
        ("/keys/create", {"name": "n", "scopes": ["read"]}, "key"),
        ("/files/upload", {"name": "a", "contentBase64": ""}, "file"),
        ("/organization/update", {}, "organization"),
    ],
)
async def test_change_is_published_under_the_noun_of_its_path(
    api: "Api", path: str, body: dict[str, object], noun: str
) -> None:
    watch = api.services.changes.watch(await api.organization_id(), 60)
    first = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0)
    assert (await api.post(path, body)).status_code == 200
    assert [change.noun for change in await first] == [noun]
    await watch.aclose()


async def test_refused_call_and_one_that_only_reads_publish_nothing(api: "Api") -> None:
    await api.organization_id()
    watch = api.services.changes.watch(await api.organization_id(), 0.05)
    first = asyncio.ensure_future(anext(watch))
    await asyncio.sleep(0)
    assert (await api.post("/tags/create", {"name": ""})).status_code == 400
    assert (await api.post("/tags/delete", {"id": "tag_none"})).status_code == 404
    assert (await api.post("/tags/list")).status_code == 200
    assert await first == []
    await watch.aclose()


async def test_request_has_one_line_in_the_log_without_its_query_body_or_key(api: "Api") -> None:
    key = await api.create_key("one")
    with structlog.testing.capture_logs() as lines:
        await api.post("/tags/create", {"name": "canary-in-body"}, x_api_key=key, x_request_id="mine-1")
        await api.client.get("/files/download", params={"t": "canary-in-query"})
        api.services.request_log.write()
    seen = [line for line in lines if line["event"] == "request"]
    assert [(line["method"], line["path"], line["status"]) for line in seen] == [
        ("POST", "/tags/create", 200),
        ("GET", "/files/download", 403),
    ]
    assert seen[0]["organization"] is not None
    assert seen[1]["organization"] is None
    text = json.dumps(lines, default=str)
    assert "canary" not in text
    assert key not in text


async def test_two_operations_of_one_path_fail_the_build(api: "Api") -> None:
    async def nothing(_: Call[EmptyRequest]) -> View:
        """Answers with nothing."""
        return View()

    duplicate = operation("/tags/list", scope="read")(nothing)
    with pytest.raises(ValueError, match=r"`/tags/list` is declared twice"):
        OperationRouter((*operations(), duplicate), api.services)
    assert public_get("/somewhere/else.json")(nothing).name == "somewhereElseJson"


@pytest.mark.parametrize(
    "path", ["/keys/create", "/keys/list", "/console/session", "/workflows/create", "/nothing"]
)
async def test_no_answer_is_kept_or_taken_for_another_type(api: "Api", path: str) -> None:
    body = {"name": "one", "scopes": ["read"], "key": await api.create_key("one")}
    fields = {
        "/keys/create": ("name", "scopes"),
        "/console/session": ("key",),
        "/workflows/create": ("name",),
    }
    answer = await api.post(path, {name: body[name] for name in fields.get(path, ())})
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/docs", "/sign-in", "/executions/exec_1"])
async def test_no_page_can_be_framed_or_leaks_its_address(api: "Api", path: str) -> None:
    page = await api.client.get(path, headers={"accept": "text/html"})
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["x-content-type-options"] == "nosniff"


async def test_the_description_is_made_once_for_all_who_ask_at_the_same_time(
    api: "Api", monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []

    def describe(*_: object) -> dict[str, str]:
        made.append(_)
        return {"openapi": "3.1.0"}

    monkeypatch.setattr(openapi, "describe_operations", describe)
    answers = await asyncio.gather(*(api.client.get("/openapi.json") for _ in range(10)))
    assert [answer.status_code for answer in answers] == [200] * 10
    assert len(made) == 1


async def test_a_request_that_still_waits_when_the_service_stops_is_answered(api: "Api") -> None:
    began = asyncio.Event()

    @public_get("/wait")
    async def wait(_: Call[EmptyRequest]) -> Result:
        """Wait for ever."""
        began.set()
        await asyncio.Event().wait()
        return b""

    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: Scope = {"type": "http", "method": "GET", "path": "/wait", "headers": [], "query_string": b""}
    task = asyncio.create_task(OperationRouter([wait], api.services).handle(scope, receive, send))
    await began.wait()
    task.cancel()
    await task
    assert [message.get("status") for message in sent] == [503, None]
    assert json.loads(sent[1]["body"]) == {"error": "The service is stopping; try again shortly"}


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/workflow/list", "/workflows/list"),
        ("/Workflows/List", "/workflows/list"),
        ("/workflows/list/", "/workflows/list"),
        ("/executions/lst", "/executions/list"),
    ],
)
async def test_mistyped_path_names_the_operation_that_was_meant(api: "Api", path: str, meant: str) -> None:
    answer = await api.post(path)
    assert answer.status_code == 404
    assert answer.json()["error"] == f"There is no `{path}` here; did you mean `{meant}`?"


async def test_path_like_no_operation_leads_to_the_list_of_them(api: "Api") -> None:
    assert "`/openapi.json` lists" in (await api.post("/wp-login.php")).json()["error"]

"""What the Python client sends, and what it sends again when the service is busy or the answer is lost."""

import ast
import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

import pagehand.client
from pagehand.api.resources import operations
from pagehand.client import ApiError, AsyncPagehand, ExecutionFailed, Pagehand, Unreachable, plans
from pagehand.client.drivers import Method
from support.http_server import HttpReply, HttpRequest, HttpServer

LOST = 0
"""A status that stands for a connection that breaks before the answer."""


@dataclass
class BusyServer:
    """Answers with the given statuses in order, then with 200."""

    statuses: list[int] = field(default_factory=list[int])
    received: list[HttpRequest] = field(default_factory=list[HttpRequest])
    answer: bytes = b'{"execution": {"id": "exec_1", "status": "InProgress"}, "file": {"id": "file_1"}}'
    url: str = ""

    @property
    def fields(self) -> list[Any]:
        """What each request said."""
        return [json.loads(request.body) for request in self.received]

    def respond(self, request: HttpRequest) -> HttpReply:
        self.received.append(request)
        status = self.statuses.pop(0) if self.statuses else 200
        if status == LOST:
            return HttpReply(drops=True)
        body = self.answer if status == 200 else b'{"error": "Too much at once."}'
        return HttpReply(body, status, {"Retry-After": "0"})


@pytest.fixture
def server() -> Iterator[BusyServer]:
    busy = BusyServer()
    with HttpServer(busy.respond) as http:
        busy.url = http.url
        yield busy


@pytest.fixture(params=["waiting", "awaited"])
def call(request: pytest.FixtureRequest, server: BusyServer) -> Any:
    """Calls a method of one of the clients by its name."""

    def wait(name: str, /, *given: Any, **named: Any) -> Any:
        with Pagehand(server.url, "a-key") as client:
            return getattr(client, name)(*given, **named)

    def run(name: str, /, *given: Any, **named: Any) -> Any:
        async def call_it() -> Any:
            async with AsyncPagehand(server.url, "a-key") as client:
                return await getattr(client, name)(*given, **named)

        return asyncio.run(call_it())

    return wait if request.param == "waiting" else run


def test_a_busy_service_is_asked_again_with_the_same_key(server: BusyServer, call: Any) -> None:
    server.statuses = [429, 503]
    assert call("start", "Headline", url="x").id == "exec_1"
    assert [request.path for request in server.received] == ["/workflows/execute"] * 3
    assert len({request.headers["idempotency-key"] for request in server.received}) == 1
    assert {request.headers["authorization"] for request in server.received} == {"Bearer a-key"}
    assert server.fields[2] == {"workflowName": "Headline", "params": {"url": "x"}}


def test_each_start_has_a_key_of_its_own(server: BusyServer, call: Any) -> None:
    call("start", "wf_1")
    call("workflows_execute", workflow_id="wf_1")
    assert len({request.headers["idempotency-key"] for request in server.received}) == 2
    assert [fields["workflowId"] for fields in server.fields] == ["wf_1", "wf_1"]


def test_what_has_a_key_is_sent_again_when_the_answer_is_lost(server: BusyServer, call: Any) -> None:
    server.statuses = [LOST]
    call("start", "Headline")
    assert len({request.headers["idempotency-key"] for request in server.received}) == 1
    assert len(server.received) == 2


@pytest.mark.parametrize("path", ["/workflows/create", "/batches/create"])
def test_what_has_no_key_is_not_sent_twice(server: BusyServer, call: Any, path: str) -> None:
    server.statuses = [LOST]
    with pytest.raises(Unreachable):
        call("call", path, {"name": "x"})
    assert len(server.received) == 1
    assert "idempotency-key" not in server.received[0].headers


def test_a_file_is_sent_whole_at_every_try(server: BusyServer, call: Any, tmp_path: Path) -> None:
    content = bytes(range(256)) * 1000
    (tmp_path / "scan.pdf").write_bytes(content)
    server.statuses = [503, 429]
    assert call("upload", tmp_path / "scan.pdf") == {"id": "file_1"}
    assert [content in request.body for request in server.received] == [True] * 3
    assert b'filename="scan.pdf"' in server.received[2].body


def test_a_file_is_written_where_it_is_wanted(server: BusyServer, call: Any, tmp_path: Path) -> None:
    server.statuses = [503]
    server.answer = b"\x00zip" * 100_000
    assert call("executions_evidence", id="exec_1", to=tmp_path / "all.zip") == tmp_path / "all.zip"
    assert (tmp_path / "all.zip").read_bytes() == server.answer
    assert server.fields == [{"id": "exec_1"}] * 2


def test_a_refusal_is_raised_and_nothing_is_written(server: BusyServer, call: Any, tmp_path: Path) -> None:
    server.statuses = [404]
    with pytest.raises(ApiError, match="Too much") as refused:
        call("download", "/files/x", tmp_path / "x")
    assert refused.value.status == 404
    assert not (tmp_path / "x").exists()


def test_keywords_become_the_fields_of_the_api(server: BusyServer, call: Any) -> None:
    call("logins_create", name="x", authentication_url="y", use_llm_login_detection=True)
    call("organization_update", proxy=None)
    assert server.fields[0] == {"name": "x", "authenticationUrl": "y", "useLLMLoginDetection": True}
    assert server.fields[1] == {"proxy": None}


def test_a_failed_run_says_why(server: BusyServer, call: Any) -> None:
    failure = {"code": "NotFound", "message": "No element matches `Save`."}
    execution = {"id": "e", "status": "Failed", "failure": failure, "errorAnalysis": "The page has changed."}
    server.answer = json.dumps({"execution": execution}).encode()
    with pytest.raises(ExecutionFailed, match="No element matches") as failed:
        call("run", "Headline")
    assert failed.value.failure["code"] == "NotFound"
    assert failed.value.analysis == "The page has changed."


def test_nobody_there_is_said_at_once() -> None:
    with Pagehand("http://127.0.0.1:9") as client, pytest.raises(Unreachable):
        client.workflows_list()


def answered_with(*answers: httpx2.Response) -> Iterator[float]:
    """The pauses of a call that gets these answers; raises what the call raises."""
    plan = plans.call("/workflows/list")
    step = next(plan)
    for answer in answers:
        assert isinstance(step, plans.Send)
        step = plan.send(answer)
        assert isinstance(step, plans.Pause)
        yield step.seconds
        step = next(plan)


def busy(retry_after: str | None = None) -> httpx2.Response:
    return httpx2.Response(503, headers={"retry-after": retry_after} if retry_after else {}, json={})


def test_the_pause_is_the_one_that_the_service_asks_for() -> None:
    asked, longest = answered_with(busy("7"), busy("3600"))
    assert 7 <= asked <= 7 * 1.25
    assert 30 <= longest <= 30 * 1.25


@pytest.mark.parametrize("said", [None, "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_pauses_grow_until_it_gives_up(said: str | None) -> None:
    with pytest.raises(ApiError) as refused:
        list(answered_with(*[busy(said)] * 6))
    assert refused.value.status == 503
    pauses = list(answered_with(*[busy(said)] * 5))
    assert all(0.25 * 2**number <= pause <= 0.3125 * 2**number for number, pause in enumerate(pauses))


def test_keys_are_sent_where_the_service_reads_them() -> None:
    assert set(plans.WITH_KEY) == {
        operation.path for operation in operations() if "Idempotency-Key" in operation.headers
    }


def test_every_operation_is_a_method_of_both_clients() -> None:
    described = [
        operation for operation in operations() if operation.in_openapi and operation.method == "POST"
    ]
    methods = [name for name, value in vars(pagehand.client.Operations).items() if isinstance(value, Method)]
    assert len(methods) == len(described) > 90
    for client in (Pagehand, AsyncPagehand):
        assert all(isinstance(getattr(client, name), Method) for name in methods)


def test_nothing_but_httpx2_and_msgspec_is_imported() -> None:
    allowed = {*sys.stdlib_module_names, "httpx2", "msgspec"}
    for path in Path(pagehand.client.__file__ or "").parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            others = [name for name in names if name.split(".")[0] not in allowed]
            assert all(name.startswith("pagehand.client") for name in others), (path.name, others)
    program = "import sys, pagehand.client; print([m for m in sys.modules if m.startswith('pagehand.')])"
    command = [sys.executable, "-c", program]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own
    assert all(name.startswith("pagehand.client") for name in ast.literal_eval(loaded))

"""Traces of executions, as a collector of OpenTelemetry gets them."""

import asyncio
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from pagehand.assemble.services import traces
from pagehand.engine.reporting.events import trace_id_of
from pagehand.engine.reporting.opentelemetry import OpenTelemetryTraces
from pagehand.errors import UserMistake
from support.collector import Collector, collector, values
from support.engines import Client, single_service

pytestmark = pytest.mark.anyio
ERROR = Status.STATUS_CODE_ERROR
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
NAP: dict[str, Any] = {"type": "Wait", "name": "Acme's nap", "data": {"durationMs": 1}}
LOOP: dict[str, Any] = {"type": "LoopV2", "data": {"over": {"times": 2}}, "sequenceData": {"sequence": [NAP]}}
FAILS: dict[str, Any] = {"type": "FailOnCondition", "data": {"condition": "params.n == 1", "message": "No."}}


@pytest.fixture
def collected(monkeypatch: pytest.MonkeyPatch) -> Generator[Collector]:
    """A collector that the services of this test send their traces to."""
    with collector() as made:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", made.address)
        yield made


async def run(client: Client, workflow: str, **headers: str) -> dict[str, Any]:
    fields = {"workflowId": workflow, "params": {"n": 1, "secret": "Acme's own"}}
    answer = await client.http.post("/workflows/executeSync", json=fields, headers=headers)
    return answer.json()["execution"]


@pytest.mark.slow
async def test_one_trace_per_execution_and_one_span_per_block(collected: Collector, tmp_path: Path) -> None:
    async with single_service(tmp_path) as service:
        workflow = await service.api.create(LOOP, NAP)
        done = await run(service.api, workflow)
    [execution] = collected.named("execution")
    assert execution.trace_id.hex() == trace_id_of(done["id"]) == done["metadata"]["traceId"]
    assert execution.parent_span_id == b""
    assert values(execution.attributes) == {
        "pagehand.execution.id": done["id"],
        "pagehand.organization.id": values(execution.attributes)["pagehand.organization.id"],
        "pagehand.workflow.id": workflow,
        "pagehand.attempt": 1,
        "pagehand.status": "Completed",
    }
    loop, nap = collected.below(execution)
    assert [span.name for span in (loop, *collected.below(loop), nap)] == ["LoopV2", "Wait", "Wait", "Wait"]
    assert {span.trace_id for span in collected.spans} == {execution.trace_id}
    assert values(loop.attributes)["pagehand.block.kind"] == "LoopV2"
    assert values(loop.attributes)["pagehand.status"] == "finished"
    assert collected.resources[0]["service.name"] == "pagehand"
    assert "Acme" not in str(collected.spans)  # no names, no values


@pytest.mark.slow
async def test_a_failure_is_an_error_of_the_block_and_of_the_execution(
    collected: Collector, tmp_path: Path
) -> None:
    async with single_service(tmp_path) as service:
        loop = {**LOOP, "sequenceData": {"sequence": [FAILS]}}
        done = await run(service.api, await service.api.create(loop, NAP))
    assert done["status"] == "Failed"
    [execution] = collected.named("execution")
    assert execution.status.code == ERROR
    assert values(execution.attributes)["pagehand.code"] == done["failure"]["code"]
    [loop_span] = collected.below(execution)
    assert loop_span.status.code == ERROR
    assert [span.status.code for span in collected.below(loop_span)] == [ERROR]


async def test_the_callers_trace_is_gone_on_with(collected: Collector, tmp_path: Path) -> None:
    async with single_service(tmp_path) as service:
        workflow = await service.api.create(NAP)
        done = await run(service.api, workflow, traceparent=CALLER)
        other = await run(service.api, workflow, traceparent="00-nonsense")
    spans = {values(span.attributes)["pagehand.execution.id"]: span for span in collected.named("execution")}
    assert spans[done["id"]].trace_id.hex() == "0af7651916cd43dd8448eb211c80319c"
    assert spans[done["id"]].parent_span_id.hex() == "b7ad6b7169203331"
    assert done["metadata"]["traceId"] == "0af7651916cd43dd8448eb211c80319c"
    assert spans[other["id"]].trace_id.hex() == trace_id_of(other["id"])


@pytest.mark.slow
async def test_each_execution_of_a_batch_has_its_own_trace(collected: Collector, tmp_path: Path) -> None:
    async with single_service(tmp_path) as service:
        workflow = await service.api.create(NAP)
        made = await service.api.call("/batches/create", name="Two", workflowId=workflow, rows=[{}, {}])
        listed = await service.api.call("/executions/list", batch=made["batch"]["id"])
        ended = [await service.api.wait_for(item["id"], "Completed") for item in listed["executions"]]
    assert {span.trace_id.hex() for span in collected.named("execution")} == {
        trace_id_of(item["id"]) for item in ended
    }
    assert len(ended) == 2


async def test_nothing_is_traced_unless_asked_for(tmp_path: Path) -> None:
    async with single_service(tmp_path) as service:
        done = await run(service.api, await service.api.create(NAP), traceparent=CALLER)
    assert "traceId" not in done["metadata"]
    assert "traceparent" not in done["metadata"]


@pytest.mark.parametrize("name", ["OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER"])
async def test_the_standard_variables_turn_traces_off(
    name: str, collected: Collector, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(name, {"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "none"}[name])
    async with single_service(tmp_path) as service:
        await run(service.api, await service.api.create(NAP))
    assert collected.spans == []


def test_a_missing_extra_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(UserMistake, match=r"pip install pagehand\[otel\]"):
        traces()


def test_a_protocol_that_is_not_spoken_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    with pytest.raises(UserMistake, match="`http/protobuf`, not as `grpc`"):
        traces()


@pytest.mark.slow
def test_the_sdk_is_not_loaded_where_traces_are_off() -> None:
    code = "import pagehand.assemble, sys; print('opentelemetry.sdk' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - our own command
    assert shown.stdout.strip() == "False"


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [None, b"\0 garbage\r\n\r\n", b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"],
    ids=["hangs", "garbage", "503"],
)
async def test_collector_that_is_away_delays_no_end_and_fills_no_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, answer: bytes | None
) -> None:
    connections: list[asyncio.StreamWriter] = []

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        await reader.readuntil(b"\r\n\r\n")
        if answer is not None:
            writer.write(answer)
            writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
    made, close = traces()
    assert isinstance(made, OpenTelemetryTraces)
    for number in range(5000):  # more than are kept
        made._tracer.start_span(f"span {number}").end()  # pyright: ignore[reportPrivateUsage] - without an execution
    async with asyncio.timeout(20):  # each of several batches is tried for 10 s
        await close()
    server.close()
    for connection in connections:
        connection.close()
    lines = [record.msg for record in caplog.records if "trace_exporter" in record.name]
    assert len(lines) == len(set(lines))

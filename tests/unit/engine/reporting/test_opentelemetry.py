"""One trace per execution, a span per attempt and block, and nothing of an organization in them."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from pagehand.engine.reporting.events import NoTraces, logged_trace, trace_id_of
from pagehand.engine.reporting.opentelemetry import ExecutionIds, OpenTelemetryTraces
from pagehand.records import Execution
from pagehand.workflow.tree import Envelope

MakeExecution = Callable[..., Execution]
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class RecordedSpans:
    """Traces, and the spans that have ended."""

    def __init__(self) -> None:
        self._spans = InMemorySpanExporter()
        provider = TracerProvider(id_generator=ExecutionIds())
        provider.add_span_processor(SimpleSpanProcessor(self._spans))
        self.traces = OpenTelemetryTraces(provider)

    @property
    def spans(self) -> Sequence[ReadableSpan]:
        return self._spans.get_finished_spans()

    def one(self, name: str) -> ReadableSpan:
        [span] = [span for span in self.spans if span.name == name]
        return span


def block(name: str) -> Envelope:
    return Envelope(id=f"block_{name}", type=name, name="Open ACME", block_reference_id=name, data={})


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def trace_of(span: ReadableSpan) -> str:
    assert span.context is not None
    return f"{span.context.trace_id:032x}"


@pytest.mark.parametrize(
    ("header", "metadata"),
    [
        (CALLER, {"traceId": "0af7651916cd43dd8448eb211c80319c", "traceparent": CALLER}),
        (None, {"traceId": trace_id_of("exec_1")}),
        ("00-zz-b7ad6b7169203331-01", {"traceId": trace_id_of("exec_1")}),
        (f"00-{'0' * 32}-b7ad6b7169203331-01", {"traceId": trace_id_of("exec_1")}),
        (CALLER + "-more", {"traceId": trace_id_of("exec_1")}),
    ],
)
def test_a_callers_trace_is_taken_over_and_a_header_that_is_not_one_is_ignored(
    header: str | None, metadata: dict[str, str]
) -> None:
    assert RecordedSpans().traces.metadata("exec_1", header) == metadata


def test_every_attempt_is_part_of_the_executions_one_trace(make_execution: MakeExecution) -> None:
    recorded, execution = RecordedSpans(), make_execution()
    for attempt in (1, 2):
        execution.attempts = attempt
        recorded.traces.begin(execution).end("Enqueued" if attempt == 1 else "Completed", "")
    first, second = recorded.spans
    assert {trace_of(first), trace_of(second)} == {trace_id_of(execution.id)}
    assert [attributes(span)["pagehand.attempt"] for span in (first, second)] == [1, 2]
    assert {span.status.status_code for span in (first, second)} == {StatusCode.UNSET}


def test_an_execution_that_a_span_asked_for_is_below_it(make_execution: MakeExecution) -> None:
    recorded = RecordedSpans()
    recorded.traces.begin(make_execution(metadata={"traceparent": CALLER})).end("Completed", "")
    [span] = recorded.spans
    assert trace_of(span) == "0af7651916cd43dd8448eb211c80319c"
    assert span.parent is not None
    assert f"{span.parent.span_id:016x}" == "b7ad6b7169203331"


def test_blocks_are_below_their_containers(make_execution: MakeExecution) -> None:
    recorded = RecordedSpans()
    trace = recorded.traces.begin(make_execution())
    for kind, of in [("started", "Loop"), ("started", "Wait"), ("finished", "Wait"), ("finished", "Loop")]:
        trace.event(f"block.{kind}", block(of), {})
    trace.end("Completed", "")
    wait, outer, attempt = (recorded.one(name) for name in ("Wait", "Loop", "execution"))
    assert (wait.parent, outer.parent) == (outer.context, attempt.context)
    assert attributes(wait) == {
        "pagehand.block.id": "block_Wait",
        "pagehand.block.kind": "Wait",
        "pagehand.status": "finished",
    }


def test_a_failure_marks_its_block_and_the_attempt_with_the_code_alone(make_execution: MakeExecution) -> None:
    recorded = RecordedSpans()
    trace = recorded.traces.begin(make_execution(workflow_name="ACME invoices"))
    trace.event("block.started", block("Mouse"), {})
    trace.event("block.failed", block("Mouse"), {"input": {"text": "ACME"}})
    trace.end("Failed", "ElementNotFound")
    attempt = recorded.one("execution")
    assert attributes(attempt)["pagehand.code"] == "ElementNotFound"
    assert {span.status.status_code for span in recorded.spans} == {StatusCode.ERROR}
    assert not any("ACME" in span.to_json() for span in recorded.spans)


def test_what_was_interrupted_within_a_block_ends_with_it(make_execution: MakeExecution) -> None:
    recorded = RecordedSpans()
    trace = recorded.traces.begin(make_execution())
    for of in ("If", "Loop", "Wait"):
        trace.event("block.started", block(of), {})
    trace.event("block.skipped", block("Loop"), {})
    trace.event("block.finished", block("Mouse"), {})  # never began: nothing ends
    trace.event("login.kept", None, {})
    trace.end("Interrupted", "")
    ended = {span.name: attributes(span).get("pagehand.status") for span in recorded.spans}
    assert ended == {"Wait": "skipped", "Loop": "skipped", "If": "interrupted", "execution": "Interrupted"}
    assert recorded.one("execution").status.status_code is StatusCode.ERROR


def test_without_traces_nothing_is_shown_of_them(make_execution: MakeExecution) -> None:
    traces, execution = NoTraces(), make_execution()
    assert traces.metadata(execution.id, CALLER) == {}
    trace = traces.begin(execution)
    trace.event("block.started", block("Wait"), {})
    trace.end("Completed", "")
    assert logged_trace(execution) == {}
    assert logged_trace(make_execution(metadata={"traceId": "abc"})) == {"trace": "abc"}

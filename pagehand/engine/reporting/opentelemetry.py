"""Traces with OpenTelemetry, sent over OTLP; loaded only where they are asked for.

Attributes hold ids, kinds, statuses and codes: no names of an organization, no values, no messages.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final

from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import (
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from pagehand.engine.reporting.events import TRACEPARENT, Trace, trace_id_of
from pagehand.records import Execution, Json
from pagehand.workflow.tree import Envelope

_BLOCK_ENDS: Final = {"block.finished": "finished", "block.failed": "failed", "block.skipped": "skipped"}
_SUCCESSFUL: Final = ("Completed", "Enqueued")

_next_trace_id: ContextVar[int | None] = ContextVar("next_trace_id", default=None)


class ExecutionIds(RandomIdGenerator):
    """Gives an execution's trace its own id, so that every attempt is part of the same trace."""

    def generate_trace_id(self) -> int:
        """The id that `begin` chose, or a random one."""
        return _next_trace_id.get() or super().generate_trace_id()


class OpenTelemetryTraces:
    """Implements `Traces` over a provider that was made with `ExecutionIds`."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("pagehand")

    def metadata(self, execution_id: str, traceparent: str | None) -> Json:
        """The trace's id, and the caller's span where there is one; a header that is not valid is ignored."""
        caller = TRACEPARENT.fullmatch(traceparent or "")
        if caller is None:
            return {"traceId": trace_id_of(execution_id)}
        return {"traceId": caller[1], "traceparent": caller[0]}

    def begin(self, execution: Execution) -> Trace:
        """Begin the span of an attempt: below its caller's, or the first of its trace."""
        # the SDK asks its generator only for spans without a parent, so a caller's trace stays the caller's
        chosen = _next_trace_id.set(int(trace_id_of(execution.id), 16))
        try:
            attempt = self._tracer.start_span(
                "execution",
                _caller(execution),
                SpanKind.CONSUMER,
                {
                    "pagehand.execution.id": execution.id,
                    "pagehand.organization.id": execution.organization_id,
                    "pagehand.workflow.id": execution.workflow_id,
                    "pagehand.attempt": execution.attempts,
                },
            )
        finally:
            _next_trace_id.reset(chosen)
        return _Spans(self, attempt)

    def begin_block(self, block: Envelope, parent: Span) -> Span:
        """Begin the span of a block below another's."""
        attributes = {"pagehand.block.id": block.id, "pagehand.block.kind": block.type}
        return self._tracer.start_span(
            block.type, set_span_in_context(parent, Context()), attributes=attributes
        )


class _Spans:
    """The spans of one attempt that have not ended, outermost first; blocks run one after the other."""

    def __init__(self, traces: OpenTelemetryTraces, attempt: Span) -> None:
        self._traces = traces
        self._attempt = attempt
        self._open: list[tuple[str, Span]] = []

    def event(self, type: str, block: Envelope | None, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        """Begin or end the span of a block."""
        del data
        if block is None:
            return
        if type == "block.started":
            parent = self._open[-1][1] if self._open else self._attempt
            self._open.append((block.id, self._traces.begin_block(block, parent)))
        elif type in _BLOCK_ENDS and any(block_id == block.id for block_id, _ in self._open):
            while self._end_innermost(_BLOCK_ENDS[type]) != block.id:
                pass  # blocks within it were interrupted without an event

    def end(self, status: str, code: str) -> None:
        """End what is open; blocks were interrupted if they still are."""
        while self._open:
            self._end_innermost("interrupted")
        self._attempt.set_attribute("pagehand.status", status)
        if code:
            self._attempt.set_attribute("pagehand.code", code)
        if status not in _SUCCESSFUL:
            # the code and not the message: messages may hold what a page shows
            self._attempt.set_status(StatusCode.ERROR, code or None)
        self._attempt.end()

    def _end_innermost(self, status: str) -> str:
        block_id, span = self._open.pop()
        span.set_attribute("pagehand.status", status)
        if status in ("failed", "interrupted"):
            span.set_status(StatusCode.ERROR)
        span.end()
        return block_id


def _caller(execution: Execution) -> Context:
    """The trace context of the request for the execution; an empty one without `traceparent`."""
    caller = TRACEPARENT.fullmatch(execution.metadata.get("traceparent") or "")
    if caller is None:
        return Context()
    # the flags say whether the caller samples: then so do we
    trace_id, span_id, flags = (int(part, 16) for part in caller.groups())
    remote = SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(flags))
    return set_span_in_context(NonRecordingSpan(remote), Context())

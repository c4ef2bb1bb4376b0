"""Whether traces are made, and where they go: OpenTelemetry's own variables say so."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Final

from pagehand.engine.reporting.traces import NoTraces, Traces
from pagehand.errors import UserMistake

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_OURS: Final = "http/protobuf"
_INSTALL: Final = "pip install pagehand[otel]"
_LAST_SPANS_MS: Final = 3000

Close = Callable[[], Awaitable[None]]


def traces() -> tuple[Traces, Close]:
    """What makes traces in this process, and what sends the last of them at the end."""
    endpoint = next((name for name in _ENDPOINTS if os.environ.get(name)), None)
    if endpoint is None or _is_off():
        return NoTraces(), _nothing
    protocol = next((name for name in _PROTOCOLS if os.environ.get(name)), None)
    if protocol is not None and os.environ[protocol] != _OURS:
        raise UserMistake(f"`{protocol}`: traces are sent as `{_OURS}`, not as `{os.environ[protocol]}`.")
    try:
        # an extra that most services do not have
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

        from pagehand.engine.reporting.opentelemetry import (  # noqa: PLC0415
            ExecutionIds,
            OpenTelemetryTraces,
        )
    except ImportError as error:
        raise UserMistake(f"`{endpoint}` asks for traces, which need `{_INSTALL}`.") from error
    own = {} if "service.name" in _named_service() else {"service.name": "pagehand"}
    provider = TracerProvider(
        resource=Resource.create(own), id_generator=ExecutionIds(), shutdown_on_exit=False
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))

    async def close() -> None:
        # sending blocks, and a collector that is away must not keep the process
        await asyncio.to_thread(provider.force_flush, _LAST_SPANS_MS)
        await asyncio.to_thread(provider.shutdown)

    return OpenTelemetryTraces(provider), close


def _is_off() -> bool:
    is_disabled = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    return is_disabled or os.environ.get("OTEL_TRACES_EXPORTER", "").lower() == "none"


def _named_service() -> str:
    """What the operator says of the resource; `service.name` is in it when the service has a name."""
    return (
        "service.name"
        if os.environ.get("OTEL_SERVICE_NAME")
        else os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    )


async def _nothing() -> None:
    """There is nothing to send."""

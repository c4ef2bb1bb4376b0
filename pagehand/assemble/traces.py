"""Sets up traces as OpenTelemetry's environment variables say."""

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable
from math import inf
from time import monotonic
from typing import Final

from pagehand.engine.reporting.traces import NoTraces, Traces
from pagehand.errors import UserMistake

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_PROTOCOL: Final = "http/protobuf"
_INSTALL: Final = "pip install pagehand[otel]"
_LAST_SPANS_SECONDS: Final = 3.0
_REPEAT_SECONDS: Final = 60.0

Close = Callable[[], Awaitable[None]]


def traces() -> tuple[Traces, Close]:
    """The traces of this process, and a function that sends the last of them at the end."""
    endpoint = next((name for name in _ENDPOINTS if os.environ.get(name)), None)
    if endpoint is None or _is_disabled():
        return NoTraces(), _close_nothing
    protocol = next((name for name in _PROTOCOLS if os.environ.get(name)), None)
    if protocol is not None and os.environ[protocol] != _PROTOCOL:
        raise UserMistake(f"`{protocol}`: traces are sent as `{_PROTOCOL}`, not as `{os.environ[protocol]}`.")
    try:
        # an optional dependency that most installations do not have
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
    name = {} if _has_service_name() else {"service.name": "pagehand"}
    provider = TracerProvider(
        resource=Resource.create(name), id_generator=ExecutionIds(), shutdown_on_exit=False
    )
    exporter = OTLPSpanExporter()
    provider.add_span_processor(BatchSpanProcessor(exporter))
    logging.getLogger(OTLPSpanExporter.__module__).addFilter(_OncePerMinute())

    async def close() -> None:
        # The SDK takes no notice of a time limit here and tries again for a minute, so a thread that the end
        # of the process does not wait for sends the last spans.
        sending = threading.Thread(target=provider.shutdown, daemon=True)
        sending.start()
        await asyncio.to_thread(sending.join, _LAST_SPANS_SECONDS)
        if sending.is_alive():
            exporter.shutdown()  # ends the repeated tries

    return OpenTelemetryTraces(provider), close


def _is_disabled() -> bool:
    is_sdk_disabled = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    return is_sdk_disabled or os.environ.get("OTEL_TRACES_EXPORTER", "").lower() == "none"


def _has_service_name() -> bool:
    """Whether the operator has named the service."""
    return bool(os.environ.get("OTEL_SERVICE_NAME")) or "service.name" in os.environ.get(
        "OTEL_RESOURCE_ATTRIBUTES", ""
    )


async def _close_nothing() -> None:
    """Do nothing: without traces there are no spans to send."""


class _OncePerMinute(logging.Filter):
    """Keeps a collector that is away from filling the log: each message of the SDK comes once a minute."""

    def __init__(self) -> None:
        super().__init__()
        self._logged_at: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the message, without its values, has not been logged for a minute."""
        message, now = str(record.msg), monotonic()
        if now - self._logged_at.get(message, -inf) < _REPEAT_SECONDS:
            return False
        self._logged_at[message] = now
        return True

"""A collector of OpenTelemetry traces on loopback: takes OTLP over HTTP and keeps the spans."""

import gzip
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from support.http_server import HttpReply, HttpRequest, HttpServer


class Collector:
    """The spans that arrived, and where to send more."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.spans: list[Any] = []
        self.resources: list[dict[str, Any]] = []

    def take(self, body: bytes) -> None:
        """Keep what one request brought."""
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.resources.append(values(group.resource.attributes))
            self.spans += [span for scope in group.scope_spans for span in scope.spans]

    def below(self, parent: Any) -> list[Any]:
        """The spans whose parent is that one, in the order in which they began."""
        found = [span for span in self.spans if span.parent_span_id == parent.span_id]
        return sorted(found, key=lambda span: span.start_time_unix_nano)

    def named(self, name: str) -> list[Any]:
        """The spans of that name."""
        return [span for span in self.spans if span.name == name]


def values(attributes: Sequence[Any]) -> dict[str, Any]:
    """Attributes as a dict."""
    return {item.key: item.value.string_value or item.value.int_value for item in attributes}


@contextmanager
def collector() -> Generator[Collector]:
    """A collector that listens."""

    def respond(request: HttpRequest) -> HttpReply:
        is_packed = request.headers.get("content-encoding") == "gzip"
        made.take(gzip.decompress(request.body) if is_packed else request.body)
        return HttpReply()

    with HttpServer(respond) as server:
        made = Collector(server.url)
        yield made

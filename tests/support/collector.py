"""A collector of OpenTelemetry traces on loopback: takes OTLP over HTTP and keeps the spans."""

import gzip
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


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

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            made.take(gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's own word
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Collector(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

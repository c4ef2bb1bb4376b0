"""An Extract that needs a model: the first run, which asks it, against the runs after it, which do not.

    python benchmarks/cached_run.py [--times 5] [--seconds 2]

The model is a fake that takes `--seconds` to answer. The page contains no names of the wanted fields, so its
structure alone is not enough.
"""

import argparse
import statistics
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from measuring import running
from measuring.model import answering
from measuring.report import TIMES, Figure, publish

_PLAN: dict[str, Any] = {"rows": ".r", "fields": {"patient": {"css": ".a"}, "amount": {"css": ".b"}}}
_SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"patient": {"type": "string"}, "amount": {"type": "number"}},
        "required": ["patient", "amount"],
    },
}
_ROWS = "".join(f"<div class=r><b class=a>Name {at}</b><i class=b>{at}.50</i></div>" for at in range(40))
_PAGE = f"<!doctype html><title>x</title><main><h1>q</h1>{_ROWS}</main>".encode()


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(_PAGE)))
        self.end_headers()
        self.wfile.write(_PAGE)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's own name
        """Say nothing."""


@contextmanager
def _page() -> Generator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    given = parser.parse_args()
    with (
        _page() as address,
        answering(_PLAN, given.seconds) as model,
        running.running(**model.env) as service,
    ):
        client = service.client()
        blocks: list[dict[str, Any]] = [
            {"type": "Navigate", "data": {"url": address}},
            {"type": "Extract", "blockReferenceId": "rows", "data": {"schema": _SCHEMA}},
        ]
        workflow = client.create("Cached", blocks)
        began = time.perf_counter()
        first = client.execute(workflow)
        first_ms, first_calls = (time.perf_counter() - began) * 1000, model.asked
        took = client.timed(workflow, given.times, rests=True)
        second = client.execute(workflow)
        if second["response"] != first["response"] or len(first["response"]["rows"]) != 40:
            raise RuntimeError(f"the runs differ: {first['response']} {second['response']}")
    later_ms = statistics.median(took)
    publish(
        "cached_run",
        f"An Extract by a model that takes {given.seconds:g} s, and the same without it",
        [
            Figure("model calls of the first run", first_calls, "", at_most=1),
            Figure("model calls of all runs after it", model.asked - first_calls, "", at_most=0),
            Figure("wall of the first run", first_ms, "ms"),
            Figure("wall of a run after it, p50", later_ms, "ms"),
            Figure("first against later", first_ms / later_ms, TIMES, at_least=2),
        ],
    )


if __name__ == "__main__":
    main()

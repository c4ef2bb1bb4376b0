"""A site on loopback that counts the tokens which executions post to it."""

import json
import threading
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_FORM = b"<!doctype html><title>Ledger</title><form method=post><button>Pay</button></form>"


class TokenRecorder:
    """Counts the tokens that executions post, and notes when each arrived last."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.seen: Counter[str] = Counter()
        self.last: dict[str, float] = {}


@contextmanager
def token_recorder() -> Generator[TokenRecorder]:
    """A recorder on loopback; it shows a form, and answers a POST with the token."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            token = self.path.strip("/")
            recorder.last[token] = time.time()
            recorder.seen[token] += 1
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self._answer("application/json", json.dumps({"token": token}).encode())

        def do_GET(self) -> None:
            self._answer("text/html", _FORM)

        def _answer(self, kind: str, content: bytes) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            with suppress(ConnectionError):  # the client may have been killed meanwhile
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's own word
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        recorder = TokenRecorder(f"http://127.0.0.1:{server.server_address[1]}")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield recorder
        server.shutdown()

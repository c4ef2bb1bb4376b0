"""A webhook target on loopback: records what it receives, and answers with scripted statuses."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson


@dataclass
class ReceivedMessage:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> dict[str, Any]:
        return orjson.loads(self.body)


class Receiver:
    """`statuses` are used up one per request of a path, then 200; `delays` hold a path's answers back."""

    def __init__(self, port: int = 0) -> None:
        self.received: list[ReceivedMessage] = []
        self.statuses: dict[str, list[int]] = {}
        self.headers: dict[str, dict[str, str]] = {}
        self.delays: dict[str, float] = {}
        self.stopping = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                receiver.received.append(ReceivedMessage(self.path, dict(self.headers), body))
                receiver.stopping.wait(receiver.delays.get(self.path, 0))
                statuses = receiver.statuses.get(self.path)
                self.send_response(statuses.pop(0) if statuses else 200)
                for name, value in receiver.headers.get(self.path, {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's own name
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"

    def on(self, path: str, event: str | None = None) -> list[ReceivedMessage]:
        """What came to a path, of one type or all."""
        found = [item for item in list(self.received) if item.path == path]
        return [item for item in found if event in (None, item.message["type"])]

    def wait(
        self, path: str, count: int = 1, event: str | None = None, seconds: float = 20
    ) -> list[ReceivedMessage]:
        """What came to a path, once there are so many."""
        wait_until(lambda: len(self.on(path, event)) >= count, seconds)
        return self.on(path, event)


def wait_until(holds: Callable[[], object], seconds: float = 120) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"not so after {seconds} s"
        time.sleep(0.03)


@contextmanager
def webhook_receiver(port: int = 0) -> Generator[Receiver]:
    receiver = Receiver(port)
    serve = threading.Thread(
        target=receiver.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    )
    serve.start()
    yield receiver
    receiver.stopping.set()
    receiver.server.shutdown()
    receiver.server.server_close()

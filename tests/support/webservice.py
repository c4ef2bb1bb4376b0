"""A web service on loopback: it answers from a script and records its requests."""

import json
import ssl
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class ServiceRequest:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    """One answer; `drops` hangs up instead of giving it."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    drops: bool = False
    delay: float = 0


Answer = Reply | Callable[[ServiceRequest], Reply]


def json_reply(value: Any, status: int = 200, **headers: str) -> Reply:
    """A JSON answer."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Reply(json.dumps(value).encode(), status, {"Content-Type": "application/json", **named})


class WebService:
    """Answers by path; a list of answers is given one after the other, the last one for ever."""

    def __init__(self, tls: ssl.SSLContext | None = None, port: int = 0) -> None:
        self.answers: dict[str, Answer | list[Reply]] = {}
        self.requests: list[ServiceRequest] = []
        self.stopping = threading.Event()
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = ServiceRequest(self.command, self.path, headers, self.rfile.read(length))
                service.requests.append(request)
                answer = service.answer(request)
                service.stopping.wait(answer.delay)
                if answer.drops:
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(answer.body)

            do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = do_GET  # noqa: N815 - http.server's names

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's own name
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass  # callers that hang up are part of the tests

        self.server = Server(("127.0.0.1", port), Handler)
        if tls is not None:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_port
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"

    def answer(self, request: ServiceRequest) -> Reply:
        scripted = self.answers.get(request.path.partition("?")[0], _echo)
        if isinstance(scripted, Reply):
            return scripted
        if callable(scripted):
            return scripted(request)
        return scripted.pop(0) if len(scripted) > 1 else scripted[0]


def _echo(request: ServiceRequest) -> Reply:
    body = request.body.decode("latin-1")
    return json_reply(
        {"method": request.method, "path": request.path, "headers": request.headers, "body": body}
    )


@contextmanager
def web_service(tls: ssl.SSLContext | None = None, port: int = 0) -> Generator[WebService]:
    service = WebService(tls, port)
    thread = threading.Thread(
        target=service.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    )
    thread.start()
    try:
        yield service
    finally:
        service.stopping.set()
        service.server.shutdown()
        service.server.server_close()

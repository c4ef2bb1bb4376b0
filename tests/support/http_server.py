"""The HTTP server of the tests: on loopback, in threads, with a function that answers each request."""

import functools
import socket
import ssl
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self


@dataclass
class HttpRequest:
    """One request; its headers by their names in lower case."""

    method: str
    path: str
    """With the query."""
    headers: dict[str, str]
    body: bytes


@dataclass
class HttpReply:
    """One answer, held back for `delay` seconds; `drops` hangs up instead of giving it."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    drops: bool = False
    delay: float = 0


Respond = Callable[[HttpRequest], HttpReply]
Handle = Callable[[BaseHTTPRequestHandler], None]
"""Reads the request and writes the answer itself."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    _is_over = False
    _thread: threading.Thread | None = None

    def begin(self) -> None:
        """Answer in a thread."""
        self._thread = threading.Thread(target=self._answer_all, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Answer no more; a connection wakes the thread, so that it need not look from time to time."""
        self._is_over = True
        if self._thread is not None:
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", self.server_port), timeout=5).close()
            self._thread.join()
        self.server_close()

    def _answer_all(self) -> None:
        while not self._is_over:
            self.handle_request()

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # callers that hang up are part of the tests


class HttpServer:
    """Listens from the beginning; answers between `start` and `stop`, or within the context."""

    def __init__(
        self,
        respond: Respond | None = None,
        *,
        handle: Handle | None = None,
        port: int = 0,
        keeps_alive: bool = False,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._respond = respond
        self._stopping = threading.Event()
        handling = handle or self._handle

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1" if keeps_alive else "HTTP/1.0"

            def do_GET(self) -> None:
                handling(self)

            do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = do_GET  # noqa: N815 - http.server's names

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's own name
                pass

        self._server = _Server(("127.0.0.1", port), Handler)
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        assert self._respond is not None
        headers = {name.lower(): value for name, value in handler.headers.items()}
        reply = self._respond(HttpRequest(handler.command, handler.path, headers, _body(handler)))
        self._stopping.wait(reply.delay)
        if reply.drops:
            handler.close_connection = True
            return
        handler.send_response(reply.status)
        for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(reply.body)

    def start(self) -> None:
        self._server.begin()

    def stop(self) -> None:
        self._stopping.set()
        self._server.end()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _body(handler: BaseHTTPRequestHandler) -> bytes:
    if handler.headers.get("Transfer-Encoding") != "chunked":
        return handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
    parts: list[bytes] = []
    while size := int(handler.rfile.readline(), 16):
        parts.append(handler.rfile.read(size))
        handler.rfile.readline()
    handler.rfile.readline()
    return b"".join(parts)


class _Files(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own word
        pass


@contextmanager
def serving_folder(folder: Path) -> Generator[str]:
    """The address at which the files of a folder are served."""
    server = _Server(("127.0.0.1", 0), functools.partial(_Files, directory=str(folder)))
    server.begin()
    yield f"http://127.0.0.1:{server.server_port}"
    server.end()

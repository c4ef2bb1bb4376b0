"""A web site on loopback: pages by path, and the requests it received."""

import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """What the site says to one path; `delay` holds it back."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    delay: float = 0


class Site:
    """Pages by path, and the requests that came."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.hits: list[str] = []
        self.cookies: dict[str, str] = {}
        self.stopping = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.split("?")[0]
                site.hits.append(self.path)
                site.cookies[path] = self.headers.get("Cookie", "")
                length = int(self.headers.get("Content-Length", "0"))
                self.rfile.read(length)
                answer = site.answers.get(path, Answer(b"nothing here", 404))
                site.stopping.wait(answer.delay)
                self.send_response(answer.status)
                headers = {
                    "Content-Type": "text/html; charset=utf-8",
                    "Content-Length": str(len(answer.body)),
                }
                for name, value in {**headers, **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            do_POST = do_GET  # noqa: N815 - the name http.server calls

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's own name
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def page(self, path: str, html: str, **more: Any) -> str:
        """Serve `html` at `path`; its URL."""
        self.answers[path] = Answer(html.encode(), **more)
        return self.url + path

    def file(self, path: str, content: bytes, mime: str, **headers: str) -> str:
        """Serve bytes at `path`; their URL."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers[path] = Answer(content, headers={"Content-Type": mime, **named})
        return self.url + path


@contextmanager
def serving() -> Generator[Site]:
    site = Site()
    thread = threading.Thread(target=site.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield site
    site.stopping.set()
    site.server.shutdown()
    site.server.server_close()

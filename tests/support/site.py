"""A web site on loopback: pages by path, and the requests it received."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from support.http_server import HttpReply, HttpRequest, HttpServer


class Site:
    """Pages by path, and the requests that came."""

    def __init__(self) -> None:
        self.answers: dict[str, HttpReply] = {}
        self.hits: list[str] = []
        self.cookies: dict[str, str] = {}
        self.server = HttpServer(self._answer)
        self.url = self.server.url

    def _answer(self, request: HttpRequest) -> HttpReply:
        path = request.path.split("?")[0]
        self.hits.append(request.path)
        self.cookies[path] = request.headers.get("cookie", "")
        reply = self.answers.get(path, HttpReply(b"nothing here", 404))
        return replace(reply, headers={"Content-Type": "text/html; charset=utf-8", **reply.headers})

    def page(self, path: str, html: str, **more: Any) -> str:
        """Serve `html` at `path`; its URL."""
        self.answers[path] = HttpReply(html.encode(), **more)
        return self.url + path

    def file(self, path: str, content: bytes, mime: str, **headers: str) -> str:
        """Serve bytes at `path`; their URL."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers[path] = HttpReply(content, headers={"Content-Type": mime, **named})
        return self.url + path


@contextmanager
def serving() -> Generator[Site]:
    site = Site()
    with site.server:
        yield site

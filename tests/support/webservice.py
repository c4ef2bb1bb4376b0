"""A web service on loopback: it answers from a script and records its requests."""

import json
import ssl
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from support.http_server import HttpReply as Reply
from support.http_server import HttpRequest as ServiceRequest
from support.http_server import HttpServer

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
        self.server = HttpServer(self._respond, port=port, tls=tls)
        self.port, self.url = self.server.port, self.server.url

    def _respond(self, request: ServiceRequest) -> Reply:
        self.requests.append(request)
        return self.answer(request)

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
    with service.server:
        yield service

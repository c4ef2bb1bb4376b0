"""A site on loopback that counts the tokens which executions post to it."""

import json
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

from support.http_server import HttpReply, HttpRequest, HttpServer

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

    def respond(request: HttpRequest) -> HttpReply:
        if request.method == "GET":
            return HttpReply(_FORM, headers={"content-type": "text/html"})
        token = request.path.strip("/")
        recorder.last[token] = time.time()
        recorder.seen[token] += 1
        return HttpReply(json.dumps({"token": token}).encode(), headers={"content-type": "application/json"})

    with HttpServer(respond) as server:
        recorder = TokenRecorder(server.url)
        yield recorder

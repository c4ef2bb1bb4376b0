"""A webhook target on loopback: records what it receives, and answers with scripted statuses."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import orjson

from support.http_server import HttpReply, HttpRequest, HttpServer
from support.waiting import wait_until


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
        self.server = HttpServer(self._answer, port=port)
        self.port, self.url = self.server.port, self.server.url

    def _answer(self, request: HttpRequest) -> HttpReply:
        self.received.append(ReceivedMessage(request.path, request.headers, request.body))
        statuses = self.statuses.get(request.path)
        return HttpReply(
            status=statuses.pop(0) if statuses else 200,
            headers=self.headers.get(request.path, {}),
            delay=self.delays.get(request.path, 0),
        )

    def on(self, path: str, event: str | None = None) -> list[ReceivedMessage]:
        """What came to a path, of one type or all."""
        found = [item for item in list(self.received) if item.path == path]
        return [item for item in found if event is None or item.message["type"] == event]

    def wait(
        self, path: str, count: int = 1, event: str | None = None, seconds: float = 20
    ) -> list[ReceivedMessage]:
        """What came to a path, once there are so many."""
        wait_until(lambda: len(self.on(path, event)) >= count, seconds)
        return self.on(path, event)


@contextmanager
def webhook_receiver(port: int = 0) -> Generator[Receiver]:
    receiver = Receiver(port)
    with receiver.server:
        yield receiver

"""A client of the live view's WebSocket."""

import json
import socket
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from wsproto import WSConnection
from wsproto.connection import ConnectionType
from wsproto.events import AcceptConnection, BytesMessage, Event, Request, TextMessage

from support.service import Json


class LiveViewClient:
    """One viewer of an execution, connected to one API node."""

    def __init__(self, live_view_url: str) -> None:
        link = urlsplit(live_view_url)
        token = parse_qs(link.query)["t"][0]
        self._socket = socket.create_connection((link.hostname, link.port), timeout=60)
        self._connection = WSConnection(ConnectionType.CLIENT)
        self._send(
            Request(
                host=link.netloc,
                target="/live/socket",
                subprotocols=["pagehand.live", f"t.{token}"],
                extra_headers=[(b"origin", f"http://{link.netloc}".encode())],
            )
        )
        self._events = self._receive()
        assert isinstance(next(self._events), AcceptConnection)

    def send(self, **fields: object) -> None:
        self._send(TextMessage(data=json.dumps(fields)))

    def picture(self) -> bytes:
        """The first whole picture from now on."""
        content = b""
        for event in self._events:
            if isinstance(event, BytesMessage):
                content += event.data
                if event.message_finished:
                    return content
        raise AssertionError("no picture came")

    def next_message(self) -> Json:
        """The next message that is not a picture."""
        text = ""
        for event in self._events:
            if isinstance(event, TextMessage):
                text += event.data
                if event.message_finished:
                    return json.loads(text)
        raise AssertionError("no message came")

    def leave(self) -> None:
        self._socket.close()

    def _send(self, event: Event) -> None:
        self._socket.sendall(self._connection.send(event))

    def _receive(self) -> Iterator[Event]:
        while data := self._socket.recv(65536):
            self._connection.receive_data(data)
            yield from self._connection.events()

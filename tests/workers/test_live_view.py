"""The browser of a worker is seen and driven through an API node."""

import json
import socket
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from wsproto import WSConnection
from wsproto.connection import ConnectionType
from wsproto.events import AcceptConnection, BytesMessage, Event, Request, TextMessage

from support.blocks import navigate, wait
from support.service import FINAL, Json
from support.site import Site
from support.workers import Fleet


class Person:
    """Somebody at the live view of an execution, at one API node."""

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
        self._events = self._heard()
        assert isinstance(next(self._events), AcceptConnection)

    def say(self, **fields: object) -> None:
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

    def told(self) -> Json:
        """The next message that is not a picture."""
        text = ""
        for event in self._events:
            if isinstance(event, TextMessage):
                text += event.data
                if event.message_finished:
                    return json.loads(text)
        raise AssertionError("nothing was told")

    def leave(self) -> None:
        self._socket.close()

    def _send(self, event: Event) -> None:
        self._socket.sendall(self._connection.send(event))

    def _heard(self) -> Iterator[Event]:
        while data := self._socket.recv(65536):
            self._connection.receive_data(data)
            yield from self._connection.events()


def test_a_person_watches_and_drives_a_workers_browser_through_a_node(fleet: Fleet, site: Site) -> None:
    first, second = fleet.node(), fleet.node()
    fleet.worker()
    site.page("/", "<p>here</p>")
    api = first.api()
    execution = api.start(api.create("watched", navigate(f"{site.url}/"), wait(600_000))["id"])["id"]
    while not (url := second.api().get(execution)["liveViewUrl"]):
        assert api.get(execution)["status"] not in FINAL
    assert url.startswith(second.url)  # the node that answers, not the worker
    person = Person(url)
    assert person.picture().startswith(b"\xff\xd8")
    person.say(type="take")
    api.wait_for(execution, "Paused")
    person.say(type="give back")
    api.wait_for(execution, "InProgress")
    api.call("/executions/cancel", {"id": execution})
    while (told := person.told())["type"] != "ended":
        pass
    assert told["type"] == "ended"
    person.leave()

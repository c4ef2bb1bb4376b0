"""Texts and connections made to keep a service busy, and what they did to it."""

import http.client
import random
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

PIECES: Final = (
    *(" ", "\t", "\n", "a", "Z", "1", "_", "-", ".", ",", ";", ":", "/", "\\", "'", '"', "(", "[", "{", "{{"),
    *(
        "}}",
        "<",
        "=",
        "@",
        "&",
        "+",
        "*",
        "a ",
        "1,",
        "a.b ",
        "click the ",
        "and then ",
        "if a, ",
        "in the row of ",
    ),
    *("{{params.a}}", "not ", "x,", "é", "\u202e", "\U0001f600", "<a ", "//", "[a]", "a@b.", "(a", "12:"),
)
LENGTHS: Final = (400, 4_000, 40_000, 200_000)
_LONGEST: Final = 9_000_000
"""Just below what a request may hold."""
_HELD: Final = re.compile(r"something held the event loop.*?seconds\W+([\d.]+)")
_TEXT: Final = "TEXT"
_CLICK: Final[dict[str, Any]] = {"type": "Mouse", "data": {"action": "click"}}
TEMPLATES: Final[tuple[tuple[str, Any], ...]] = (
    ("/workflows/blocks/chat", {"message": f"click the {_TEXT} x"}),
    ("/workflows/blocks/chat", {"message": f"if {_TEXT} is shown, click x"}),
    ("/workflows/create", {"name": _TEXT, "blocks": []}),
    *(
        ("/workflows/create", {"name": "f", "blocks": [{**_CLICK, "locator": {name: _TEXT}}]})
        for name in ("words", "text", "css", "xpath", "role", "frame")
    ),
    (
        "/workflows/create",
        {"name": "f", "blocks": [{**_CLICK, "locator": {"text": "x"}, "transformerFn": _TEXT}]},
    ),
    *(
        ("/workflows/create", {"name": "f", "blocks": [{"type": kind, "data": data}]})
        for kind, data in (
            ("Transform", {"input": _TEXT, "code": "input"}),
            ("Transform", {"input": 1, "code": _TEXT}),
            ("If", {"condition": _TEXT}),
            ("Navigate", {"url": _TEXT}),
            ("Multistep", {"prompt": _TEXT}),
        )
    ),
    ("/workflows/list", {"search": _TEXT}),
    ("/executions/list", {"search": [_TEXT]}),
    ("/knowledge/search", {"query": _TEXT}),
    ("/schedules/create", {"name": _TEXT, "cron": _TEXT, "timeZone": _TEXT, "workflowId": "wf_x"}),
    ("/webhooks/create", {"url": f"https://a.example/{_TEXT}", "events": [_TEXT]}),
    ("/logins/create", {"name": _TEXT, "authenticationUrl": _TEXT, "totpSecret": f"otpauth://totp/{_TEXT}"}),
    ("/authentication/submitTwoFactorAuthCode", {"code": _TEXT, "loginId": _TEXT}),
)
"""Requests that reach what reads a text, with the place of that text."""


def long_text(chance: random.Random) -> str:
    """A run of one piece; now and then as long as a request may be."""
    piece = chance.choice(PIECES)
    length = _LONGEST if chance.random() < 0.005 else chance.choice(LENGTHS)
    return (
        chance.choice(("", "a", "click ", "{{"))
        + piece * (length // len(piece))
        + chance.choice(("", "x", "\x01!"))
    )


def with_text(value: Any, text: str) -> Any:
    """A template of `TEMPLATES` with its text."""
    if isinstance(value, str):
        return value.replace(_TEXT, text)
    if isinstance(value, dict):
        return {name: with_text(item, text) for name, item in cast("dict[str, Any]", value).items()}
    return [with_text(item, text) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def stretch_one(value: Any, chance: random.Random) -> None:
    """Put a long text in place of one of the texts in `value`."""
    places = list(_places(value))
    if places:
        holder, key = chance.choice(places)
        holder[key] = long_text(chance)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if not isinstance(value, dict | list):
        return
    holder = cast("Any", value)
    for key, item in holder.items() if isinstance(value, dict) else enumerate(holder):
        if isinstance(item, str):
            yield holder, key
        yield from _places(item)


class SlowBodies(threading.Thread):
    """Connections whose bodies hardly arrive; each may be refused or closed, and none may break anything."""

    def __init__(self, port: int, paths: list[str], connections: int = 20) -> None:
        super().__init__(daemon=True)
        self._port, self._paths, self._connections = port, paths, connections
        self._chance = random.Random(port)
        self._ended = threading.Event()
        self.endings: Counter[str] = Counter()
        """By status, or `closed`."""

    def stop(self) -> None:
        """End, and wait for it."""
        self._ended.set()
        self.join()

    @property
    def broken(self) -> int:
        """Answers of 5xx, but for the refusal of a service that has no room."""
        return sum(count for ending, count in self.endings.items() if ending[:1] == "5" and ending != "503")

    def run(self) -> None:
        """Keep as many open as was asked."""
        held: list[socket.socket] = []
        while not self._ended.wait(0.2):
            held = [connection for connection in held if self._goes_on(connection)]
            # the service may refuse connections: then the next round tries again
            with suppress(OSError):
                while len(held) < self._connections:
                    held.append(self._open())
        for connection in held:
            connection.close()

    def _open(self) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self._port))
        connection.setblocking(False)
        length = self._chance.choice(
            ("Content-Length: 9000000", "Content-Length: 4000", "Transfer-Encoding: chunked")
        )
        head = f"POST {self._chance.choice(self._paths)} HTTP/1.1\r\nHost: 127.0.0.1\r\n{length}\r\n\r\n"
        connection.send(head.encode())
        return connection

    def _goes_on(self, connection: socket.socket) -> bool:
        try:
            answer = connection.recv(65_536)
        except BlockingIOError:
            with suppress(OSError):
                connection.send(b"1\r\n ")
                return True
            answer = b""
        except OSError:
            answer = b""
        self.endings[answer[9:12].decode("latin-1") if answer.startswith(b"HTTP/1.1 ") else "closed"] += 1
        connection.close()
        return False


class HealthWatch(threading.Thread):
    """Asks for /healthz all the while."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self._port = port
        self._ended = threading.Event()
        self.slowest = 0.0
        self.failures: list[str] = []

    def stop(self) -> None:
        """End, and wait for it."""
        self._ended.set()
        self.join()

    def run(self) -> None:
        """Every 50 ms, each on a connection of its own."""
        while not self._ended.wait(0.05):
            began = time.monotonic()
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
            try:
                connection.request("GET", "/healthz")
                status = connection.getresponse().status
                if status != http.client.OK:
                    self.failures.append(f"/healthz {status}")
            except OSError as error:
                self.failures.append(f"/healthz {error!r}")
            finally:
                connection.close()
            self.slowest = max(self.slowest, time.monotonic() - began)


def longest_hold(log: Path) -> float:
    """The most seconds of its own processor time for which the service's log says that the loop was held."""
    return max((float(seconds) for seconds in _HELD.findall(log.read_text(errors="replace"))), default=0.0)

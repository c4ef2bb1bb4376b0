"""Texts and connections made to keep a service busy, and what they did to it."""

import http.client
import multiprocessing
import random
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, cast

from pagehand.testing import standstills

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
LONGEST: Final = 9_000_000
"""Just below what a request may hold."""
_SLOWEST_JUDGED: Final = 500
_HELD: Final = re.compile(r"something held the event loop.*?seconds\W+([\d.]+)")
_SPAWN: Final = multiprocessing.get_context("spawn")
_TEXT: Final = "TEXT"
_EMPTY: Final[dict[str, Any]] = {}
_CLICK: Final[dict[str, Any]] = {"type": "Mouse", "data": {"action": "click"}}
AGENTS: Final = "/mcp"
"""It is not in the OpenAPI document."""
SESSION: Final[dict[str, Any]] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "fuzz", "version": "1"},
    },
}
"""Opens a session of an agent."""
PAGES: Final = ("/guide/", "/llms.txt", "/schemas/workflow.json", "/guide/../../etc/passwd", "/guide/%2e%2e/")
"""Public pages; what follows is a long text."""
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
    ("/workflows/apply", {"name": _TEXT, "blocks": [{**_CLICK, "locator": {"words": _TEXT}}], "force": True}),
    ("/workflows/apply", {"name": "f", "blocks": [{**_CLICK, "locator": {"words": _TEXT}}], "force": True}),
    ("/workflows/import", {"workflow": {"format": "pagehand.workflow/1", "name": _TEXT, "blocks": [_CLICK]}}),
    *(
        (AGENTS, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        for method, params in (
            ("tools/list", {"cursor": _TEXT}),
            ("tools/call", {"name": _TEXT, "arguments": _EMPTY}),
            ("tools/call", {"name": "find_workflows", "arguments": {"search": _TEXT}}),
            ("tools/call", {"name": "get_execution", "arguments": {"execution_id": _TEXT, _TEXT: 1}}),
            (
                "tools/call",
                {"name": "create_workflow", "arguments": {"name": _TEXT, "blocks": [_EMPTY] * 5000}},
            ),
            ("resources/read", {"uri": f"pagehand://files/{_TEXT}"}),
            (_TEXT, _EMPTY),
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


def long_text(chance: random.Random, length: int = 0) -> str:
    """A run of one piece; without a length, now and then as long as a request may be."""
    piece = chance.choice(PIECES)
    length = length or (LONGEST if chance.random() < 0.005 else chance.choice(LENGTHS))
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


class HealthWatch:
    """Asks for /healthz all the while, in a process of its own: generating requests would delay a thread."""

    def __init__(self, port: int, service_pid: int) -> None:
        own, other = _SPAWN.Pipe()
        self._answers = own
        self._process = _SPAWN.Process(target=_ask_for_health, args=(port, service_pid, other), daemon=True)
        self.slowest = 0.0
        """Seconds, without the time in which it waited for a processor or the machine stood still."""
        self.slowest_from = self.slowest_to = 0.0
        """When the slowest was asked and answered, by `time.time`."""
        self.failures: list[str] = []

    def start(self) -> None:
        """Begin to ask."""
        self._process.start()

    def stop(self) -> None:
        """End, and take over what was found."""
        self._answers.send(None)
        self.slowest, self.slowest_from, self.slowest_to, self.failures = self._answers.recv()
        self._process.join()


def _ask_for_health(port: int, service_pid: int, watch: Connection) -> None:
    """Every 50 ms, each on a connection of its own, until the watch sends something."""
    answers, failures = list[tuple[float, float, float]](), list[str]()
    while not watch.poll(0.05):
        began, waited = time.monotonic(), _waited_for_processor(service_pid)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("GET", "/healthz")
            status = connection.getresponse().status
            if status != http.client.OK:
                failures.append(f"/healthz {status}")
        except OSError as error:
            failures.append(f"/healthz {error!r}")
        finally:
            connection.close()
        took = time.monotonic() - began
        answers.append((time.time(), took, took - (_waited_for_processor(service_pid) - waited)))
    # only now: a standstill is written down after it, perhaps later than the answer it delayed
    slowest = sorted(answers, key=lambda answer: answer[2])[-_SLOWEST_JUDGED:]
    seconds, began, ended = max(
        (_without_standstills(*answer), answer[0] - answer[1], answer[0]) for answer in slowest
    )
    watch.send((seconds, began, ended, failures))


def _without_standstills(ended: float, took: float, own: float) -> float:
    return own - standstills.seconds_between(ended - took, ended)


def _waited_for_processor(service_pid: int) -> float:
    """How long the service's threads and this one were ready and other programs ran instead."""
    threads = [*Path(f"/proc/{service_pid}/task").iterdir(), Path("/proc/thread-self")]
    seconds = 0.0
    for thread in threads:
        with suppress(OSError):  # it has ended
            seconds += int((thread / "schedstat").read_text().split()[1]) / 1e9
    return seconds


def longest_hold(log: Path) -> float:
    """The most seconds of its own processor time for which the service's log says that the loop was held."""
    return max((float(seconds) for seconds in _HELD.findall(log.read_text(errors="replace"))), default=0.0)

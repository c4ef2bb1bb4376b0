"""Requests that never end: strangers and single keys get only their share of memory and connections."""

import json
import os
import socket
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from support.blocks import wait
from support.service import Api, RunningService
from support.waiting import wait_until

pytestmark = pytest.mark.slow
MORE_BYTES = 150_000_000
BODY = b'{"params": {"text": "' + b"x" * (10 * 1024 * 1024 - 100)
"""Unfinished: 79 bytes are missing."""
CONNECTIONS = 1000
MANY = 900
"""Long answers at once: fewer than connections, so that none has to make room for others."""
PATIENCE_SECONDS = 60
BUSY_SECONDS = 2.5
"""Processor time that the service may spend while a short call of another waits for its answer."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    running = RunningService(
        tmp_path_factory.mktemp("shares") / "data",
        PAGEHAND_REQUIRE_KEY="1",
        PAGEHAND_MAX_CONNECTIONS=str(CONNECTIONS),
        PAGEHAND_BROWSER_POOL="0",
        PAGEHAND_STOP_GRACE_SECONDS="0.1",
    ).start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def key(service: RunningService) -> str:
    return service.new_key("one")


@pytest.fixture(scope="module")
def other(service: RunningService) -> Api:
    return service.api(service.new_key("other"))


@pytest.fixture
def clients(service: RunningService) -> Iterator["Clients"]:
    opened = Clients(service)
    yield opened
    opened.close()


def memory(service: RunningService) -> int:
    """What the process has allocated, without files that are mapped."""
    assert service.process is not None
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    return int(status.partition("RssAnon:")[2].split()[0]) * 1024


def processor_seconds(service: RunningService) -> float:
    """What the process has spent so far; on a busy machine, waiting takes longer but costs no more."""
    assert service.process is not None
    user, system = Path(f"/proc/{service.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Clients:
    """Connections that are opened at once and closed together."""

    def __init__(self, service: RunningService) -> None:
        self._service = service
        self._sockets: list[socket.socket] = []

    def open(self, head: str, *pieces: bytes) -> None:
        """Send a request, as much of it as is accepted."""
        client = socket.create_connection(("127.0.0.1", self._service.port), timeout=8)
        self._sockets.append(client)
        lines = f"host: 127.0.0.1:{self._service.port}\r\ncontent-type: application/json\r\n\r\n"
        try:
            client.sendall((head + lines).encode())
            for piece in pieces:
                client.sendall(piece)
        except OSError:
            return  # the service does not read on, or has closed the connection

    def open_many(self, count: int, head: str, *pieces: bytes) -> None:
        with ThreadPoolExecutor(count) as threads:
            for done in [threads.submit(self.open, head, *pieces) for _ in range(count)]:
                done.result()

    def statuses(self) -> list[str]:
        """The statuses of those that have been answered by now."""
        return [answer[9:12].decode() for client in self._sockets if (answer := _peek(client))]

    def close(self) -> None:
        for client in self._sockets:
            client.close()


def _peek(client: socket.socket) -> bytes:
    client.setblocking(False)
    try:
        return client.recv(12, socket.MSG_PEEK)
    except OSError:
        return b""


class Watch:
    """What the service needs and how it answers others, all the while."""

    def __init__(self, service: RunningService, other: Api) -> None:
        self._service = service
        self._other = other
        self._is_over = threading.Event()
        self.most_memory = 0
        self.most_busy = 0.0
        self.answers: list[int] = []

    def _watch(self) -> None:
        is_last = False
        while not is_last:
            # once more after the end: an attack may be over at once
            is_last = self._is_over.wait(0.1)
            self.most_memory = max(self.most_memory, memory(self._service))
            # on a new connection, as a monitor does
            self._call(lambda: httpx2.get(f"{self._service.url}/healthz", timeout=PATIENCE_SECONDS))
            self._call(lambda: self._other.post("/executions/list"))

    def _call(self, call: Callable[[], httpx2.Response]) -> None:
        began = processor_seconds(self._service)
        self.answers.append(call().status_code)
        self.most_busy = max(self.most_busy, processor_seconds(self._service) - began)

    @contextmanager
    def watching(self) -> Generator[None]:
        thread = threading.Thread(target=self._watch)
        thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            thread.join()
        assert self.answers
        assert set(self.answers) == {200}


SIGN_IN, SIGN_OUT = "POST /console/session HTTP/1.1\r\n", "POST /console/session/end HTTP/1.1\r\n"
RUN = "POST /workflows/executeSync HTTP/1.1\r\n"
LENGTH, CHUNKED = "content-length: 10485760\r\n", "transfer-encoding: chunked\r\n"
WITH_KEY = "x-api-key: {key}\r\n"


@pytest.mark.parametrize(
    "head",
    [
        SIGN_IN + LENGTH,
        SIGN_IN + CHUNKED,
        SIGN_OUT + LENGTH,
        RUN + LENGTH,
        RUN + LENGTH + WITH_KEY,
        RUN + CHUNKED + WITH_KEY,
    ],
    ids=["sign-in", "chunked", "sign-out", "without a key", "with a key", "with a key, chunked"],
)
def test_unfinished_bodies_take_little_memory(
    service: RunningService, clients: Clients, other: Api, key: str, head: str
) -> None:
    watch = Watch(service, other)
    pieces = [b"%x\r\n%s\r\n" % (len(BODY), BODY)] if CHUNKED in head else [BODY]
    before = memory(service)
    with watch.watching():
        clients.open_many(60, head.format(key=key), *pieces)
        # nobody is served for long: 4 KiB for strangers, and 10 s for a body that stops
        wait_until(lambda: len(clients.statuses()) == 60, 60)
    assert set(clients.statuses()) <= {"401", "408", "413", "429", "503"}
    assert watch.most_memory - before < MORE_BYTES


@pytest.mark.parametrize("head", ["a:b\r\n" * 6000, ""], ids=["headers", "requests sent ahead"])
def test_heads_take_little_memory(service: RunningService, clients: Clients, other: Api, head: str) -> None:
    watch = Watch(service, other)
    before = memory(service)
    ahead = b"GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n" * 6000
    with watch.watching():
        clients.open_many(200, "GET /openapi.json HTTP/1.1\r\n" + head, ahead)
    assert watch.most_memory - before < MORE_BYTES


@pytest.mark.parametrize("kind", ["events", "waiting", "downloads"])
def test_long_answers_of_one_key_lock_nobody_out(
    service: RunningService,
    clients: Clients,
    other: Api,
    key: str,
    kind: str,
    record_property: Callable[[str, object], None],
) -> None:
    own = service.api(key)
    if kind == "events":
        head, body = "GET /console/events HTTP/1.1\r\n", b""
    elif kind == "waiting":
        body = json.dumps({"workflowId": own.create("waits", wait(60_000))["id"]}).encode()
        head = RUN + f"content-length: {len(body)}\r\n"
    else:
        sent = own.http.post("/files/upload", files={"file": ("large.bin", bytes(20_000_000))})
        address = sent.json()["file"]["downloadUrl"].removeprefix(service.url)
        head, body = f"GET {address} HTTP/1.1\r\n", b""
    watch = Watch(service, other)
    with watch.watching():
        for _ in range(MANY):  # takes a tenth of a second: nothing waits for an answer
            clients.open(head + WITH_KEY.format(key=key), body)
        share = CONNECTIONS // 2 if kind == "downloads" else CONNECTIONS // 4
        wait_until(lambda: clients.statuses().count("429") >= MANY - share - 10)
        assert own.post("/executions/list").status_code == 200
        assert own.http.get("/metrics").status_code == 200
    record_property("processor seconds of the slowest short call", watch.most_busy)
    assert watch.most_busy < BUSY_SECONDS
    clients.close()
    if kind == "waiting":
        assert (
            own.call("/executions/list", {"limit": 1})["total"] <= share
        )  # nothing was started by a refusal

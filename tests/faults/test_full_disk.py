"""A disk that is full: a clear error, the service lives, and it recovers by itself."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.service import FINAL, RunningService

_MEGABYTES = 24


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system that is quickly full."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={_MEGABYTES}m", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - fixed words and our own folder
    if mounted.returncode != 0:
        pytest.skip("a file system can only be mounted as root with the right to do so")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S603, S607 - as above


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
        assert refused.status_code == 503
        assert refused.json()["error"]
        time.sleep(4)
        assert api.http.get("/healthz").status_code == 200
        ballast.unlink()
        assert api.wait_for(execution["id"], *FINAL)["status"] == "Completed"

        ballast = fill(small_disk)
        began = time.monotonic()
        assert service.stop() == 0
        assert time.monotonic() - began < 35
        ballast.unlink()
    finally:
        if service.process is not None and service.process.poll() is None:
            service.kill()


def test_a_service_starts_without_its_database_and_says_so(tmp_path: Path) -> None:
    blocked = tmp_path / "not-a-folder"
    blocked.write_text("in the way")
    service = RunningService(tmp_path / "data", "--database", f"sqlite:///{blocked / 'pagehand.db'}")
    service.begin()
    try:
        said = service.until_answering("/healthz")
        assert said.status_code == 503
        assert "database" in said.json()["error"]
        blocked.unlink()
        service.until_healthy()
        assert service.api().run({"type": "Wait", "data": {"durationMs": 1}})["status"] == "Completed"
    finally:
        service.stop()

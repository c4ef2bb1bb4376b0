"""`pagehand backup` beside a running service, `restore` into a new folder: all of it can be used again."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from support.blocks import value, wait
from support.service import RunningService

SEED = "JBSWY3DPEHPK3PXP"


def pagehand(*arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "pagehand", *map(str, arguments)]
    return subprocess.run(  # noqa: S603 - our own command
        command, env=dict(os.environ), capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("backup")
    running = RunningService(
        folder / "data", PAGEHAND_BROWSER_POOL="0", PAGEHAND_STOP_GRACE_SECONDS="0"
    ).start()
    yield running
    running.stop()


@pytest.mark.slow
def test_what_a_backup_holds_can_be_used_after_a_restore(service: RunningService, tmp_path: Path) -> None:
    api = service.api()
    login = api.call(
        "/logins/create",
        {
            "name": "Bank",
            "authenticationUrl": "https://bank.example/login",
            "loginConfiguration": {
                "username": "me",
                "password": "correct horse",
                "twoFactorAuthConfiguration": {"method": "TOTP", "totpSecretKey": SEED},
            },
        },
    )["login"]
    uploaded = api.http.post("/files/upload", files={"file": ("a.txt", b"kept bytes", "text/plain")}).json()
    lost = api.http.post("/files/upload", files={"file": ("lost.txt", b"lost bytes", "text/plain")}).json()
    [stored] = [
        path for path in service.data_dir.rglob("*") if path.is_file() and path.read_bytes() == b"lost bytes"
    ]
    stored.unlink()
    done = api.run(value("n", "Zürich"))
    asleep = api.start(api.create("Sleeps", wait(600_000))["id"])
    api.wait_for(asleep["id"], "InProgress")

    copy = tmp_path / "night.zip"
    made = pagehand("backup", copy, "--with-key", "--data-dir", service.data_dir)
    assert made.returncode == 0, made.stderr
    [line] = [line for line in made.stderr.splitlines() if line.startswith("  ")]
    assert line.startswith("  lost.txt (")
    assert lost["file"]["id"] in line
    assert copy.stat().st_mode & 0o077 == 0

    target = RunningService(tmp_path / "restored", PAGEHAND_BROWSER_POOL="0")
    back = pagehand("restore", copy, "--data-dir", target.data_dir)
    assert back.returncode == 0, back.stderr
    assert "1 executions had not ended" in back.stdout
    target.start()
    try:
        other = target.api()
        assert other.get(done["id"])["response"] == {"n": "Zürich"}
        assert len(other.call("/logins/twoFactorAuth/getCode", {"id": login["id"]})["code"]) == 6
        file = other.call("/files/get", {"id": uploaded["file"]["id"]})["file"]
        assert httpx2.get(file["downloadUrl"]).content == b"kept bytes"
        ended = other.get(asleep["id"])
        assert (ended["status"], ended["failure"]["code"]) == ("Failed", "WorkerLost")
        assert "when the backup was made" in ended["errorAnalysis"]
        assert other.run(value("m", 2))["response"] == {"m": 2}
    finally:
        target.stop()


@pytest.mark.slow
def test_without_the_key_a_restore_says_what_is_missing_and_changes_nothing(
    service: RunningService, tmp_path: Path
) -> None:
    copy, folder = tmp_path / "night.zip", tmp_path / "restored"
    assert pagehand("backup", copy, "--data-dir", service.data_dir).returncode == 0
    with zipfile.ZipFile(copy) as archive:
        assert "master.key" not in archive.namelist()
    refused = pagehand("restore", copy, "--data-dir", folder)
    assert refused.returncode == 2
    assert "Put the `master.key` that was in use into" in refused.stderr
    assert not (folder / "pagehand.db").exists()
    (folder / "master.key").write_bytes((service.data_dir / "master.key").read_bytes())
    restored = pagehand("restore", copy, "--data-dir", folder)
    assert restored.returncode == 0, restored.stderr


@pytest.mark.slow
def test_a_running_or_used_folder_and_a_broken_file_are_refused(
    service: RunningService, tmp_path: Path
) -> None:
    copy = tmp_path / "night.zip"
    assert pagehand("backup", copy, "--with-key", "--data-dir", service.data_dir).returncode == 0
    running = pagehand("restore", copy, "--data-dir", service.data_dir)
    assert "another `pagehand serve` uses" in running.stderr
    assert pagehand("restore", copy, "--data-dir", tmp_path / "used").returncode == 0
    used = pagehand("restore", copy, "--data-dir", tmp_path / "used")
    assert "A backup is restored into an empty one" in used.stderr
    (tmp_path / "cut.zip").write_bytes(copy.read_bytes()[:-500])
    cut = pagehand("restore", tmp_path / "cut.zip", "--data-dir", tmp_path / "new")
    assert (cut.returncode, "cannot be read" in cut.stderr or "not a backup" in cut.stderr) == (2, True), (
        cut.stderr
    )
    missing = pagehand("restore", tmp_path / "none.zip", "--data-dir", tmp_path / "new")
    assert "there is no file" in missing.stderr


@pytest.mark.slow
def test_migrate_says_what_it_did(tmp_path: Path) -> None:
    first = pagehand("migrate", "--data-dir", tmp_path / "data")
    assert "from nothing to" in first.stdout, first.stderr
    assert "nothing was left to do" in pagehand("migrate", "--data-dir", tmp_path / "data").stdout


@pytest.mark.slow
def test_a_key_of_a_scope_may_do_no_more(service: RunningService) -> None:
    made = pagehand(
        *("keys", "create", "--organization", "Readers", "--scope", "read"), "--data-dir", service.data_dir
    )
    reader = service.api(made.stdout.strip())
    assert reader.call("/workflows/list")["total"] == 0
    assert reader.post("/workflows/create", {"name": "x", "blocks": []}).status_code == 403
    wrong = pagehand("keys", "create", "--organization", "Readers", "--scope", "reed")
    assert wrong.returncode == 2
    assert "reed" in wrong.stderr

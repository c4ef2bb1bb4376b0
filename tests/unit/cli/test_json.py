"""`--json` prints one JSON value on standard output and nothing else, with every command."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from pagehand.cli import app

SERVING = {"serve", "worker", "mcp"}
"""They run until they are stopped, and have no result."""


def leaves(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield " ".join(words), command
        return
    for name, child in inner.items():
        yield from leaves(child, (*words, name))


def test_every_command_with_a_result_takes_it() -> None:
    found = dict(leaves(get_command(app)))
    without = {
        name for name, command in found.items() if not any("--json" in one.opts for one in command.params)
    }
    assert without == SERVING
    assert len(found) > 40


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def values(*words: str) -> list[Any]:
    """What a command prints on standard output, of which every line is a value."""
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.usefixtures("folder")
def test_keys_backup_restore_and_migration_have_results() -> None:
    data = ("--data-dir", "data")
    [migrated] = values("migrate", *data)
    assert migrated["from"] is None
    assert values("migrate", *data) == [{"from": migrated["to"], "to": migrated["to"]}]
    [made] = values("keys", "create", "--organization", "Acme", "--name", "ci", "--scope", "read,run", *data)
    assert made["secret"].startswith("ph_")
    listed = values("keys", "list", "--organization", "Acme", *data)
    assert listed == [made["key"]]
    assert (listed[0]["scopes"], listed[0]["lastUsedAt"]) == (["read", "run"], None)
    revoked = values("keys", "revoke", "--organization", "Acme", made["key"]["id"], *data)
    assert revoked == [{"key": {"id": made["key"]["id"]}}]
    assert values("keys", "list", "--organization", "Acme", *data)[0]["revokedAt"]
    assert values("keys", "rotate", *data) == [{"isNew": True, "encryptedAgain": 0}]
    [kept] = values("backup", "all.zip", "--with-key", *data)
    assert (kept["file"], kept["missing"], kept["sizeBytes"]) == (
        "all.zip",
        [],
        Path("all.zip").stat().st_size,
    )
    [restored] = values("restore", "all.zip", "--data-dir", "restored")
    assert (restored["rows"], restored["executions"]) == (kept["rows"], 0)
    assert values("restored", "--data-dir", "restored")[0]["schedules"] == 0


@pytest.mark.usefixtures("folder")
def test_the_report_on_the_machine_says_whether_all_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGEHAND_FILES", "ftp://files")
    done = CliRunner().invoke(app, ["doctor", "--json", "--data-dir", "data"])
    report = json.loads(done.stdout)
    assert (done.exit_code, report["isReady"]) == (1, False)
    assert (
        "`PAGEHAND_FILES`: expected a URL such as `s3://bucket/prefix`, not `ftp://files`."
        in report["report"]
    )

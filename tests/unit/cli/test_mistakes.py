"""Mistakes at the command line are said before any work is done, and never as a traceback."""

import io
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pagehand import cli
from pagehand.cli import app, embedded
from pagehand.errors import UserMistake

NOWHERE = {"PAGEHAND_URL": "http://127.0.0.1:9"}
GOOD = "name: Nap\nblocks:\n  - kind: Wait\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("hello\n")
    (tmp_path / "nap.workflow.yaml").write_text(GOOD)
    (tmp_path / "empty").mkdir()
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("check empty", "no workflow file in empty"),
        ("apply empty", "no workflow file in empty"),
        ("diff gone", "there is no file gone"),
        ("test gone", "there is no file gone"),
        ("test notes.txt", "there is no recording"),
        ("test nap.workflow.yaml --junit gone/results.xml", "gone/results.xml cannot be written"),
        ("run nap.workflow.yaml --save notes.txt", "notes.txt cannot be written to"),
        ("run Nap --record notes.txt/deeper", "notes.txt/deeper cannot be written to"),
        ("export --to notes.txt", "notes.txt cannot be written to"),
        ("export Nap --as playwright --to gone/nap.py", "gone/nap.py cannot be written"),
        ("look Nap --report notes.txt", "notes.txt cannot be written to"),
        ("executions evidence exec_1 --to gone/evidence.zip", "gone/evidence.zip cannot be written"),
        ("files get file_1 --to empty", "empty cannot be written: it is a folder"),
        ("batches run notes.txt --workflow Nap --to gone/results.csv", "gone/results.csv cannot be written"),
        ("batches run notes.txt --workflow Nap", "notes.txt has no rows"),
        ("workflows list --url localhost:8700", "`localhost:8700` is not an address of a service"),
        ("serve --port 99999", "`--port`: Input should be less than"),
        ("replay nap.workflow.yaml --recording gone", "can be read: No such file or directory."),
    ],
)
def test_a_mistake_is_said_before_the_service_is_asked(command: str, said: str) -> None:
    refused = CliRunner().invoke(app, command.split(), env=NOWHERE)
    assert isinstance(refused.exception, UserMistake), refused.output
    assert said in str(refused.exception)


def test_a_file_that_fails_later_is_named_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*, standalone_mode: bool) -> None:
        Path("/gone/file").stat()
        raise AssertionError(standalone_mode)

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == "pagehand: /gone/file: No such file or directory.\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("workflows list", 3, "no service answers at http://127.0.0.1:9."),
        ("workflows delete Nap", 2, "with `--json` nobody is asked"),
        ("workflows show", 2, "No such command"),
        ("run gone.workflow.yaml", 2, "there is no file gone.workflow.yaml."),
        ("check", 2, "Missing argument"),
        ("keys list --organization Nobody --data-dir keys", 2, "there is no organization `Nobody`"),
        ("restore notes.txt --data-dir restored", 2, "notes.txt is not a backup that can be read"),
    ],
)
def test_whoever_asks_for_json_gets_it_for_a_refusal_too(
    command: str,
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PAGEHAND_URL", NOWHERE["PAGEHAND_URL"])
    monkeypatch.setattr(sys, "argv", ["pagehand", *command.split(), "--json"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    shown = capsys.readouterr()
    refusal = json.loads(shown.out)
    assert (ended.value.code, list(refusal)) == (status, ["error"])
    assert said in refusal["error"]
    assert said in shown.err


@pytest.mark.usefixtures("folder")
def test_what_nobody_confirms_is_not_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["pagehand", "workflows", "delete", "Nap"])
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert "not confirmed" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_a_file_with_a_mistake_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*_: object, **__: object) -> None:
        raise AssertionError("a service was started")

    monkeypatch.setattr(embedded, "embedded_service", start)
    (tmp_path / "nap.workflow.yaml").write_text(f"{GOOD}    forMs: 1\n")
    refused = CliRunner().invoke(app, ["run", "nap.workflow.yaml"])
    assert "nap.workflow.yaml:4:5: `forMs`: unknown key" in str(refused.exception)

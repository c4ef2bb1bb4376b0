"""`pagehand check` judges workflow files without a service."""

import json
from pathlib import Path

from typer.testing import CliRunner

from pagehand.cli import app

GOOD = "name: Nap\nparameters:\n  unused:\nblocks:\n  - kind: Wait\n"
WRONG = "name: Nap\nblocks:\n  - kind: Wait\n    durationMs: soon\n  - kind: Wat\n"


def test_a_good_file_passes_and_its_warnings_are_shown(tmp_path: Path) -> None:
    file = tmp_path / "nap.workflow.yaml"
    file.write_text(GOOD)
    shown = CliRunner().invoke(app, ["check", str(file)])
    assert shown.exit_code == 0
    assert shown.stdout == f"{file}:3:3: warning: `unused` is declared and never used.\n"


def test_wrong_files_in_a_folder_fail_with_place_and_sentence(tmp_path: Path) -> None:
    (tmp_path / "good.workflow.yaml").write_text(GOOD)
    (tmp_path / "notes.yaml").write_text("not: a workflow")
    inner = tmp_path / "office"
    inner.mkdir()
    file = inner / "wrong.workflow.yaml"
    file.write_text(WRONG)
    shown = CliRunner().invoke(app, ["check", str(tmp_path)])
    assert shown.exit_code == 1
    assert f"{file}:5:5: `kind`: there is no block kind" in shown.stdout
    assert "notes.yaml" not in shown.stdout


def test_json_is_one_value_per_file(tmp_path: Path) -> None:
    file = tmp_path / "wrong.workflow.yaml"
    file.write_text(WRONG.replace("Wat\n", "Wait\n"))
    shown = CliRunner().invoke(app, ["check", "--json", str(file)])
    [line] = shown.stdout.splitlines()
    [error] = json.loads(line)["errors"]
    assert (error["line"], error["column"]) == (4, 5)
    assert "durationMs" in error["message"]


def test_a_file_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    shown = CliRunner().invoke(app, ["check", str(tmp_path / "gone.workflow.yaml")])
    assert "there is no file" in str(shown.exception)

"""`pagehand import`: which recordings it writes where, and how it ends."""

import json
from pathlib import Path

import pytest

from pagehand.cli import importing
from pagehand.errors import InvalidRequest, NotFound

TWO_TESTS = {
    "url": "https://a.example",
    "tests": [
        {"name": "One", "commands": [{"command": "open", "target": "/"}]},
        {"name": "Two", "commands": [{"command": "odd\x1b[31m", "target": "/"}]},
    ],
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    file = tmp_path / "project.side"
    file.write_text(json.dumps(TWO_TESTS))
    return file


def test_one_of_several_tests_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = project.with_name("two.workflow.yaml")
    importing.import_file(project, target, "Two", as_json=True)
    shown = capsys.readouterr()
    assert json.loads(shown.out)["unmapped"][0]["where"] == "Two, command 1"
    assert "not mapped: Two, command 1" in shown.err
    assert "\x1b" not in shown.err
    assert target.read_text().startswith("name: Two\n")


def test_a_folder_gets_all_tests(project: Path) -> None:
    importing.import_file(project, project.parent, None, as_json=False)
    assert {file.name for file in project.parent.glob("*.yaml")} == {"one.workflow.yaml", "two.workflow.yaml"}


@pytest.mark.parametrize(("test", "said"), [(None, "`One`, `Two`"), ("Three", "there is no test `Three`")])
def test_which_test_is_meant_must_be_said(project: Path, test: str | None, said: str) -> None:
    with pytest.raises(InvalidRequest, match=said):
        importing.import_file(project, project.with_name("x.yaml"), test, as_json=False)


def test_a_file_that_is_not_there_or_cannot_be_written(project: Path) -> None:
    with pytest.raises(NotFound):
        importing.import_file(project.with_name("no.side"), project.parent, None, as_json=False)
    with pytest.raises(InvalidRequest, match="cannot be written"):
        importing.import_file(project, project.parent / "no" / "x.yaml", "One", as_json=False)


def test_a_refusal_names_file_and_place(project: Path) -> None:
    project.write_text('{"tests": [')
    with pytest.raises(InvalidRequest, match=r"project\.side:1:\d+: this is not JSON"):
        importing.import_file(project, project.parent, None, as_json=False)

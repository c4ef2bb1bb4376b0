"""Workflow files and a running service: apply, diff and export, as a user meets them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from pagehand.cli import app
from pagehand.errors import NotFound, Unavailable, UserMistake
from support.service import Api, RunningService

pytestmark = pytest.mark.slow
FILE = """\
name: A nap from a file
tags: [files]
parameters:
  ms: {type: number, default: 5}
output: "{{blocks.sum}}"
blocks:
  - kind: Wait
    name: Nap
    durationMs: "{{params.ms}}"
  - kind: Login
    login: Office of files
  - kind: Transform
    ref: sum
    input: "{{params.ms}}"
    code: |
      def main(value, context):
          return value + 1
"""


@pytest.fixture
def file(tmp_path: Path, api: Api) -> Iterator[Path]:
    fields = {
        "name": "Office of files",
        "authenticationUrl": "http://127.0.0.1:9/",
        "homeUrl": "http://127.0.0.1:9/",
    }
    login = api.call("/logins/create", fields | {"loginConfiguration": {"username": "u", "password": "p"}})
    path = tmp_path / "nap.workflow.yaml"
    path.write_text(FILE)
    yield path
    api.call("/logins/delete", {"id": login["login"]["id"]})
    for workflow in api.call("/workflows/list", {"search": "A nap from a file"})["workflows"]:
        api.call("/workflows/delete", {"id": workflow["id"]})


def pagehand(service: RunningService, *arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments), "--url", service.url])


def test_a_file_is_applied_exported_as_the_same_text_and_compared(
    service: RunningService, api: Api, file: Path, tmp_path: Path
) -> None:
    assert pagehand(service, "diff", file).exit_code == 1
    assert pagehand(service, "apply", file).stdout == f"created: A nap from a file ({file})\n"
    assert pagehand(service, "apply", file).stdout == f"unchanged: A nap from a file ({file})\n"
    assert pagehand(service, "diff", file).exit_code == 0
    shown = pagehand(service, "export", "A nap from a file", "--to", tmp_path / "out", "--json")
    exported = Path(json.loads(shown.stdout)["file"])
    assert exported.read_text() == FILE
    [kept] = api.call("/workflows/list", {"search": "A nap from a file"})["workflows"]
    assert kept["blocks"][1]["data"]["loginId"].startswith("login_")
    # a change in the file
    file.write_text(FILE.replace("name: Nap", "name: Sleep"))
    changed = pagehand(service, "diff", file)
    assert (changed.exit_code, changed.stdout) == (1, f"{file}:\n  “Nap” is now called “Sleep”.\n")
    assert pagehand(service, "apply", file).stdout.startswith("updated")
    # a change in the service
    api.call("/workflows/update", {"id": kept["id"], "tags": ["elsewhere"]})
    refused = pagehand(service, "apply", exported)
    assert isinstance(refused.exception, UserMistake)
    assert "changed elsewhere" in str(refused.exception)
    assert pagehand(service, "apply", exported, "--force").stdout.startswith("updated")


def test_what_somebody_else_has_exported_is_not_overwritten_unseen(
    service: RunningService, api: Api, file: Path, tmp_path: Path
) -> None:
    def export(folder: Path) -> Path:
        pagehand(service, "export", "A nap from a file", "--to", folder)
        return folder / "a-nap-from-a-file.workflow.yaml"

    pagehand(service, "apply", file)
    anns = export(tmp_path / "ann")
    [workflow] = api.call("/workflows/list", {"search": "A nap from a file"})["workflows"]
    api.call("/workflows/update", {"id": workflow["id"], "tags": ["of bob"]})
    cys = export(tmp_path / "cy")
    anns.write_text(anns.read_text().replace("name: Nap", "name: Sleep"))
    refused = pagehand(service, "apply", anns)
    assert isinstance(refused.exception, UserMistake)
    assert "changed elsewhere" in str(refused.exception)
    # Cy has seen what Bob did
    cys.write_text(cys.read_text().replace("name: Nap", "name: Doze"))
    assert pagehand(service, "apply", cys).stdout.startswith("updated")
    # what was applied may have come to Ann through version control, and to a machine that has never exported
    assert pagehand(service, "apply", anns).stdout.startswith("updated")
    api.call("/workflows/update", {"id": workflow["id"], "tags": ["of bob again"]})
    moved = tmp_path / "new" / "moved.workflow.yaml"
    moved.parent.mkdir()
    moved.write_text(export(tmp_path / "cy").read_text().replace("name: Sleep", "name: Rest"))
    assert pagehand(service, "apply", moved).stdout.startswith("updated")


def test_a_login_that_is_not_there_is_said_with_its_place(service: RunningService, file: Path) -> None:
    file.write_text(FILE.replace("Office of files", "Nobody"))
    refused = pagehand(service, "apply", file)
    complaint = f"{file}:11:5: `login`: there is no login `Nobody`; `pagehand logins add` stores one."
    assert str(refused.exception) == complaint


def test_what_is_not_there_is_wrong_use(service: RunningService, tmp_path: Path) -> None:
    assert isinstance(pagehand(service, "export", "No such workflow", "--to", tmp_path).exception, NotFound)
    (tmp_path / "nap.workflow.yaml").write_text(FILE)
    gone = CliRunner().invoke(app, ["diff", str(tmp_path), "--url", "http://127.0.0.1:9"])
    assert isinstance(gone.exception, Unavailable)

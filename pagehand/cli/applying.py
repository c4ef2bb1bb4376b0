"""Workflow files and the service: apply them, export them, and say what applying would change."""

import getpass
import hashlib
import socket
from collections.abc import Sequence
from pathlib import Path

import typer

from pagehand.blocks import kinds
from pagehand.cli.connection import all_of, connect, one_named
from pagehand.cli.files import definition_of, files_in
from pagehand.cli.terminal import printable, show
from pagehand.cli.text_files import check_folder, file_stem
from pagehand.client import Pagehand
from pagehand.records import Json
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow_files.differences import differences
from pagehand.workflow_files.writing import write_file


def apply(paths: Sequence[Path], *, force: bool, as_json: bool, url: str | None, key: str | None) -> None:
    """Bring the service to the files; all are checked before any is applied."""
    files = list(files_in(paths))
    with connect(url, key) as client:
        for file, definition in _definitions(client, files):
            fields = {**definition, "force": force, "place": _place(file.parent)}
            answer = client.call("/workflows/apply", fields)
            shown = {"file": str(file), "outcome": answer["outcome"], "workflow": answer["workflow"]["name"]}
            show(shown, f"{answer['outcome']}: {shown['workflow']} ({file})", as_json=as_json)


def diff(paths: Sequence[Path], *, as_json: bool, url: str | None, key: str | None) -> None:
    """Say what `apply` would change; ends with 1 if it is anything."""
    files = list(files_in(paths))
    with connect(url, key) as client:
        names = _login_names(client)
        found = [
            (file, _changes(client, definition, names)) for file, definition in _definitions(client, files)
        ]
    for file, changes in found:
        if as_json:
            show({"file": str(file), "changes": changes}, "", as_json=True)
        elif changes:
            # the service's names and texts are other people's
            typer.echo("\n".join([f"{file}:", *(f"  {printable(change)}" for change in changes)]))
    is_changed = any(changes for _, changes in found)
    if not is_changed:
        typer.echo("Nothing differs.", err=True)
    raise typer.Exit(1 if is_changed else 0)


def export(names: Sequence[str], folder: Path, *, as_json: bool, url: str | None, key: str | None) -> None:
    """Write workflows of the service as files; all of them if none is named."""
    check_folder(folder)
    with connect(url, key) as client:
        workflows = all_of(client, "workflows")
        wanted = [one_named(workflows, name, "workflow") for name in names] or workflows
        logins = _login_names(client)
        folder.mkdir(parents=True, exist_ok=True)
        taken: set[str] = set()
        for workflow in sorted(wanted, key=lambda one: (one["name"], one["id"])):
            fields = {"id": workflow["id"], "place": _place(folder)}
            portable = client.call("/workflows/export", fields)["workflow"]
            file = folder / f"{file_stem(workflow['name'], taken)}.workflow.yaml"
            file.write_text(write_file(portable, kinds(), logins.get), "utf-8")
            shown = {"file": str(file), "workflow": workflow["name"]}
            show(shown, str(file), as_json=as_json)


def _place(folder: Path) -> str:
    """A name for a folder that is its own, and tells the service nothing about this machine."""
    place = f"{getpass.getuser()}@{socket.gethostname()}:{folder.resolve()}"
    return hashlib.sha256(place.encode()).hexdigest()[:32]


def _definitions(client: Pagehand, files: Sequence[Path]) -> list[tuple[Path, Json]]:
    logins = all_of(client, "logins")

    def login_id(name: str) -> str:
        return one_named(logins, name, "login")["id"]

    return [(file, definition_of(file, login_id)) for file in files]


def _changes(client: Pagehand, definition: Json, login_names: dict[str, str]) -> list[str]:
    wanted = {**definition, "blocks": tree.to_json(parse_blocks(definition["blocks"], kinds()))}
    found = client.call("/workflows/list", {"search": definition["name"][:200], "limit": 1000})["workflows"]
    same = [workflow for workflow in found if workflow["name"] == definition["name"]]
    if not same:
        return [f"The workflow “{definition['name']}” is new."]
    current = one_named(same, definition["name"], "workflow")
    current = {**current, "tags": [tag["name"] for tag in current["tags"]]}
    return differences(current, wanted, kinds(), login_names.get)


def _login_names(client: Pagehand) -> dict[str, str]:
    """Names by id; those that several logins share cannot stand for one."""
    logins = all_of(client, "logins")
    names = [login["name"] for login in logins]
    return {login["id"]: login["name"] for login in logins if names.count(login["name"]) == 1}

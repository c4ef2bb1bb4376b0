"""Workflow files from a shell: check them, apply them, export them, and say what applying would change."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
import typer

from pagehand.blocks import kinds
from pagehand.cli.checking import CheckedFile, check_file
from pagehand.cli.text_files import read_text
from pagehand.errors import InvalidRequest, NotFound
from pagehand.records import Json
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow_files.expanding import LoginId
from pagehand.workflow_files.positions import Complaint, FileRefused

SUFFIXES: Final = (".workflow.yaml", ".workflow.yml", ".workflow.json")


def definition_of(file: Path, login_id: LoginId = str) -> Json:
    """The definition in a file; raises InvalidRequest with the file's name before each complaint."""
    return checked(file, login_id).definition


def wants_browser(definition: Json) -> bool:
    """Whether a block of a workflow may use a page."""
    blocks = tree.walk(parse_blocks(definition.get("blocks", []), kinds()))
    return any(kinds()[block.type].may_want_page(block.data) for block in blocks)


def checked(file: Path, login_id: LoginId = str) -> CheckedFile:
    """A file that was checked; raises InvalidRequest with the file's name before each complaint."""
    try:
        return check_file(read_text(file), kinds(), login_id)
    except FileRefused as refused:
        raise InvalidRequest(
            "\n".join(f"{file}:{complaint}" for complaint in refused.complaints)
        ) from refused


def files_in(paths: Sequence[Path]) -> Iterator[Path]:
    """The workflow files that are named, and all in the folders that are named."""
    for path in paths:
        if path.is_dir():
            found = sorted(file for file in path.rglob("*") if file.name.endswith(SUFFIXES))
            if not found:
                raise NotFound(f"there is no workflow file in {path}: their names end in `{SUFFIXES[0]}`.")
            yield from found
        elif not path.exists():
            raise NotFound(f"there is no file {path}.")
        else:
            yield path


def check(paths: Sequence[Path], *, as_json: bool) -> None:
    """Check files without a service; ends with 1 if one is wrong."""
    is_wrong = False
    for file in files_in(paths):
        complaints, warnings = _judged(file)
        is_wrong = is_wrong or bool(complaints)
        if as_json:
            typer.echo(msgspec.json.encode(_as_json(file, complaints, warnings)).decode())
            continue
        for complaint in complaints:
            typer.echo(f"{file}:{complaint}")
        for warning in warnings:
            typer.echo(
                f"{file}:{warning.position.line}:{warning.position.column}: warning: {warning.message}"
            )
    raise typer.Exit(1 if is_wrong else 0)


def _judged(file: Path) -> tuple[list[Complaint], list[Complaint]]:
    try:
        return [], check_file(read_text(file), kinds()).warnings
    except FileRefused as refused:
        return refused.complaints, []


def _as_json(file: Path, complaints: list[Complaint], warnings: list[Complaint]) -> Json:
    return {
        "file": str(file),
        "errors": list(map(_located, complaints)),
        "warnings": list(map(_located, warnings)),
    }


def _located(complaint: Complaint) -> Json:
    return {**complaint.position._asdict(), "message": complaint.message}

"""Recordings of other tools, from a shell: each becomes a workflow file."""

from pathlib import Path

import msgspec
import typer

from pagehand.blocks import kinds
from pagehand.cli.file_names import file_stem
from pagehand.cli.terminal import printable
from pagehand.cli.text_files import read_text, write_text
from pagehand.errors import InvalidRequest
from pagehand.imports import Imported, Recording, recordings_in


def import_file(file: Path, to: Path, test: str | None, *, as_json: bool) -> None:
    """Write workflow files of the recordings in a file; lists what has no counterpart."""
    try:
        recordings = recordings_in(read_text(file), file.name, kinds())
        is_folder = to.is_dir()
        wanted = recordings if is_folder and test is None else _chosen(recordings, test)
        made = [recording() for recording in wanted.values()]
    except InvalidRequest as refusal:
        raise InvalidRequest(f"{file}:{refusal.message}") from refusal
    taken: set[str] = set()
    for imported in made:
        target = to / f"{file_stem(imported.name, taken)}.workflow.yaml" if is_folder else to
        write_text(target, imported.text)
        _report(imported, target, as_json=as_json)


def _chosen(recordings: dict[str, Recording], test: str | None) -> dict[str, Recording]:
    if test is not None and test in recordings:
        return {test: recordings[test]}
    names = ", ".join(f"`{name}`" for name in recordings)
    if test is not None:
        raise InvalidRequest(f" there is no test `{test}`; there is {names}.")
    if len(recordings) != 1:
        there = f"{len(recordings)} tests: {names}" if recordings else "no tests"
        raise InvalidRequest(f" there are {there}. Name one with `--test`, or a folder with `--to`, for all.")
    return recordings


def _report(imported: Imported, target: Path, *, as_json: bool) -> None:
    for unmapped in imported.unmapped:
        typer.echo(printable(f"not mapped: {unmapped}"), err=True)
    if as_json:
        unmapped = [{"where": one.where, "what": one.what, "reason": one.reason} for one in imported.unmapped]
        shown = {
            "file": str(target),
            "workflow": imported.name,
            "mapped": imported.mapped,
            "unmapped": unmapped,
        }
        typer.echo(msgspec.json.encode(shown).decode())
        return
    typer.echo(f"{target}: {imported.mapped} steps, {len(imported.unmapped)} not mapped")

"""Recordings of other tools, from a shell: each becomes a workflow file."""

import sys
from collections.abc import Collection, Iterable
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import track

from pagehand.blocks import kinds
from pagehand.cli.terminal import printable, show
from pagehand.cli.text_files import file_stem, read_text, write_text
from pagehand.errors import InvalidRequest
from pagehand.imports import Imported, Recording, recordings_in


def import_file(file: Path, to: Path, test: str | None, *, as_json: bool) -> None:
    """Write workflow files of the recordings in a file; lists what has no counterpart."""
    try:
        recordings = recordings_in(read_text(file), file.name, kinds())
        is_folder = to.is_dir()
        wanted = recordings if is_folder and test is None else _chosen(recordings, test)
        made = [recording() for recording in _with_bar(wanted.values())]
    except InvalidRequest as refusal:
        raise InvalidRequest(f"{file}:{refusal.message}") from refusal
    taken: set[str] = set()
    for imported in made:
        target = to / f"{file_stem(imported.name, taken)}.workflow.yaml" if is_folder else to
        write_text(target, imported.text)
        _report(imported, target, as_json=as_json)


def _with_bar(recordings: Collection[Recording]) -> Iterable[Recording]:
    """The recordings, with a bar on a terminal where there are many."""
    is_hidden = len(recordings) == 1 or not sys.stderr.isatty()
    console = Console(stderr=True)
    return track(recordings, "Importing", console=console, disable=is_hidden, transient=True)


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
    shown = {
        "file": str(target),
        "workflow": imported.name,
        "mapped": imported.mapped,
        "unmapped": [
            {"where": one.where, "what": one.what, "reason": one.reason} for one in imported.unmapped
        ],
    }
    words = f"{target}: {imported.mapped} steps, {len(imported.unmapped)} not mapped"
    show(shown, words, as_json=as_json)

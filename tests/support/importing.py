"""Recordings of other tools, imported in a test."""

import json
from typing import Any

from pagehand.blocks import kinds
from pagehand.cli.checking import check_file
from pagehand.imports import Imported, recordings_in

Json = dict[str, Any]


def imported(recording: Any, file_name: str = "recording.json") -> Imported:
    """The only recording of a file, which passes `pagehand check`."""
    text = recording if isinstance(recording, str) else json.dumps(recording)
    [made] = recordings_in(text, file_name, kinds()).values()
    done = made()
    check_file(done.text, kinds())
    return done


def blocks_of(done: Imported) -> list[Json]:
    """The definitions of the blocks, as short as they can be: kind, locator and data."""
    return [_short(block) for block in check_file(done.text, kinds()).definition["blocks"]]


def _short(block: Json) -> Json:
    short = {"kind": block["type"], **block["data"]}
    if "locator" in block:
        short["at"] = block["locator"]
    for name, inner in block.get("sequenceData", {}).items():
        short[name] = [_short(child) for child in inner]
    return short


def reasons(done: Imported) -> list[str]:
    """Why steps were not mapped, in their order."""
    return [unmapped.reason for unmapped in done.unmapped]

"""Reads, writes and names the files that commands are given."""

import os
import re
from pathlib import Path
from typing import Final

from pagehand.errors import InvalidRequest, NotFound

_NOT_IN_NAMES: Final = re.compile(r"[^\w]+")
_LONGEST: Final = 80


def file_stem(name: str, taken: set[str]) -> str:
    """The beginning of a file name that is not taken yet, and is from now on."""
    stem = _NOT_IN_NAMES.sub("-", name.lower()).strip("-")[:_LONGEST] or "workflow"
    number, unique = 1, stem
    while unique in taken:
        number += 1
        unique = f"{stem}-{number}"
    taken.add(unique)
    return unique


def read_text(file: Path) -> str:
    """The text of a file; raises an error that names it."""
    try:
        return file.read_text("utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {file}.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{file} cannot be read: {error}.") from error


def check_target(file: Path) -> None:
    """Refuse a file that cannot be written, before anything is done for it."""
    if not (file.parent.is_dir() and os.access(file.parent, os.W_OK)):
        raise InvalidRequest(
            f"{file} cannot be written: there is no folder {file.parent} that can be changed."
        )
    if file.is_dir():
        raise InvalidRequest(f"{file} cannot be written: it is a folder; name a file.")


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be made or changed, before anything is done for it."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not (there.is_dir() and os.access(there, os.W_OK)):
        raise InvalidRequest(f"{folder} cannot be written to: {there} is no folder that can be changed.")


def write_text(file: Path, text: str) -> None:
    """Write a file; raises an error that names it."""
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise InvalidRequest(f"{file} cannot be written: {error.strerror}.") from error

"""Reads and writes the files that commands are given."""

from pathlib import Path

from pagehand.errors import InvalidRequest, NotFound


def read_text(file: Path) -> str:
    """The text of a file; raises an error that names it."""
    try:
        return file.read_text("utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {file}.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{file} cannot be read: {error}.") from error


def write_text(file: Path, text: str) -> None:
    """Write a file; raises an error that names it."""
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise InvalidRequest(f"{file} cannot be written: {error.strerror}.") from error

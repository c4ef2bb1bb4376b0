"""Options that several commands take, and the settings they make."""

from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from pagehand.errors import InvalidRequest
from pagehand.settings import Settings

DataDir = Annotated[Path | None, typer.Option("--data-dir", help="Folder for the database, files and keys.")]
DatabaseUrl = Annotated[
    str | None, typer.Option("--database", help="Database URL; SQLite in the data folder without one.")
]


def settings_with(**given: Any) -> Settings:
    """Settings from the environment, with what the command line gave on top."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as wrong:
        lines = [f"PAGEHAND_{str(error['loc'][0]).upper()}: {error['msg']}" for error in wrong.errors()]
        raise InvalidRequest("A setting is not valid. " + "; ".join(lines)) from wrong

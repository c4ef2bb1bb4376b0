"""Options that several commands take, and the settings they make."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from pagehand.settings import Settings

DataDir = Annotated[Path | None, typer.Option("--data-dir", help="Folder for the database, files and keys.")]
DatabaseUrl = Annotated[
    str | None, typer.Option("--database", help="Database URL; SQLite in the data folder without one.")
]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="TOML file with settings; the environment wins over it.")
]


def settings_with(config: Path | None = None, **given: Any) -> "Settings":
    """Settings from the file and the environment, with what the command line gave on top."""
    from pagehand.cli.configuration import read_settings  # noqa: PLC0415 - pydantic is slow to load; help needs none

    return read_settings({name: value for name, value in given.items() if value is not None}, config)

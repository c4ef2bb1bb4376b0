"""Options that several commands share, and the settings that result from them."""

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
    """Settings from the file and the environment, overridden by the options that were given."""
    from pagehand.cli.configuration import read_settings  # noqa: PLC0415 - pydantic is slow to load, and help does not need it

    return read_settings({name: value for name, value in given.items() if value is not None}, config)

"""`pagehand doctor`: what was found on this machine, what is missing, and the command that mends it."""

import asyncio
import platform
import shutil
import sqlite3
import sys
from typing import Annotated

import typer

from pagehand.browser.installation import describe, find_browser, install_browser
from pagehand.cli.options import ConfigFile, settings_with
from pagehand.settings import Settings


def doctor(
    install: Annotated[bool, typer.Option(help="Install a browser if none is found.")] = False,
    config: ConfigFile = None,
) -> None:
    """Look at this machine; the exit status is 1 when something needed is missing."""
    settings = settings_with(config)
    if install and settings.browser_install and find_browser(settings) is None:
        typer.echo("No browser found: installing one …")
        asyncio.run(install_browser())
    for line in _lines(settings):
        typer.echo(line)
    if find_browser(settings) is None:
        sys.exit(1)


def _lines(settings: Settings) -> list[str]:
    return [
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()}",
        f"SQLite {sqlite3.sqlite_version}",
        *asyncio.run(describe(settings)),
        "bubblewrap is here: user code runs inside it"
        if shutil.which("bwrap")
        else "bubblewrap is missing: user code runs in the sandbox alone (apt-get install bubblewrap)",
        f"Data folder {settings.data_dir}",
        f"Language model {settings.model}"
        if settings.model
        else "No language model (set PAGEHAND_MODEL to use one)",
    ]

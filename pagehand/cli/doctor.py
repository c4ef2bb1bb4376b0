"""`pagehand doctor`: what was found on this machine, what is missing, and the command that mends it."""

import asyncio
import sys
from typing import Annotated

import typer

from pagehand.api.machine import machine_report
from pagehand.browser.installation import find_browser, install_browser
from pagehand.cli.options import ConfigFile, settings_with


def doctor(
    install: Annotated[bool, typer.Option(help="Install a browser if none is found.")] = False,
    config: ConfigFile = None,
) -> None:
    """Look at this machine; the exit status is 1 when something needed is missing."""
    settings = settings_with(config)
    if install and settings.browser_install and find_browser(settings) is None:
        typer.echo("No browser found: installing one …")
        asyncio.run(install_browser())
    for line in asyncio.run(machine_report(settings)):
        typer.echo(line)
    if find_browser(settings) is None:
        sys.exit(1)

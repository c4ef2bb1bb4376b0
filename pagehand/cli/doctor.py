"""`pagehand doctor`: what was found on this machine, what is missing, and the command that mends it."""

import asyncio
import sys

import typer

from pagehand.api.machine import machine_report
from pagehand.browser.installation import driver_problem, find_browser, install_browser, mend_driver
from pagehand.settings import Settings


def look_at_machine(settings: Settings, *, install: bool) -> None:
    """Print what was found; ends the process with 1 when something needed is missing."""
    if install and settings.browser_install and find_browser(settings) is None:
        typer.echo("No browser found: installing one …")
        asyncio.run(install_browser())
    if install:
        asyncio.run(mend_driver())
    # after installing, so that it shows what is there now
    for line in asyncio.run(machine_report(settings)):
        typer.echo(line)
    if find_browser(settings) is None or asyncio.run(driver_problem()):
        sys.exit(1)

"""`pagehand doctor`: what is installed on this machine, what is missing, and the command that fixes it."""

import asyncio
import sys

import typer

from pagehand.api.machine import machine_report
from pagehand.browser.installation import (
    driver_problem,
    find_browser,
    install_browser,
    install_packages,
)
from pagehand.settings import Settings


def check_machine(settings: Settings, *, install: bool) -> None:
    """Print the report; exits with 1 when something that is needed is missing."""
    if install and settings.browser_install and find_browser(settings) is None:
        typer.echo("No browser found: installing one …")
        asyncio.run(install_browser())
    if install:
        asyncio.run(install_packages())
    # after installing, so that the report shows the result
    for line in asyncio.run(machine_report(settings)):
        typer.echo(line)
    if find_browser(settings) is None or asyncio.run(driver_problem()):
        sys.exit(1)

"""The `pagehand` command."""

import sys

import typer

from pagehand.cli import key_commands
from pagehand.cli.commands import app
from pagehand.errors import PagehandError

app.add_typer(key_commands.app, name="keys")


def main() -> None:
    """Run the command; trouble that a person can mend is one line, not a trace."""
    try:
        app()
    except PagehandError as trouble:
        typer.echo(f"pagehand: {trouble.message}", err=True)
        sys.exit(1)

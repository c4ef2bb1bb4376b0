"""The `pagehand` command."""

import sys

import typer

from pagehand.cli import key_commands
from pagehand.cli.commands import app
from pagehand.errors import PagehandError, Unavailable, UserMistake

app.add_typer(key_commands.app, name="keys")


def main() -> None:
    """Run the command; trouble that a person can mend is one line, not a trace."""
    try:
        app()
    except PagehandError as trouble:
        typer.echo(f"pagehand: {trouble.message}", err=True)
        sys.exit(_status(trouble))


def _status(trouble: PagehandError) -> int:
    """2 for wrong use, as for options that do not exist; 3 when the database cannot be reached; else 1."""
    if isinstance(trouble, UserMistake):
        return 2
    return 3 if isinstance(trouble, Unavailable) else 1

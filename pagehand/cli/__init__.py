"""The `pagehand` command."""

import sys

import typer

from pagehand.cli import resource_commands, workflow_commands
from pagehand.cli.commands import app
from pagehand.errors import PagehandError, Unavailable, UserMistake


def main() -> None:
    """Run the command; an error that a person can fix is one line, not a traceback."""
    try:
        app()
    except PagehandError as error:
        typer.echo(f"pagehand: {error.message}", err=True)
        sys.exit(_exit_status(error))
    except OSError as error:
        if error.filename is None:  # not about a file that was named
            raise
        typer.echo(f"pagehand: {error.filename}: {error.strerror}.", err=True)
        sys.exit(2)


def _exit_status(error: PagehandError) -> int:
    """2 for wrong use, as for unknown options; 3 when the database cannot be reached; else 1."""
    if isinstance(error, UserMistake):
        return 2
    return 3 if isinstance(error, Unavailable) else 1

"""The `pagehand` command."""

import json
import sys
from typing import NoReturn

import typer
from typer._click.exceptions import ClickException

from pagehand.cli import resource_commands, workflow_commands
from pagehand.cli.commands import app
from pagehand.errors import PagehandError, Unavailable, UserMistake

_WRONG_USE = 2
_INTERRUPTED = 130


def main() -> None:
    """Run the command; an error that a person can fix is one line, not a traceback."""
    try:
        status = app(standalone_mode=False)
    except PagehandError as error:
        typer.echo(f"pagehand: {error.message}", err=True)
        _end(error.message, _exit_status(error))
    except ClickException as wrong_use:
        wrong_use.show()
        _end(wrong_use.format_message(), wrong_use.exit_code)
    except typer.Abort:
        typer.echo("pagehand: not confirmed.", err=True)
        _end("Not confirmed.", _WRONG_USE)
    except OSError as error:
        if error.filename is None:  # not about a file that was named
            raise
        sentence = f"{error.filename}: {error.strerror}."
        typer.echo(f"pagehand: {sentence}", err=True)
        _end(sentence, _WRONG_USE)
    if status == _INTERRUPTED:
        _end("Interrupted.", _INTERRUPTED)
    sys.exit(status)


def _end(sentence: str, status: int) -> NoReturn:
    """End with a status; who asked for JSON gets the sentence as the API gives it."""
    if "--json" in sys.argv:
        typer.echo(json.dumps({"error": sentence}, ensure_ascii=False))
    sys.exit(status)


def _exit_status(error: PagehandError) -> int:
    """2 for wrong use, as for unknown options; 3 when the database cannot be reached; else 1."""
    if isinstance(error, UserMistake):
        return _WRONG_USE
    return 3 if isinstance(error, Unavailable) else 1

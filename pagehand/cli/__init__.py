"""The `pagehand` command."""

import sys

import typer

from pagehand.cli import backup, doctor, keys, serve, worker
from pagehand.errors import PagehandError

app = typer.Typer(
    name="pagehand",
    help="Run browser-automation workflows as a self-hosted service.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("serve")(serve.serve)
app.command("worker")(worker.worker)
app.command("doctor")(doctor.doctor)
app.command("backup")(backup.back_up)
app.command("restore")(backup.restore)
app.command("migrate")(backup.migrate)
app.add_typer(keys.app, name="keys")


def main() -> None:
    """Run the command; trouble that a person can mend is one line, not a trace."""
    try:
        app()
    except PagehandError as trouble:
        typer.echo(f"pagehand: {trouble.message}", err=True)
        sys.exit(1)

"""The commands of `pagehand`: names, options and help.

Each command imports its implementation when it is called, so that help and wrong options are answered fast: a
database or browser library alone takes longer to load than all of this.
"""
# ruff: noqa: PLC0415 - for the reason above

import gc
from pathlib import Path
from typing import Annotated

import typer

from pagehand.cli.options import ConfigFile, DatabaseUrl, DataDir, settings_with

app = typer.Typer(
    name="pagehand",
    help="Run browser-automation workflows as a self-hosted service.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
BackupFile = Annotated[Path, typer.Argument(help="The backup, one ZIP file.")]


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    data_dir: DataDir = None,
    database: DatabaseUrl = None,
    worker: Annotated[bool | None, typer.Option("--worker/--no-worker", help="Run executions here.")] = None,
    demo: Annotated[bool | None, typer.Option("--demo/--no-demo", help="Serve the demo portal.")] = None,
    config: ConfigFile = None,
) -> None:
    """Run the service."""
    settings = settings_with(
        config, host=host, port=port, data_dir=data_dir, database=database, worker=worker, demo=demo
    )
    # nothing that a start makes is garbage yet: looking for some takes a tenth of it
    gc.disable()
    from pagehand.cli.serve import serve as serve_until_stopped

    serve_until_stopped(settings)


@app.command()
def worker(
    database: DatabaseUrl = None,
    data_dir: DataDir = None,
    listen: Annotated[
        str | None, typer.Option(help="HOST:PORT where services reach this worker; any port on loopback.")
    ] = None,
    config: ConfigFile = None,
) -> None:
    """Run executions that services on the same database accept."""
    settings = settings_with(config, database=database, data_dir=data_dir, listen=listen)
    gc.disable()  # as above
    from pagehand.cli.worker import work_until_stopped

    work_until_stopped(settings)


@app.command()
def doctor(
    install: Annotated[bool, typer.Option(help="Install a browser if none is found.")] = False,
    data_dir: DataDir = None,
    config: ConfigFile = None,
) -> None:
    """Look at this machine; the exit status is 1 when something needed is missing."""
    settings = settings_with(config, data_dir=data_dir)
    from pagehand.cli.doctor import check_machine

    check_machine(settings, install=install)


@app.command()
def backup(
    file: BackupFile,
    with_key: Annotated[
        bool, typer.Option("--with-key", help="Include the master key: the file then reveals every secret.")
    ] = False,
    data_dir: DataDir = None,
    database: DatabaseUrl = None,
    config: ConfigFile = None,
) -> None:
    """Write database and files into one file; works while the service runs."""
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli.backup import back_up

    back_up(file, settings, with_key=with_key)


@app.command()
def restore(
    file: BackupFile,
    force: Annotated[
        bool,
        typer.Option("--force", help="Continue without the master key; secrets stay unreadable."),
    ] = False,
    data_dir: DataDir = None,
    database: DatabaseUrl = None,
    config: ConfigFile = None,
) -> None:
    """Bring back what a backup holds, into an empty database; the service must not run."""
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli.backup import restore as restore_backup

    restore_backup(file, settings, force=force)


@app.command()
def restored(data_dir: DataDir = None, database: DatabaseUrl = None, config: ConfigFile = None) -> None:
    """Say that another tool has restored the database, so that nothing happens twice; before `serve`."""
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli.backup import mark_restored

    mark_restored(settings)


@app.command()
def migrate(data_dir: DataDir = None, database: DatabaseUrl = None, config: ConfigFile = None) -> None:
    """Bring the tables up to date, as `serve` does when it starts."""
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli.backup import migrate as migrate_tables

    migrate_tables(settings)

"""The commands of `pagehand`: names, options and help.

Each command imports its implementation when it is called, so that help and wrong options are answered fast: a
database or browser library alone takes longer to load than all of this.
"""
# ruff: noqa: PLC0415 - for the reason above

import gc
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from pagehand import __version__
from pagehand.api.scopes import SCOPES

if TYPE_CHECKING:
    from typer._click.core import Context

    from pagehand.settings import Settings


DataDir = Annotated[Path | None, typer.Option("--data-dir", help="Folder for the database, files and keys.")]
DatabaseUrl = Annotated[
    str | None, typer.Option("--database", help="Database URL; SQLite in the data folder without one.")
]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="TOML file with settings; the environment wins over it.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON alone on standard output.")]


@contextmanager
def start_without_collecting() -> Generator[None]:
    """Collect no garbage until the service serves: a start makes none, and looking takes a tenth of it."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()  # also where the start has failed


def settings_with(config: Path | None = None, **given: Any) -> "Settings":
    """Settings from the file and the environment, overridden by the options that were given."""
    from pagehand.cli.configuration import read_settings

    return read_settings({name: value for name, value in given.items() if value is not None}, config)


class _Group(TyperGroup):
    """Commands whose help is shown fast."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        """Parse, with False for flags that Typer leaves at None: to convert that, it loads pydantic."""
        for parameter in self.get_params(ctx):
            parameter.default = parameter.default or False
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="pagehand",
    cls=_Group,
    help="Run browser-automation workflows as a self-hosted service.",
    no_args_is_help=True,
    # help in plain text: drawing it with Rich takes longer than all the rest
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
Allow = Annotated[
    list[str] | None,
    typer.Option(
        help="HOST:PORT that is not public and that workflows may reach; can be given several times."
    ),
]
BackupFile = Annotated[Path, typer.Argument(help="The backup, one ZIP file.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Run browser-automation workflows as a self-hosted service."""
    del version


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    data_dir: DataDir = None,
    database: DatabaseUrl = None,
    worker: Annotated[bool | None, typer.Option("--worker/--no-worker", help="Run executions here.")] = None,
    demo: Annotated[bool | None, typer.Option("--demo/--no-demo", help="Serve the demo portal.")] = None,
    allow: Allow = None,
    config: ConfigFile = None,
) -> None:
    """Run the service."""
    settings = settings_with(
        config, host=host, port=port, data_dir=data_dir, database=database, worker=worker, demo=demo
    ).allowing(allow or [])
    with start_without_collecting():
        from pagehand.cli.serve import serve as serve_until_stopped

        serve_until_stopped(settings)


@app.command()
def worker(
    database: DatabaseUrl = None,
    data_dir: DataDir = None,
    listen: Annotated[
        str | None, typer.Option(help="HOST:PORT where services reach this worker; any port on loopback.")
    ] = None,
    allow: Allow = None,
    config: ConfigFile = None,
) -> None:
    """Run executions that services on the same database accept."""
    settings = settings_with(config, database=database, data_dir=data_dir, listen=listen)
    settings = settings.allowing(allow or [])
    with start_without_collecting():
        from pagehand.cli.worker import work_until_stopped

        work_until_stopped(settings)


@app.command()
def doctor(
    install: Annotated[bool, typer.Option(help="Install a browser if none is found.")] = False,
    data_dir: DataDir = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Look at this machine; the exit status is 1 when something needed is missing."""
    import asyncio

    from pagehand.api.machine import is_ready, machine_report
    from pagehand.browser.installation import find_browser, install_browser, install_packages
    from pagehand.cli.terminal import progress_bar, show

    settings = settings_with(config, data_dir=data_dir)
    if install and settings.browser_install and find_browser(settings) is None:
        typer.echo("No browser found: installing one …", err=True)
        with progress_bar() as bar:
            task = bar.add_task("Browser", total=None)  # until the first download says how far it is
            asyncio.run(install_browser(lambda percent: bar.update(task, total=100, completed=percent)))
    if install:
        asyncio.run(install_packages())
    # after installing, so that the report shows the result
    report, ready = asyncio.run(machine_report(settings)), asyncio.run(is_ready(settings))
    show({"isReady": ready, "report": report}, "\n".join(report), as_json=as_json)
    raise typer.Exit(0 if ready else 1)


@app.command()
def backup(
    file: BackupFile,
    with_key: Annotated[
        bool, typer.Option("--with-key", help="Include the master key: the file then reveals every secret.")
    ] = False,
    data_dir: DataDir = None,
    database: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Write database and files into one file; works while the service runs."""
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli.backup import back_up

    back_up(file, settings, with_key=with_key, as_json=as_json)


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
    as_json: AsJson = False,
) -> None:
    """Bring back what a backup holds, into an empty database; the service must not run."""
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli.backup import restore as restore_backup

    restore_backup(file, settings, force=force, as_json=as_json)


@app.command()
def restored(
    data_dir: DataDir = None, database: DatabaseUrl = None, config: ConfigFile = None, as_json: AsJson = False
) -> None:
    """Say that another tool has restored the database, so that nothing happens twice; before `serve`."""
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli.backup import mark_restored

    mark_restored(settings, as_json=as_json)


@app.command()
def migrate(
    data_dir: DataDir = None, database: DatabaseUrl = None, config: ConfigFile = None, as_json: AsJson = False
) -> None:
    """Bring the tables up to date, as `serve` does when it starts."""
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli.backup import migrate as migrate_tables

    migrate_tables(settings, as_json=as_json)


def group(name: str, help_text: str) -> typer.Typer:
    """Commands behind a word of their own: `pagehand keys list`."""
    commands = typer.Typer(cls=_Group, help=help_text, no_args_is_help=True, rich_markup_mode=None)
    app.add_typer(commands, name=name)
    return commands


key_commands = group("keys", "Make, list and revoke API keys; rotate the master key.")
NewOrganization = Annotated[
    str, typer.Option("--organization", help="Name of the organization; made if new.")
]
Organization = Annotated[str, typer.Option("--organization", help="Name of the organization.")]


@key_commands.command()
def create(
    organization: NewOrganization,
    name: Annotated[str | None, typer.Option(help="What the key is for.")] = None,
    scope: Annotated[
        str | None,
        typer.Option(help=f"What it may do, with commas between: {', '.join(SCOPES)}. All without it."),
    ] = None,
    data_dir: DataDir = None,
    database: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and print it, once: only a digest of it is kept."""
    if not organization.strip():
        # probably an unset variable in a script
        raise typer.BadParameter("expected the name of an organization.", param_hint="--organization")
    scopes = _scopes(scope)
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli import keys

    keys.create(settings, organization, name, scopes, as_json=as_json)


@key_commands.command("list")
def list_keys(
    organization: Organization,
    data_dir: DataDir = None,
    database: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """List an organization's keys: id, name, scopes, when made, when last used."""
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli import keys

    keys.list_keys(settings, organization, as_json=as_json)


@key_commands.command()
def revoke(
    organization: Organization,
    key_id: str,
    data_dir: DataDir = None,
    database: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: AsJson = False,
) -> None:
    """Revoke a key by its id; running services notice within five seconds."""
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli import keys

    keys.revoke(settings, organization, key_id, as_json=as_json)


@key_commands.command()
def rotate(
    data_dir: DataDir = None, database: DatabaseUrl = None, config: ConfigFile = None, as_json: AsJson = False
) -> None:
    """Make a new master key and encrypt everything again with it; works while the service runs.

    With `PAGEHAND_MASTER_KEY` set no key is made: give the new one there and the old one in
    `PAGEHAND_PREVIOUS_MASTER_KEYS`, restart the services, then run this.
    """
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli import keys

    keys.rotate(settings, as_json=as_json)


def _scopes(given: str | None) -> list[str] | None:
    if given is None:
        return None
    scopes = [name.strip() for name in given.split(",") if name.strip()]
    wrong = [name for name in scopes if name not in SCOPES]
    if wrong or not scopes:
        problem = f"`{', '.join(wrong)}` is not a scope; there are" if wrong else "expected some of"
        raise typer.BadParameter(f"{problem} {', '.join(SCOPES)}.", param_hint="--scope")
    return scopes

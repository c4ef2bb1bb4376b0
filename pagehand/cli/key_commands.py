"""The commands of `pagehand keys`; as in `commands`, each imports its implementation when it is called."""
# ruff: noqa: PLC0415 - for the reason above

from typing import Annotated

import typer

from pagehand.api.scopes import SCOPES
from pagehand.cli.options import ConfigFile, DatabaseUrl, DataDir, settings_with

app = typer.Typer(help="Make, list and revoke API keys; rotate the master key.", no_args_is_help=True)
NewOrganization = Annotated[
    str, typer.Option("--organization", help="Name of the organization; made if new.")
]
Organization = Annotated[str, typer.Option("--organization", help="Name of the organization.")]


@app.command()
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
) -> None:
    """Make a key and print it, once: only a digest of it is kept."""
    if not organization.strip():
        # probably an unset variable in a script
        raise typer.BadParameter("expected the name of an organization.", param_hint="--organization")
    scopes = _scopes(scope)
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli import keys

    keys.create(settings, organization, name, scopes)


@app.command("list")
def list_keys(
    organization: Organization,
    data_dir: DataDir = None,
    database: DatabaseUrl = None,
    config: ConfigFile = None,
) -> None:
    """List an organization's keys: id, name, scopes, when made, when last used."""
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli import keys

    keys.list_keys(settings, organization)


@app.command()
def revoke(
    organization: Organization,
    key_id: str,
    data_dir: DataDir = None,
    database: DatabaseUrl = None,
    config: ConfigFile = None,
) -> None:
    """Revoke a key by its id; running services notice within five seconds."""
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli import keys

    keys.revoke(settings, organization, key_id)


@app.command()
def rotate(data_dir: DataDir = None, database: DatabaseUrl = None, config: ConfigFile = None) -> None:
    """Make a new master key and encrypt everything again with it; works while the service runs.

    With `PAGEHAND_MASTER_KEY` set no key is made: give the new one there and the old one in
    `PAGEHAND_PREVIOUS_MASTER_KEYS`, restart the services, then run this.
    """
    settings = settings_with(config, data_dir=data_dir, database=database)
    from pagehand.cli import keys

    keys.rotate(settings)


def _scopes(given: str | None) -> list[str] | None:
    if given is None:
        return None
    scopes = [name.strip() for name in given.split(",") if name.strip()]
    wrong = [name for name in scopes if name not in SCOPES]
    if wrong or not scopes:
        problem = f"`{', '.join(wrong)}` is not a scope; there are" if wrong else "expected some of"
        raise typer.BadParameter(f"{problem} {', '.join(SCOPES)}.", param_hint="--scope")
    return scopes

"""`pagehand keys`: make, list and revoke API keys, rotate the master key; works while the service runs."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated

import typer

from pagehand.api.keys import SCOPES, new_key
from pagehand.cli.options import ConfigFile, DatabaseUrl, DataDir, settings_with
from pagehand.cli.private_data import keep_new_files_private
from pagehand.cli.rotation import Rotation
from pagehand.clock import now_ms, to_iso
from pagehand.errors import NotFound
from pagehand.settings import Settings
from pagehand.storage import Database, Stores

app = typer.Typer(help="Make, list and revoke API keys; rotate the master key.", no_args_is_help=True)
Organization = Annotated[str, typer.Option("--organization", help="Name of the organization; made if new.")]


@app.command()
def create(
    organization: Organization,
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
    scopes = _scopes(scope)

    async def work(stores: Stores) -> None:
        owner = await stores.organizations.ensure(organization)
        key, text = new_key(owner.id, name=name, scopes=scopes)
        await stores.keys.add(key)
        typer.echo(text)

    with_stores(work, settings_with(config, data_dir=data_dir, database=database))


@app.command("list")
def list_keys(
    organization: Organization,
    data_dir: DataDir = None,
    database: DatabaseUrl = None,
    config: ConfigFile = None,
) -> None:
    """List an organization's keys: id, name, scopes, when made, when last used."""

    async def work(stores: Stores) -> None:
        owner = await stores.organizations.ensure(organization)
        keys, _ = await stores.keys.list(owner.id, 1000, 0)
        for key in keys:
            used = to_iso(key.last_used_at) if key.last_used_at else "never used"
            state = "revoked" if key.revoked_at else used
            scopes = ",".join(key.scopes)
            typer.echo(f"{key.id}  {key.name or '-'}  {scopes}  {to_iso(key.created_at)}  {state}")

    with_stores(work, settings_with(config, data_dir=data_dir, database=database))


@app.command()
def revoke(
    organization: Organization,
    key_id: str,
    data_dir: DataDir = None,
    database: DatabaseUrl = None,
    config: ConfigFile = None,
) -> None:
    """Revoke a key by its id; running services notice within five seconds."""

    async def work(stores: Stores) -> None:
        owner = await stores.organizations.ensure(organization)
        if not await stores.keys.revoke(owner.id, key_id, now_ms()):
            raise NotFound(f"there is no key `{key_id}` in the organization `{organization}`.")

    with_stores(work, settings_with(config, data_dir=data_dir, database=database))


@app.command()
def rotate(data_dir: DataDir = None, database: DatabaseUrl = None, config: ConfigFile = None) -> None:
    """Make a new master key and encrypt everything anew with it; works while the service runs.

    With `PAGEHAND_MASTER_KEY` set no key is made: give the new one there and the old one in
    `PAGEHAND_PREVIOUS_MASTER_KEYS`, restart the services, then run this.
    """
    settings = settings_with(config, data_dir=data_dir, database=database)

    async def work(stores: Stores) -> None:
        is_new, count = await Rotation(settings, stores.sealed).run()
        typer.echo("A new master key is in use." if is_new else "The present master key stays.")
        typer.echo(f"{count} secrets were encrypted anew; the key before it is still accepted.")

    with_stores(work, settings)


def _scopes(given: str | None) -> list[str] | None:
    if given is None:
        return None
    scopes = [name.strip() for name in given.split(",") if name.strip()]
    wrong = [name for name in scopes if name not in SCOPES]
    if wrong or not scopes:
        raise typer.BadParameter(
            f"`{', '.join(wrong)}` is not a scope; there are {', '.join(SCOPES)}.", param_hint="--scope"
        )
    return scopes


def with_stores(work: Callable[[Stores], Awaitable[None]], settings: Settings) -> None:
    """Open the database the settings name and do some work on it."""
    keep_new_files_private()

    async def open_and_work() -> None:
        database = Database(settings.database_url)
        await database.open()
        try:
            await work(Stores(database))
        finally:
            await database.close()

    asyncio.run(open_and_work())

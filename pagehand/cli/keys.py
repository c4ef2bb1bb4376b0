"""`pagehand keys`: makes, lists and revokes API keys, rotates the master key; works while services run."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import typer

from pagehand.api.keys import new_key
from pagehand.cli.private_data import keep_new_files_private
from pagehand.cli.terminal import show
from pagehand.clock import now_ms, to_iso
from pagehand.errors import NotFound
from pagehand.records import ApiKey, Json, Organization
from pagehand.secrets.master_key import add_master_key, load_master_keys
from pagehand.secrets.vault import FieldLocation, Vault
from pagehand.settings import Settings
from pagehand.storage import Database, Stores
from pagehand.storage.sealed import SealedStore, SealedValue

_PAGE = 1000


def create(
    settings: Settings, organization: str, name: str | None, scopes: list[str] | None, *, as_json: bool
) -> None:
    """Make a key and print it."""

    async def work(stores: Stores) -> None:
        is_new = await stores.organizations.by_name(organization) is None
        owner = await stores.organizations.ensure(organization)
        key, text = new_key(owner.id, name=name, scopes=scopes)
        await stores.keys.add(key)
        # alone on stdout, for scripts
        show({"key": _shown(key), "secret": text}, text, as_json=as_json)
        if is_new:
            typer.echo(f"The organization `{organization}` is new: it was made with this key.", err=True)

    with_stores(work, settings)


def list_keys(settings: Settings, organization: str, *, as_json: bool) -> None:
    """Print an organization's keys."""

    async def work(stores: Stores) -> None:
        owner = await _find_organization(stores, organization)
        async for key in _all_keys(stores, owner):
            used = to_iso(key.last_used_at) if key.last_used_at else "never used"
            state = "revoked" if key.revoked_at else used
            scopes = ",".join(key.scopes)
            line = f"{key.id}  {key.name or '-'}  {scopes}  {to_iso(key.created_at)}  {state}"
            show(_shown(key), line, as_json=as_json)

    with_stores(work, settings)


def revoke(settings: Settings, organization: str, key_id: str, *, as_json: bool) -> None:
    """Revoke a key; raises NotFound."""

    async def work(stores: Stores) -> None:
        owner = await _find_organization(stores, organization)
        if not await stores.keys.revoke(owner.id, key_id, now_ms()):
            raise NotFound(f"there is no key `{key_id}` in the organization `{organization}`.")
        show({"key": {"id": key_id}}, f"{key_id} is revoked.", as_json=as_json)

    with_stores(work, settings)


def rotate(settings: Settings, *, as_json: bool) -> None:
    """Make a new master key, unless the environment sets it, and encrypt everything again."""

    async def work(stores: Stores) -> None:
        is_new, count = await MasterKeyRotation(settings, stores.sealed).run()
        said = "A new master key is in use." if is_new else "The present master key stays."
        said += f"\n{count} secrets were encrypted again; the previous key is still accepted."
        show({"isNew": is_new, "encryptedAgain": count}, said, as_json=as_json)

    with_stores(work, settings)


def _shown(key: ApiKey) -> Json:
    """A key as `/keys/list` shows it."""
    return {
        "id": key.id,
        "name": key.name,
        "createdAt": to_iso(key.created_at),
        "lastUsedAt": key.last_used_at and to_iso(key.last_used_at),
        "revokedAt": key.revoked_at and to_iso(key.revoked_at),
        "scopes": key.scopes,
    }


async def _all_keys(stores: Stores, owner: Organization) -> AsyncIterator[ApiKey]:
    # every page: a key that is not shown is never revoked
    shown = 0
    while True:
        keys, total = await stores.keys.list(owner.id, _PAGE, shown)
        for key in keys:
            yield key
        shown += len(keys)
        if not keys or shown >= total:
            return


async def _find_organization(stores: Stores, organization: str) -> Organization:
    """An existing organization; raises NotFound, because a misspelt name must not make another."""
    found = await stores.organizations.by_name(organization)
    if found is None:
        raise NotFound(f"there is no organization `{organization}`; `pagehand keys create` makes one.")
    return found


def with_stores(work: Callable[[Stores], Awaitable[None]], settings: Settings) -> None:
    """Run `work` on the stores of the configured database."""
    keep_new_files_private()

    async def open_and_work() -> None:
        database = Database(settings.database_url)
        await database.open()
        try:
            await work(Stores(database))
        finally:
            await database.close()

    asyncio.run(open_and_work())


class MasterKeyRotation:
    """One run of `pagehand keys rotate`; it also completes an earlier run that was interrupted."""

    def __init__(self, settings: Settings, store: SealedStore) -> None:
        self._settings = settings
        self._store = store

    async def run(self) -> tuple[bool, int]:
        """Whether a new key was made, and how many values were sealed again."""
        # an interrupted run has made its key already
        is_new = not self._is_from_environment and not await self._is_incomplete()
        if is_new:
            add_master_key(Path(self._settings.data_dir))
        vault = self._vault()
        total = 0
        # a service that wrote while the key changed may have used the old one once more
        while count := await self._seal_all(vault):
            total += count
        return is_new, total

    @property
    def _is_from_environment(self) -> bool:
        return self._settings.master_key is not None

    def _vault(self) -> Vault:
        return Vault(*load_master_keys(self._settings))

    async def _is_incomplete(self) -> bool:
        vault = self._vault()
        return any([not vault.is_current(value.sealed) async for value in self._store.all()])

    async def _seal_all(self, vault: Vault) -> int:
        count = 0
        async for value in self._store.all():
            if not vault.is_current(value.sealed):
                location = _location(value)
                count += await self._store.replace(
                    value, vault.seal(vault.open(value.sealed, location), location)
                )
        return count


def _location(value: SealedValue) -> FieldLocation:
    return FieldLocation(value.organization_id, value.column.table.name, value.row, value.column.name)

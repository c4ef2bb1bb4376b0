"""Rotates the master key while services run: makes a new key, then seals every value with it."""

from pathlib import Path

from pagehand.secrets.master_key import add_master_key, load_master_keys
from pagehand.secrets.vault import FieldLocation, Vault
from pagehand.settings import Settings
from pagehand.storage.sealed import SealedStore, SealedValue


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

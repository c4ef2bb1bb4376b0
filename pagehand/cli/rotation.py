"""Changing the master key while the service runs: a new key first, then every row sealed anew."""

from pathlib import Path

from pagehand.secrets.master_key import add_master_key, load_master_keys
from pagehand.secrets.vault import Place, Vault
from pagehand.settings import Settings
from pagehand.storage.sealed import SealedStore, SealedValue


class Rotation:
    """One run of `pagehand keys rotate`; a run that was cut off is taken up by the next."""

    def __init__(self, settings: Settings, store: SealedStore) -> None:
        self._settings = settings
        self._store = store

    async def run(self) -> tuple[bool, int]:
        """Whether a new key was made, and how many values were sealed anew."""
        # a run that was cut off has made its key already: a third one would help nobody
        is_new = not self._is_given and not await self._is_under_way()
        if is_new:
            add_master_key(Path(self._settings.data_dir))
        vault = self._vault()
        total = 0
        # a service that was just writing when the key changed may have used the old one once more
        while count := await self._pass(vault):
            total += count
        return is_new, total

    @property
    def _is_given(self) -> bool:
        return self._settings.master_key is not None

    def _vault(self) -> Vault:
        return Vault(*load_master_keys(self._settings))

    async def _is_under_way(self) -> bool:
        vault = self._vault()
        return any([not vault.is_current(value.sealed) async for value in self._store.all()])

    async def _pass(self, vault: Vault) -> int:
        count = 0
        async for value in self._store.all():
            if not vault.is_current(value.sealed):
                place = _place(value)
                count += await self._store.replace(value, vault.seal(vault.open(value.sealed, place), place))
        return count


def _place(value: SealedValue) -> Place:
    return Place(value.organization_id, value.column.table.name, value.row, value.column.name)

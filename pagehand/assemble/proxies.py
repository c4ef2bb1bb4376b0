"""Proxies wired to their store and the vault."""

from pagehand.sandbox import EgressPolicy, Proxies
from pagehand.secrets.vault import Place, Vault
from pagehand.settings import Settings
from pagehand.storage import Stores


def proxies_of(settings: Settings, stores: Stores, vault: Vault, policy: EgressPolicy) -> Proxies:
    """The operator's proxy and those of organizations."""
    return Proxies(settings.proxy, stores.organizations, _ProxyAddresses(vault), policy)


class _ProxyAddresses:
    """The vault, for the one column that proxies keep there."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def seal(self, organization_id: str, plain: bytes) -> bytes:
        return self._vault.seal(plain, _place(organization_id))

    def open(self, organization_id: str, sealed: bytes) -> bytes:
        return self._vault.open(sealed, _place(organization_id))


def _place(organization_id: str) -> Place:
    return Place(organization_id, "organization_proxies", organization_id, "sealed")

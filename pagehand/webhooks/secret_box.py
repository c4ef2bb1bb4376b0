"""Encrypting the secrets of webhooks."""

from pagehand.secrets.vault import FieldLocation, Vault


class WebhookSecrets:
    """The vault, for the column of webhook secrets."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def seal(self, organization_id: str, webhook_id: str, plain: bytes) -> bytes:
        """Encrypt for that webhook alone."""
        return self._vault.seal(plain, FieldLocation(organization_id, "webhooks", webhook_id, "secrets"))

    def open(self, organization_id: str, webhook_id: str, sealed: bytes) -> bytes:
        """Decrypt what `seal` gave."""
        return self._vault.open(sealed, FieldLocation(organization_id, "webhooks", webhook_id, "secrets"))

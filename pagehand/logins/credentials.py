"""The secrets of one login, encrypted and decrypted by the vault."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from pagehand.records import Json, Login
from pagehand.secrets.vault import FieldLocation, Secret, Vault


@dataclass(frozen=True, slots=True)
class Credentials:
    """The secrets of a login; an empty one means there is none."""

    password: Secret = field(default_factory=lambda: Secret(""))
    totp_seed: Secret = field(default_factory=lambda: Secret(""))
    additional: Mapping[str, Secret] = field(default_factory=dict[str, Secret])
    """Values of the additional credentials by credential id."""
    mailbox_password: Secret = field(default_factory=lambda: Secret(""))

    def all(self) -> list[Secret]:
        """Every secret that is set, for the redactor."""
        secrets = (self.password, self.totp_seed, *self.additional.values(), self.mailbox_password)
        return [secret for secret in secrets if secret]


def seal(vault: Vault, organization_id: str, login_id: str, credentials: Credentials) -> bytes:
    """Encrypt the secrets for the row of this login."""
    plain = {
        "password": credentials.password.reveal(),
        "totpSeed": credentials.totp_seed.reveal(),
        "additional": {key: secret.reveal() for key, secret in credentials.additional.items()},
        "mailboxPassword": credentials.mailbox_password.reveal(),
    }
    return vault.seal(json.dumps(plain).encode(), _location(organization_id, login_id))


def unseal(vault: Vault, login: Login) -> Credentials:
    """Decrypt the secrets of a stored login."""
    plain: Json = json.loads(vault.open(login.secrets, _location(login.organization_id, login.id)))
    return Credentials(
        password=Secret(plain["password"]),
        totp_seed=Secret(plain["totpSeed"]),
        additional={key: Secret(text) for key, text in plain["additional"].items()},
        mailbox_password=Secret(plain.get("mailboxPassword", "")),
    )


def _location(organization_id: str, login_id: str) -> FieldLocation:
    return FieldLocation(organization_id, "logins", login_id, "secrets")

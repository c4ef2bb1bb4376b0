"""The secrets of one login, and how they go into the vault and come out again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from pagehand.records import Json, Login
from pagehand.secrets.vault import Place, Secret, Vault


@dataclass(frozen=True, slots=True)
class Credentials:
    """What must never be shown of a login; an empty secret means there is none."""

    password: Secret = field(default_factory=lambda: Secret(""))
    totp_seed: Secret = field(default_factory=lambda: Secret(""))
    additional: Mapping[str, Secret] = field(default_factory=dict[str, Secret])
    """Values of the additional credentials by credential id."""
    mailbox_password: Secret = field(default_factory=lambda: Secret(""))

    def all(self) -> list[Secret]:
        """Every secret there is, for the redactor."""
        return [secret for secret in self._every() if secret]

    def _every(self) -> tuple[Secret, ...]:
        return (self.password, self.totp_seed, *self.additional.values(), self.mailbox_password)


def seal(vault: Vault, organization_id: str, login_id: str, credentials: Credentials) -> bytes:
    """Encrypt the secrets for the row of this login."""
    plain = {
        "password": credentials.password.reveal(),
        "totpSeed": credentials.totp_seed.reveal(),
        "additional": {key: secret.reveal() for key, secret in credentials.additional.items()},
        "mailboxPassword": credentials.mailbox_password.reveal(),
    }
    return vault.seal(json.dumps(plain).encode(), _place(organization_id, login_id))


def unseal(vault: Vault, login: Login) -> Credentials:
    """Decrypt the secrets of a stored login."""
    plain: Json = json.loads(vault.open(login.secrets, _place(login.organization_id, login.id)))
    return Credentials(
        password=Secret(plain["password"]),
        totp_seed=Secret(plain["totpSeed"]),
        additional={key: Secret(text) for key, text in plain["additional"].items()},
        mailbox_password=Secret(plain.get("mailboxPassword", "")),
    )


def _place(organization_id: str, login_id: str) -> Place:
    return Place(organization_id, "logins", login_id, "secrets")

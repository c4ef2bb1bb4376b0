"""The secrets of one login, encrypted and decrypted by the vault, and what a run may know of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pagehand.logins.profile import login_site, profile_of
from pagehand.records import Json, Login, LoginFacts
from pagehand.secrets.vault import HIDDEN, FieldLocation, Secret, Vault

_MINUTE_MS: Final = 60_000


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


def facts_of(vault: Vault, login: Login) -> LoginFacts:
    """What templates show of a login, what must be redacted, and its settings for the run."""
    profile, credentials = profile_of(login), unseal(vault, login)
    keys = {name.id: name.key for name in profile.additional_credentials}
    public: Json = {
        "username": login.username,
        "name": login.name,
        "id": login.id,
        "homeUrl": profile.home_url,
    }
    site = login_site(profile)
    secret = {
        keys[credential_id]: value.reveal()
        for credential_id, value in credentials.additional.items()
        if credential_id in keys
    }
    secret["password"] = credentials.password.reveal()
    return LoginFacts(
        id=login.id,
        name=login.name,
        is_manual=profile.is_manual_authentication,
        is_exclusive=not profile.support_concurrent_logins,
        uses_proxy=profile.use_proxy,
        retries=profile.auto_retry_max_attempts if profile.auto_retry_on_service_down else 0,
        retry_delay_ms=round(profile.auto_retry_delay_minutes * _MINUTE_MS),
        shown={**dict.fromkeys(secret, HIDDEN), **public},
        secret_values=secret,
        secrets=[credential.reveal() for credential in credentials.all()],
        site=str(site),
        is_own_url=site.includes,
    )

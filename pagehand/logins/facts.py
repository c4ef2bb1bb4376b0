"""What a run may know about a login."""

from typing import Final

from pagehand.logins.credentials import unseal
from pagehand.logins.profile import login_site, profile_of
from pagehand.records import Json, Login, LoginFacts
from pagehand.secrets.masks import HIDDEN
from pagehand.secrets.vault import Vault

_MINUTE_MS: Final = 60_000


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

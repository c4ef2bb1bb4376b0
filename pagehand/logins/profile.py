"""The settings of a login that are not secret, as stored in `Login.fields`."""

from typing import Final, Literal, cast

import msgspec
from msgspec import Struct, field

from pagehand.records import Json, Login

METHODS: Final = ("TOTP", "Email", "SMS", "None")
"""Where a second factor's code comes from."""
Method = Literal["TOTP", "Email", "SMS", "None"]


class TwoFactor(Struct, rename="camel", kw_only=True, frozen=True):
    """Whether the site asks for a code, and where the code comes from."""

    method: Method = "None"
    always_required: bool = False
    two_factor_auth_email: str = ""
    code_sender: str = ""
    """The address or domain from which the site mails codes; empty: any."""
    mailbox_username: str = ""
    """The user name at the mail server; empty: `two_factor_auth_email`, or the operator's account."""


class CredentialName(Struct, rename="camel", kw_only=True, frozen=True):
    """An additional credential without its value, which is in the vault under the same id."""

    id: str
    key: str


class Profile(Struct, rename="camel", kw_only=True, frozen=True):
    """The settings of a login that are not secret.

    Two runs at once with one login are off by default: many sites end the first session when a second one
    begins, and a run that is signed out half-way is worse than one that waits.
    """

    authentication_url: str
    home_url: str
    icon_url: str = ""
    sign_in_urls: tuple[str, ...] = ()
    """Other addresses at which the login may be typed, such as that of an identity provider."""
    use_proxy: bool = False
    persist_session: bool = False
    is_manual_authentication: bool = False
    support_concurrent_logins: bool = False
    supports_agent_concurrency: bool = False
    auto_retry_on_service_down: bool = False
    auto_retry_delay_minutes: float = 5.0
    auto_retry_max_attempts: int = 3
    use_llm_login_detection: bool = field(default=False, name="useLLMLoginDetection")
    login_detection_prompt: str = ""
    login_instructions_prompt: str = ""
    email: str = ""
    phone: str = ""
    two_factor: TwoFactor = TwoFactor()
    additional_credentials: tuple[CredentialName, ...] = ()

    def addresses(self) -> dict[str, str]:
        """Where the login's secrets may go: URLs by the names of their fields."""
        others = {f"signInUrls[{index}]": url for index, url in enumerate(self.sign_in_urls)}
        return {"authenticationUrl": self.authentication_url, "homeUrl": self.home_url, **others}


def profile_of(login: Login) -> Profile:
    """The profile of a stored login."""
    return msgspec.convert(login.fields, Profile)


def as_fields(profile: Profile) -> Json:
    """The profile as it is stored."""
    return cast("Json", msgspec.to_builtins(profile))

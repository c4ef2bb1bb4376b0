"""The settings of a login that are not secret, as stored in `Login.fields`, and the site they name."""

from typing import Final, Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, field

from pagehand.records import Json, Login
from pagehand.workflow.allowed_domains import WEB_PORTS

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
    return msgspec.to_builtins(profile)


class Origin(NamedTuple):
    """Scheme, host and port: what browsers keep apart."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == WEB_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"


class LoginSite:
    """The origins of a login's addresses."""

    def __init__(self, *urls: str) -> None:
        self._origins = {origin for url in urls if (origin := origin_of(url))}

    def includes(self, url: str) -> bool:
        """Whether `url` has one of the origins, or the https one of the same host instead of http.

        Sub-domains are other sites: on many hosts they belong to strangers.
        """
        origin = origin_of(url)
        if origin is None:
            return False
        is_secure = origin == ("https", origin.host, 443)
        return origin in self._origins or (is_secure and ("http", origin.host, 80) in self._origins)

    def __str__(self) -> str:
        return " or ".join(sorted(f"`{origin}`" for origin in self._origins))


def login_site(profile: Profile) -> LoginSite:
    """The site to which the secrets of a login may go."""
    return LoginSite(*profile.addresses().values())


def origin_of(url: str) -> Origin | None:
    """The origin of a web address; None for any other text, which a page or a mail may hold as an address."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in WEB_PORTS or not parts.hostname:
        return None
    return Origin(parts.scheme, parts.hostname, port or WEB_PORTS[parts.scheme])


def how_to_add(url: str) -> str:
    """What to do if an address that was refused is right."""
    origin = origin_of(url)
    if origin is None:
        return "Secrets go only to web pages that `authenticationUrl`, `homeUrl` or `signInUrls` name."
    return (
        f"If `{origin}` may have the login's secrets, add it to `signInUrls` of the login, and send the "
        "secrets again with it (`/logins/update`)."
    )

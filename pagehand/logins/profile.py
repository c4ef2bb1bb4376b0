"""The settings of a login that are not secret, as stored in `Login.fields`."""

from typing import Final, Literal, cast
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Struct, field

from pagehand.records import Json, Login
from pagehand.workflow.default_ports import WEB_PORTS

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
    auto_retry_delay_minutes: float = 5
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


class LoginSite:
    """The origins of a login's addresses and the sub-domains of their hosts."""

    def __init__(self, *urls: str) -> None:
        self._urls = [urlsplit(url) for url in urls]

    def includes(self, url: str) -> bool:
        """Whether `url` belongs to the login's site.

        That is the same host or a sub-domain of it (a leading `www.` does not count) at the same port, with
        https instead of http but not the other way round. Hosts that only share a parent domain are other
        sites: without a list of public suffixes, `login.bank.example` and `evil.example` look alike.
        """
        try:
            there = urlsplit(url)
            _ = there.port
        except ValueError:
            return False  # a page or a mail may hold any text as an address
        return any(_is_same_site(own, there) for own in self._urls)

    def __str__(self) -> str:
        return " or ".join(sorted({f"`{own.scheme}://{own.netloc}`" for own in self._urls}))


def login_site(profile: Profile) -> LoginSite:
    """The site to which the secrets of a login may go."""
    return LoginSite(*profile.addresses().values())


def _is_same_site(own: SplitResult, there: SplitResult) -> bool:
    if there.scheme not in WEB_PORTS or not there.hostname or not own.hostname:
        return False
    base = own.hostname.removeprefix("www.")
    base = base if "." in base else own.hostname
    is_same_host = there.hostname in (own.hostname, base) or there.hostname.endswith(f".{base}")
    return is_same_host and _is_same_port(own, there)


def _is_same_port(own: SplitResult, there: SplitResult) -> bool:
    origins = [(parts.scheme, parts.port or WEB_PORTS[parts.scheme]) for parts in (own, there)]
    return origins[0] == origins[1] or origins == [("http", 80), ("https", 443)]

"""Where a login may be typed: at the origins that it names, and nowhere else."""

from typing import NamedTuple
from urllib.parse import urlsplit

from pagehand.logins.profile import Profile
from pagehand.workflow.allowed_domains import WEB_PORTS


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

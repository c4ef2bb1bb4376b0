"""Where a login may be typed: on its own site, and nowhere else."""

from urllib.parse import SplitResult, urlsplit

from pagehand.logins.profile import Profile
from pagehand.workflow.default_ports import WEB_PORTS


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

"""Where a login may be typed: its own addresses, and nowhere else."""

from urllib.parse import SplitResult, urlsplit

from pagehand.logins.profile import Profile
from pagehand.workflow.default_ports import WEB_PORTS


class Site:
    """The origins of a login's addresses and the sub-domains of their hosts."""

    def __init__(self, *urls: str) -> None:
        self._urls = [urlsplit(url) for url in urls]

    def includes(self, url: str) -> bool:
        """True when `url` belongs to the login's site.

        Same host, or a sub-domain of it (a leading `www.` does not count), at the same port; https in place
        of http, but never the other way round. Hosts that merely share a parent are strangers: without the
        list of public suffixes nobody can tell `login.bank.example` from a neighbour under `example`.
        """
        try:
            there = urlsplit(url)
            _ = there.port
        except ValueError:
            return False  # a page or a mail may hold any text as an address
        return any(_same_site(own, there) for own in self._urls)

    def __str__(self) -> str:
        return " or ".join(sorted({f"`{own.scheme}://{own.netloc}`" for own in self._urls}))


def site_of(profile: Profile) -> Site:
    """Where the secrets of a login may go."""
    return Site(profile.authentication_url, profile.home_url, *profile.sign_in_urls)


def _same_site(own: SplitResult, there: SplitResult) -> bool:
    if there.scheme not in WEB_PORTS or not there.hostname or not own.hostname:
        return False
    base = own.hostname.removeprefix("www.")
    base = base if "." in base else own.hostname
    is_same_host = there.hostname in (own.hostname, base) or there.hostname.endswith(f".{base}")
    return is_same_host and _same_port(own, there)


def _same_port(own: SplitResult, there: SplitResult) -> bool:
    places = [(parts.scheme, parts.port or WEB_PORTS[parts.scheme]) for parts in (own, there)]
    return places[0] == places[1] or places == [("http", 80), ("https", 443)]

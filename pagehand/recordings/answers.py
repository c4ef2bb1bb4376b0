"""Which recorded answer a request gets."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from pagehand.recordings.recording import Exchange

_PORTS: Final = {"http": 80, "https": 443}


class Answers:
    """Answers in the order in which they were recorded; the last of an address is repeated."""

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self._by_url: dict[tuple[str, str], list[Exchange]] = defaultdict(list)
        self._by_path: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._schemes: dict[int, str] = {}
        for exchange in exchanges:
            self._by_url[exchange.method, exchange.url].append(exchange)
            self._schemes.setdefault(_port(exchange.url), urlsplit(exchange.url).scheme)
            urls = self._by_path[exchange.method, _without_query(exchange.url)]
            if exchange.url not in urls:
                urls.append(exchange.url)
        self.missing: list[str] = []
        """What was asked for and was not recorded, as `GET https://…`."""

    def take(self, method: str, url: str) -> Exchange | None:
        """The next answer to this request; None when it was never recorded."""
        url = url.partition("#")[0]
        known = self._by_url.get((method, url)) or self._alike(method, url)
        if known is None:
            if method == "HEAD":
                return self.take("GET", url)
            if (asked := f"{method} {url}") not in self.missing:
                self.missing.append(asked)
            return None
        return known.pop(0) if len(known) > 1 else known[0]

    def scheme(self, port: int) -> str:
        """Whether hosts speak HTTP or HTTPS at this port."""
        return self._schemes.get(port, "https" if port == _PORTS["https"] else "http")

    def _alike(self, method: str, url: str) -> list[Exchange] | None:
        """Those of the one recorded address that differs in its query only: a time or a random number."""
        urls = self._by_path.get((method, _without_query(url)), [])
        return self._by_url[method, urls[0]] if len(urls) == 1 and urlsplit(url).query else None


def _port(url: str) -> int:
    parts = urlsplit(url)
    return parts.port or _PORTS[parts.scheme]


def _without_query(url: str) -> str:
    return url.partition("?")[0]

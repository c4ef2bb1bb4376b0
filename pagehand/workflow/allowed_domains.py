"""The domains that a step may reach (`allowedDomains`), below what the operator's egress policy allows.

An entry is one of

    shop.example        the host and every host below it, on every port; `*.shop.example` means the same
    shop.example:8443   the same on one port
    127.0.0.1:8080      an IPv4 address; only that very address
    [::1]:8080          an IPv6 address; `[::1]` and `::1` mean every port
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, ValidationInfo

from pagehand.workflow.wire import RESOLVED, Text

NOT_ALLOWED: Final = "is not among the domains that this step may reach"
"""Why another host was refused."""
_HOST_NAME: Final = re.compile(
    r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*"
)
_PORT: Final = re.compile(r"[0-9]{1,5}")
_PORT_COUNT: Final = 2**16
WEB_PORTS: Final = {"http": 80, "https": 443}
PROXY_PORTS: Final = {**WEB_PORTS, "socks5": 1080, "socks5h": 1080}


@dataclass(frozen=True, slots=True)
class _Entry:
    host: str | IPv4Address | IPv6Address
    port: int | None
    """None stands for every port."""

    def covers(self, host: str, port: int) -> bool:
        if self.port not in (None, port):
            return False
        if isinstance(self.host, str):
            return host == self.host or host.endswith(f".{self.host}")
        return _address(host) == self.host


class AllowedDomains:
    """The hosts and ports that a step may reach."""

    def __init__(self, entries: Iterable[str]) -> None:
        """Read the entries; ValueError for a malformed one, so that it never opens more than it says."""
        self._entries = [_parse(entry) for entry in entries if entry.strip()]

    def covers(self, host: str, port: int) -> bool:
        """Whether this host may be reached on this port."""
        name = normal_name(host)
        return any(entry.covers(name, port) for entry in self._entries)


def domain_of(url: str) -> str | None:
    """The entry that allows the host of `url`, on its port if it names one; None when it has no such host."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        entry = f"[{host}]" if ":" in host else host
        entry = entry if port is None else f"{entry}:{port}"
        _parse(entry)
    except ValueError:
        return None
    return entry


def _check_entry(entry: str, info: ValidationInfo) -> str:
    # a template is checked once it is filled in
    if entry.strip() and (info.context is RESOLVED or "{{" not in entry):
        _parse(entry)
    return entry


DomainEntry = Annotated[Text, AfterValidator(_check_entry)]
"""One entry of `allowedDomains`, refused when it is malformed."""


def _parse(entry: str) -> _Entry:
    text = entry.strip().removeprefix("*.")
    try:
        host, port = split_port(text)
    except ValueError as mistake:
        raise _malformed(entry, str(mistake)) from None
    address = _address(host)
    if address is not None:
        return _Entry(address, port)
    name = normal_name(host)
    if not name.isascii():
        raise _malformed(entry, "write an international name as browsers send it, beginning with `xn--`.")
    if not is_host_name(name):
        raise _malformed(entry, "expected a host or an address, such as `shop.example` or `[::1]:8080`.")
    return _Entry(name, port)


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _malformed(entry: str, reason: str) -> ValueError:
    return ValueError(f"`{entry[:200]}` is not a domain: {reason}")


def split_port(entry: str) -> tuple[str, int | None]:
    """The host without brackets, and its port or None for every port; ValueError says what is wrong."""
    host, colon, port = entry.rpartition(":")
    if not colon or entry.endswith("]") or (":" in host and not host.endswith("]")):
        host, port = entry, "*"  # a bare IPv6 address has colons but no port
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    if port == "*":
        return host, None
    if not _PORT.fullmatch(port) or not 0 < int(port) < _PORT_COUNT:
        raise ValueError(f"`{port[:20]}` is not a port: expected 1 to 65535, or `*`.")
    return host, int(port)


def normal_name(host: str) -> str:
    """A host name in the one spelling that names are compared in."""
    return host.lower().removesuffix(".")


def is_host_name(name: str) -> bool:
    """Whether this normal name can be a host's; False for numbers, which systems read as addresses."""
    return bool(_HOST_NAME.fullmatch(name)) and not name.rpartition(".")[2].isdigit()

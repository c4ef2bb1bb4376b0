"""The domains that a step may reach (`allowedDomains`), below what the operator's egress policy allows.

An entry is one of

    shop.example        the host and every host below it, on every port; `*.shop.example` means the same
    shop.example:8443   the same on one port
    127.0.0.1:8080      an IPv4 address; only that very address
    [::1]:8080          an IPv6 address; `[::1]` and `::1` mean every port
"""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, ValidationInfo

from pagehand.workflow.hosts import is_host_name, normal_name, split_port
from pagehand.workflow.wire import RESOLVED, Text

NOT_ALLOWED: Final = "is not among the domains that this step may reach"
"""Why another host was refused."""


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

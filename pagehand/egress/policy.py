"""Decides what the service may connect to on a workflow's behalf, for browsers and HTTP alike.

Public addresses are open. Everything else (loopback, private, link-local, …) is closed unless the operator
opens it with `PAGEHAND_EGRESS_ALLOW`: a comma-separated list of

    localhost:3000     a host name, whatever it resolves to, on one port
    intranet.example   a host name on every port
    127.0.0.1:*        an address, under whatever name, on every port
    10.20.0.0/16       a network
    [::1]:8080         an IPv6 address on one port

Metadata addresses of cloud providers open only when an entry names that very address.
"""

import asyncio
import logging
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from cachetools import TTLCache

from pagehand.errors import BlockFailed, SiteDown, UserMistake
from pagehand.workflow.hosts import is_host_name, normal_name, split_port

SETTING = "PAGEHAND_EGRESS_ALLOW"
"""The setting that opens what is closed."""

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_log = logging.getLogger(__name__)

_METADATA = frozenset(
    ip_address(text)
    for text in (
        "169.254.169.254",  # most providers
        "169.254.170.2",  # credentials of ECS tasks
        "169.254.170.23",  # credentials of EKS pods
        "169.254.0.23",  # Tencent Cloud
        "192.0.0.192",  # Oracle Cloud
        "100.100.100.200",  # Alibaba Cloud
        "168.63.129.16",  # Azure; a public address, but answered inside the machine's own host
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",  # Google Cloud
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
_IPV4_COMPATIBLE = IPv6Network("::/96")
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_DOCUMENTATION = IPv6Network("3fff::/20")

_RESOLVE_SECONDS = 10
_REMEMBER_SECONDS = 5
_REMEMBER_HOSTS = 1000


class EgressRefused(BlockFailed):
    """The host is closed to workflows."""

    code = "AddressRefused"

    def __init__(self, host: str, port: int, reason: str) -> None:
        """Name the host and the setting; never the address a name stands for."""
        super().__init__(
            f"`{host}:{port}` {reason}; it was not contacted. The operator can open it with `{SETTING}`."
        )
        self.host = host
        self.port = port
        self.reason = reason


class HostUnknown(SiteDown):
    """The host's name could not be resolved."""

    def __init__(self, host: str) -> None:
        """Name the host."""
        super().__init__(f"The host name `{host}` could not be resolved; check its spelling or the network.")


@dataclass(frozen=True, slots=True)
class Allowed:
    """The connection may be made."""


@dataclass(frozen=True, slots=True)
class Denied:
    """The connection may not be made."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Opening:
    """One entry of the setting; `port` None stands for every port."""

    target: str | Network
    port: int | None

    def covers(self, host: str, port: int, address: Address) -> bool:
        """True for this host name, or for an address in this network."""
        if self.port not in (None, port):
            return False
        return self.target == host if isinstance(self.target, str) else address in self.target

    def names(self, port: int, address: Address) -> bool:
        """True when the entry is this very address."""
        is_one = not isinstance(self.target, str) and self.target.num_addresses == 1
        return is_one and self.covers("", port, address)


class EgressPolicy:
    """Says for a host, a port and the address they lead to whether a connection may be made."""

    def __init__(self, allow: str = "") -> None:
        """Read the setting; `UserMistake` names an entry that makes no sense."""
        self._openings = [_parse_opening(entry.strip()) for entry in allow.split(",") if entry.strip()]
        # Its own threads: names that resolve slowly must not hold up the rest of the service.
        self._resolvers = ThreadPoolExecutor(max_workers=16, thread_name_prefix="resolve")
        self._remembered = TTLCache[tuple[str, int], list[Address]](_REMEMBER_HOSTS, _REMEMBER_SECONDS)

    def decide(self, host: str, port: int, address: Address) -> Allowed | Denied:
        """Judge one address, by every IPv4 address it carries inside as well."""
        name = normal_name(host)
        # `::ffff:127.0.0.1` and its like end up at the IPv4 address inside
        for form in (address, *_embedded(address)):
            if form in _METADATA:
                if not any(opening.names(port, form) for opening in self._openings):
                    return Denied(
                        "is a metadata address, which opens only when an entry is exactly that address"
                    )
            elif not _is_public(form) and not any(
                opening.covers(name, port, either) for opening in self._openings for either in (address, form)
            ):
                return Denied("is not a public address")
        return Allowed()

    async def resolve(self, host: str, port: int) -> list[Address]:
        """The addresses of `host` that may be dialled, in the system's order; `EgressRefused` if none may."""
        refusal: Denied | None = None
        allowed: list[Address] = []
        for address in await self._addresses(host, port):
            match self.decide(host, port, address):
                case Allowed():
                    allowed.append(address)
                case Denied() as denied:
                    # one allowed address is enough: a name may have a private one beside it
                    refusal = refusal or denied
                    _log.info("egress to %r port %d refused: %s %s", host, port, address, denied.reason)
        if allowed:
            return allowed
        raise EgressRefused(host, port, refusal.reason) if refusal else HostUnknown(host)

    async def _addresses(self, host: str, port: int) -> list[Address]:
        bare = host.removeprefix("[").removesuffix("]")
        try:
            return [ip_address(bare)]
        except ValueError:
            pass
        known = self._remembered.get((bare, port))
        if known is None:
            known = self._remembered[bare, port] = await self._look_up(bare, port)
        return known

    async def _look_up(self, host: str, port: int) -> list[Address]:
        """Ask the system, which also reads forms such as `127.1` and `0x7f.1` the way it would dial them."""
        loop = asyncio.get_running_loop()
        try:
            found = await asyncio.wait_for(
                loop.run_in_executor(self._resolvers, _system_addresses, host, port), _RESOLVE_SECONDS
            )
        except (OSError, UnicodeError) as error:  # TimeoutError is an OSError
            raise HostUnknown(host) from error
        return list(dict.fromkeys(ip_address(text) for text in found))


def _system_addresses(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


def _embedded(address: Address) -> list[Address]:
    """IPv4 addresses that a packet to this IPv6 address may end up at."""
    if isinstance(address, IPv4Address):
        return []
    inside: list[Address | None] = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64 or (address in _IPV4_COMPATIBLE and int(address) > 1):
        inside.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return [form for form in inside if form is not None]


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast and not address.is_reserved
    if address.ipv4_mapped or address in _NAT64:
        return True  # what counts is the IPv4 address inside, judged beside it
    return address in _GLOBAL_UNICAST and address.is_global and address not in _DOCUMENTATION


def _parse_opening(entry: str) -> _Opening:
    try:
        target, port = split_port(entry)
    except ValueError as mistake:
        raise _malformed(entry, str(mistake)) from None
    try:
        return _Opening(ip_network(target), port)
    except ValueError as mistake:
        if "has host bits set" in str(mistake):
            raise _malformed(entry, f"did you mean `{ip_network(target, strict=False)}`?") from None
    name = normal_name(target)
    if not is_host_name(name):
        raise _malformed(entry, "expected a host name, an address or a network, with or without `:port`.")
    return _Opening(name, port)


def _malformed(entry: str, reason: str) -> UserMistake:
    return UserMistake(f"`{SETTING}` has an entry `{entry}` that makes no sense: {reason}")

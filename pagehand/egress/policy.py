"""Decides what the service may connect to for workflows, in browsers and over HTTP.

Public addresses are open. All others (loopback, private, link-local, …) are closed unless the operator opens
them with `PAGEHAND_EGRESS_ALLOW`: a comma-separated list of

    localhost:3000     a host name, whatever it resolves to, on one port
    intranet.example   a host name on every port
    127.0.0.1:*        an address, under any name, on every port
    10.20.0.0/16       a network
    [::1]:8080         an IPv6 address on one port

Metadata addresses of cloud providers open only when an entry names exactly that address.
"""

import asyncio
import logging
import socket
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from cachetools import TTLCache

from pagehand.errors import BlockFailed, SiteDown, UserMistake
from pagehand.workflow.allowed_domains import is_host_name, normal_name, split_port

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
_CACHE_SECONDS = 5
_CACHED_HOSTS = 1000


def how_to_allow(host: str, port: int) -> str:
    """What the operator has to write for a host and port that are closed."""
    written = unicodedata.normalize("NFKC", host).strip("[]")
    with suppress(OSError):  # a name, or an IPv6 address; `127.1` and `0x7f.1` are no entries, 127.0.0.1 is
        written = socket.inet_ntoa(socket.inet_aton(written))
    entry = f"[{written}]:{port}" if ":" in written else f"{written}:{port}"
    return (
        f"Whoever runs the service can open it: start it with `--allow {entry}`, or add `{entry}` to "
        f"`{SETTING}`."
    )


class EgressRefused(BlockFailed):
    """The host is closed to workflows."""

    code = "AddressRefused"

    def __init__(self, host: str, port: int, reason: str) -> None:
        """The message names the host and the setting, never the address behind a name."""
        super().__init__(f"`{host}:{port}` {reason}; it was not contacted. {how_to_allow(host, port)}")
        self.host = host
        self.port = port
        self.reason = reason


class HostUnknown(SiteDown):
    """The host's name could not be resolved."""

    def __init__(self, host: str) -> None:
        """`host` is the name."""
        super().__init__(f"The host name `{host}` could not be resolved; check its spelling or the network.")


@dataclass(frozen=True, slots=True)
class Denial:
    """Why a connection may not be made."""

    reason: str


@dataclass(frozen=True, slots=True)
class _AllowEntry:
    """One entry of the setting; `port` None stands for every port."""

    target: str | Network
    port: int | None

    def covers(self, host: str, port: int, address: Address) -> bool:
        """True for this host name, or for an address in this network."""
        if self.port not in (None, port):
            return False
        return self.target == host if isinstance(self.target, str) else address in self.target

    def names(self, port: int, address: Address) -> bool:
        """Whether the entry is exactly this address."""
        is_single = not isinstance(self.target, str) and self.target.num_addresses == 1
        return is_single and self.covers("", port, address)


class EgressPolicy:
    """Decides by host, port and resolved address whether a connection may be made."""

    def __init__(self, allow: str = "") -> None:
        """Read the setting; `UserMistake` names a malformed entry."""
        self._entries = [_parse_entry(entry.strip()) for entry in allow.split(",") if entry.strip()]
        # separate threads: names that resolve slowly must not delay the rest of the service
        self._resolvers = ThreadPoolExecutor(max_workers=16, thread_name_prefix="resolve")
        self._cache = TTLCache[tuple[str, int], list[Address]](_CACHED_HOSTS, _CACHE_SECONDS)

    def decide(self, host: str, port: int, address: Address) -> Denial | None:
        """Why this address, or an IPv4 address embedded in it, is refused; None when it is allowed."""
        name = normal_name(host)
        # `::ffff:127.0.0.1` and the like end up at the IPv4 address inside
        for form in (address, *_embedded(address)):
            if form in _METADATA:
                if not any(entry.names(port, form) for entry in self._entries):
                    return Denial(
                        "is a metadata address, which opens only when an entry is exactly that address"
                    )
            elif not _is_public(form) and not any(
                entry.covers(name, port, candidate)
                for entry in self._entries
                for candidate in (address, form)
            ):
                return Denial("is not a public address")
        return None

    def refusal_of_address(self, host: str, port: int) -> EgressRefused | None:
        """Why `host` is refused where it is an address; None for names, which are resolved only on use."""
        try:
            denial = self.decide(host, port, ip_address(host))
        except ValueError:
            return None
        return None if denial is None else EgressRefused(host, port, denial.reason)

    async def resolve(self, host: str, port: int) -> list[Address]:
        """The addresses of `host` that may be dialled, in the system's order; `EgressRefused` if none may."""
        refusal: Denial | None = None
        allowed: list[Address] = []
        for address in await self._addresses(host, port):
            denial = self.decide(host, port, address)
            if denial is None:
                allowed.append(address)
            else:
                # one allowed address is enough: a name may have a private one beside it
                refusal = refusal or denial
                _log.info("egress to %r port %d refused: %s %s", host, port, address, denial.reason)
        if allowed:
            return allowed
        raise EgressRefused(host, port, refusal.reason) if refusal else HostUnknown(host)

    async def _addresses(self, host: str, port: int) -> list[Address]:
        bare = host.removeprefix("[").removesuffix("]")
        try:
            return [ip_address(bare)]
        except ValueError:
            pass
        known = self._cache.get((bare, port))
        if known is None:
            known = self._cache[bare, port] = await self._ask_system(bare, port)
        return known

    async def _ask_system(self, host: str, port: int) -> list[Address]:
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
        return True  # the IPv4 address inside decides, which `decide` checks as well
    return address in _GLOBAL_UNICAST and address.is_global and address not in _DOCUMENTATION


def _parse_entry(entry: str) -> _AllowEntry:
    try:
        target, port = split_port(entry)
    except ValueError as mistake:
        raise _malformed(entry, str(mistake)) from None
    try:
        return _AllowEntry(ip_network(target), port)
    except ValueError as mistake:
        if "has host bits set" in str(mistake):
            raise _malformed(entry, f"did you mean `{ip_network(target, strict=False)}`?") from None
    name = normal_name(target)
    if not is_host_name(name):
        raise _malformed(entry, "expected a host name, an address or a network, with or without `:port`.")
    return _AllowEntry(name, port)


def _malformed(entry: str, reason: str) -> UserMistake:
    return UserMistake(f"`{SETTING}` has an entry `{entry}` that makes no sense: {reason}")

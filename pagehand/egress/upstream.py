"""An upstream proxy, set by the operator or an organization, for executions with `useProxy`."""

import base64
from collections.abc import Generator
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import unquote, urlsplit

from pagehand.egress.policy import EgressPolicy, EgressRefused, HostUnknown
from pagehand.errors import UserMistake
from pagehand.workflow.allowed_domains import PROXY_PORTS

_SOCKS_FAILURES = {
    2: "not allowed",
    3: "network unreachable",
    4: "host unreachable",
    5: "connection refused",
    6: "timed out",
}
_ANSWER_LENGTHS = {1: 4, 4: 16}
_DOMAIN_NAME = 3
_SOCKS_MAX_BYTES = 255
OPERATOR_SETTING = "PAGEHAND_PROXY"


class ProxyRefused(OSError):
    """The proxy itself may not or cannot be reached; the message is the cause."""


class SocksRefused(OSError):
    """The SOCKS proxy did not connect; the message is the cause."""


@dataclass(frozen=True, slots=True)
class UpstreamProxy:
    """An HTTP or SOCKS proxy and the credentials it wants."""

    host: str
    port: int
    is_tls: bool
    authorization: str | None = field(repr=False)
    is_socks: bool = False
    credentials: tuple[str, str] | None = field(default=None, repr=False)
    """User name and password, for SOCKS."""
    is_checked: bool = False
    """Whether the egress policy applies to the proxy itself; it does not to the operator's own."""

    @classmethod
    def parse(cls, url: str, source: str = OPERATOR_SETTING) -> "UpstreamProxy":
        """Read `http://user:password@host:port` or `socks5://…`; errors name only its source."""
        try:
            parts = urlsplit(url)
            default_port = PROXY_PORTS[parts.scheme]
            port = parts.port or default_port
        except (ValueError, KeyError):
            raise UserMistake(
                f"`{source}` must look like `http://user:password@host:port` or `socks5://host:port`."
            ) from None
        if not parts.hostname:
            raise UserMistake(f"`{source}` names no host: it must look like `http://host:port`.")
        authorization = credentials = None
        if parts.username is not None:
            credentials = unquote(parts.username), unquote(parts.password or "")
            authorization = base64.b64encode(":".join(credentials).encode()).decode()
        is_socks = parts.scheme.startswith("socks5")
        if is_socks and any(len(word.encode()) > _SOCKS_MAX_BYTES for word in credentials or ()):
            raise UserMistake(f"`{source}`: SOCKS carries at most {_SOCKS_MAX_BYTES} bytes of each word.")
        # an organization could otherwise name an address inside the operator's network as its proxy
        is_checked = source != OPERATOR_SETTING
        return cls(
            parts.hostname, port, parts.scheme == "https", authorization, is_socks, credentials, is_checked
        )

    async def address_to_dial(self, policy: EgressPolicy) -> str:
        """The address of the proxy itself; `ProxyRefused` when the policy closes an organization's."""
        if not self.is_checked:
            return self.host
        try:
            return str((await policy.resolve(self.host, self.port))[0])
        except (EgressRefused, HostUnknown) as error:
            raise ProxyRefused(error.message) from error

    def connect_request(self, target: str) -> bytes:
        """The request for a tunnel to `target`, an address and a port."""
        lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
        if self.authorization is not None:
            lines.append(f"Proxy-Authorization: Basic {self.authorization}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def socks_steps(
        self, address: IPv4Address | IPv6Address, port: int
    ) -> Generator[tuple[bytes, int], bytes, None]:
        """The dialogue with a SOCKS5 proxy (RFC 1928, 1929): what to send and how many bytes to read."""
        # ours rather than socksio: it has had no release since 2020, and its events and buffer around these
        # bytes are longer than the dialogue itself, which two kinds of connections share
        method = b"\x02" if self.credentials else b"\x00"
        if (yield b"\x05\x01" + method, 2) != b"\x05" + method:
            raise SocksRefused("wants another authentication method")
        if self.credentials:
            user, password = (part.encode() for part in self.credentials)
            login = b"\x01" + bytes([len(user)]) + user + bytes([len(password)]) + password
            if (yield login, 2)[1]:
                raise SocksRefused("refuses the user name or the password")
        kind = b"\x01" if isinstance(address, IPv4Address) else b"\x04"
        answer = yield b"\x05\x01\x00" + kind + address.packed + port.to_bytes(2), 4
        if answer[1]:
            raise SocksRefused(_SOCKS_FAILURES.get(answer[1], "cannot connect"))
        if answer[3] == _DOMAIN_NAME:
            yield b"", (yield b"", 1)[0] + 2
        else:
            yield b"", _ANSWER_LENGTHS.get(answer[3], 4) + 2

"""A proxy of the operator's or of an organization's, for executions that ask for one."""

import base64
from collections.abc import Generator
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import unquote, urlsplit

from pagehand.egress.policy import EgressPolicy, EgressRefused, HostUnknown
from pagehand.errors import UserMistake
from pagehand.workflow.default_ports import PROXY_PORTS

_SOCKS_TROUBLES = {
    2: "not allowed",
    3: "network unreachable",
    4: "host unreachable",
    5: "connection refused",
    6: "timed out",
}
_ANSWER_LENGTHS = {1: 4, 4: 16}
_NAMED = 3
_LONGEST_SOCKS_WORD = 255
OPERATORS = "PAGEHAND_PROXY"


class ProxyRefused(OSError):
    """The proxy itself may not or cannot be dialled; the message is the cause."""


class SocksRefused(OSError):
    """The SOCKS proxy would not or could not connect; the message is the cause."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """Where the proxy is and what it asks for."""

    host: str
    port: int
    is_tls: bool
    authorization: str | None = field(repr=False)
    is_socks: bool = False
    credentials: tuple[str, str] | None = field(default=None, repr=False)
    """User name and password, as SOCKS wants them."""
    is_checked: bool = False
    """True when the egress policy decides whether the proxy itself may be dialled: the operator's own may."""

    @classmethod
    def parse(cls, url: str, source: str = OPERATORS) -> "Upstream":
        """Read `http://user:password@host:port` or `socks5://…`; errors name its source alone."""
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
        token = pair = None
        if parts.username is not None:
            pair = unquote(parts.username), unquote(parts.password or "")
            token = base64.b64encode(":".join(pair).encode()).decode()
        is_socks = parts.scheme.startswith("socks5")
        if is_socks and any(len(word.encode()) > _LONGEST_SOCKS_WORD for word in pair or ()):
            raise UserMistake(f"`{source}`: SOCKS carries at most {_LONGEST_SOCKS_WORD} bytes of each word.")
        # an organization could otherwise name an address inside the operator's network as its proxy
        is_checked = source != OPERATORS
        return cls(parts.hostname, port, parts.scheme == "https", token, is_socks, pair, is_checked)

    async def dial_address(self, policy: EgressPolicy) -> str:
        """Where to dial the proxy itself; `ProxyRefused` when an organization's is out of reach."""
        if not self.is_checked:
            return self.host
        try:
            return str((await policy.resolve(self.host, self.port))[0])
        except (EgressRefused, HostUnknown) as error:
            raise ProxyRefused(error.message) from error

    def connect_request(self, target: str) -> bytes:
        """Ask for a tunnel to `target`, an address and a port."""
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
            raise SocksRefused("wants another way to sign in")
        if self.credentials:
            user, password = (part.encode() for part in self.credentials)
            signed = b"\x01" + bytes([len(user)]) + user + bytes([len(password)]) + password
            if (yield signed, 2)[1]:
                raise SocksRefused("refuses the user name or the password")
        kind = b"\x01" if isinstance(address, IPv4Address) else b"\x04"
        answer = yield b"\x05\x01\x00" + kind + address.packed + port.to_bytes(2), 4
        if answer[1]:
            raise SocksRefused(_SOCKS_TROUBLES.get(answer[1], "cannot connect"))
        if answer[3] == _NAMED:
            yield b"", (yield b"", 1)[0] + 2
        else:
            yield b"", _ANSWER_LENGTHS.get(answer[3], 4) + 2

"""The operator's own proxy, for executions that ask for one."""

import base64
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from pagehand.errors import UserMistake

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Upstream:
    """Where the proxy is and what it asks for."""

    host: str
    port: int
    is_tls: bool
    authorization: str | None

    @classmethod
    def parse(cls, url: str) -> "Upstream":
        """Read `http://user:password@host:port`; errors do not repeat it, it may hold a password."""
        try:
            parts = urlsplit(url)
            default_port = _DEFAULT_PORTS[parts.scheme]
            port = parts.port or default_port
        except (ValueError, KeyError):
            raise UserMistake("`PAGEHAND_PROXY` must look like `http://user:password@host:port`.") from None
        if not parts.hostname:
            raise UserMistake("`PAGEHAND_PROXY` names no host: it must look like `http://host:port`.")
        token = None
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            token = base64.b64encode(pair.encode()).decode()
        return cls(parts.hostname, port, parts.scheme == "https", token)

    def connect_request(self, target: str) -> bytes:
        """Ask for a tunnel to `target`, an address and a port."""
        lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
        if self.authorization is not None:
            lines.append(f"Proxy-Authorization: Basic {self.authorization}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

"""Reads hosts as settings and workflows write them: `example.com`, `example.com:8443`, `[::1]:8080`."""

import re
from typing import Final

_HOST_NAME: Final = re.compile(
    r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*"
)
_PORT: Final = re.compile(r"[0-9]{1,5}")
_PORT_COUNT: Final = 2**16


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

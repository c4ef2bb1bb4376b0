"""The few hosts a run may reach for the time being, below what the operator's policy allows."""

from collections.abc import Iterable
from typing import Final

OUTSIDE: Final = "is not among the domains that this step may reach"
"""Why a host outside was refused."""


class Reach:
    """Host names, each with all below it; `host:port` means that port alone."""

    def __init__(self, domains: Iterable[str]) -> None:
        self._entries = [_entry(domain) for domain in domains if domain.strip()]

    def covers(self, host: str, port: int) -> bool:
        """True when the host may be reached."""
        name = host.rstrip(".").lower()
        return any(
            (name == known or name.endswith(f".{known}")) and only in (None, port)
            for known, only in self._entries
        )


def _entry(written: str) -> tuple[str, int | None]:
    host, _, port = written.strip().lower().removeprefix("*.").partition(":")
    # six digits are more than any port has; Python refuses to convert thousands of them
    return host.rstrip("."), int(port[:6]) if port.isdecimal() else None

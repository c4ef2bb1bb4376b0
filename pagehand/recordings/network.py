"""The network that a replayed execution meets: the recording, and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from ipaddress import IPv4Address
from pathlib import Path
from typing import Final

from pagehand.egress.policy import Address, EgressPolicy
from pagehand.ports import Mail

_NOWHERE: Final = IPv4Address("127.0.0.1")


class OnlyRecorded(EgressPolicy):
    """Lets every host through: all of them are the recording, and no name is looked up."""

    async def resolve(self, host: str, port: int) -> list[Address]:
        """Any address; the upstream proxy does not dial it."""
        del host, port
        return [_NOWHERE]


class UnsentMail:
    """Implements `Mail` without sending anything."""

    @property
    def sender(self) -> str:
        """Nobody sees it."""
        return "replay@localhost"

    async def send(
        self, message: EmailMessage, recipients: Sequence[str], *, timeout_seconds: float
    ) -> Mapping[str, str]:
        """Nobody refuses."""
        del message, recipients, timeout_seconds
        return {}


@dataclass(frozen=True, slots=True)
class RecordedNetwork:
    """What a service needs to meet a recording instead of the world."""

    proxy_url: str
    browser_flags: tuple[str, ...]
    trusted: Path
    """The certificate that vouches for every host."""
    policy: EgressPolicy
    mail: Mail

"""HTTP and mail as blocks see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """A server's answer."""

    status: int
    """200 and so on; no redirect, those were followed."""
    url: str
    """The address that answered, after redirects."""
    headers: Sequence[tuple[str, str]]
    """Names and values in their order."""
    body: bytes
    """The whole body, unpacked."""

    def header(self, name: str) -> str | None:
        """One header, whatever its case."""
        return next((value for header, value in self.headers if header.lower() == name.lower()), None)


class Http(Protocol):
    """Sends HTTP requests to what the operator's egress policy allows."""

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Sequence[tuple[str, str]] = (),
        body: bytes = b"",
        timeout_seconds: float,
        max_bytes: int = ...,
        follow_redirects: bool = True,
        private_headers: Sequence[str] = (),
    ) -> HttpAnswer:
        """The answer, whatever its status; `private_headers` (names) stay behind when a redirect leads away.

        `BlockFailed` names a refused host and the setting; `SiteDown` when it was never reached, `Unanswered`
        when it was but no whole answer came, `TimedOut` when the time ran out.
        """
        ...


class Proxies(Protocol):
    """Knows which proxy serves the executions of which organization."""

    async def is_set(self, organization_id: str, /) -> bool:
        """Whether they may ask for one."""
        ...

    def http(self, organization_id: str, /) -> Http:
        """HTTP through it."""
        ...


class Mail(Protocol):
    """The operator's mail server."""

    @property
    def sender(self) -> str:
        """The address mail is from; `BlockFailed` names the setting when there is none."""
        ...

    async def send(
        self, message: EmailMessage, recipients: Sequence[str], *, timeout_seconds: float
    ) -> Mapping[str, str]:
        """Hand a message over; the recipients that were refused, and why.

        `BlockFailed` when none was taken, `SiteDown` when the server was not reached, `Unanswered` when the
        connection was lost after the message was sent.
        """
        ...

"""HTTP and mail as blocks see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """A server's answer."""

    status: int
    """The status code of the last answer, after redirects."""
    url: str
    """The URL that answered, after redirects."""
    headers: Sequence[tuple[str, str]]
    """Names and values in the order they were sent."""
    body: bytes
    """The body, decompressed."""

    def header(self, name: str) -> str | None:
        """The first header with that name, case-insensitively."""
        return next((value for header, value in self.headers if header.lower() == name.lower()), None)


class Http(Protocol):
    """Sends HTTP requests to hosts that the egress policy allows."""

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
        """The answer, whatever its status; `private_headers` (names) are not sent on to another host.

        `BlockFailed` names a refused host and the setting; `SiteDown` if it was not reached, `Unanswered`
        if it was reached but did not answer completely, `TimedOut` if the time ran out.
        """
        ...


class Proxies(Protocol):
    """The proxies of organizations."""

    async def is_set(self, organization_id: str, /) -> bool:
        """Whether the organization has a proxy."""
        ...

    def http(self, organization_id: str, /) -> Http:
        """HTTP through the proxy."""
        ...


class Mail(Protocol):
    """The operator's mail server."""

    @property
    def sender(self) -> str:
        """The sender's address; `BlockFailed` names the setting if there is none."""
        ...

    async def send(
        self, message: EmailMessage, recipients: Sequence[str], *, timeout_seconds: float
    ) -> Mapping[str, str]:
        """Send a message; the recipients that were refused, and why.

        `BlockFailed` if all were refused, `SiteDown` if the server was not reached, `Unanswered` if the
        connection was lost after the message was sent.
        """
        ...

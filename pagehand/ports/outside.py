"""HTTP and mail as blocks see them."""

from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from typing import Protocol


class HttpAnswer(Protocol):
    """What a server said."""

    @property
    def status(self) -> int:
        """200 and so on; no redirect, those were followed."""
        ...

    @property
    def url(self) -> str:
        """Where it was said, after redirects."""
        ...

    @property
    def headers(self) -> Sequence[tuple[str, str]]:
        """Names and values in their order."""
        ...

    @property
    def body(self) -> bytes:
        """The whole body, unpacked."""
        ...

    def header(self, name: str) -> str | None:
        """One header, whatever its case."""
        ...


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
        private_headers: Sequence[str] = (),
    ) -> HttpAnswer:
        """The answer, whatever its status; `private_headers` (names) stay behind when a redirect leads away.

        `BlockFailed` names a refused host and the setting; `SiteDown` when it was never reached, `Unanswered`
        when it was but no whole answer came, `TimedOut` when the time ran out.
        """
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

"""The operator's mail server, which Send Email blocks use; the egress policy does not apply to it."""

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8
from typing import TYPE_CHECKING

from pagehand.errors import BlockFailed, PagehandError, SiteDown, TimedOut, Unanswered
from pagehand.settings import Settings

if TYPE_CHECKING:
    import aiosmtplib

_PORTS = {"none": 25, "starttls": 587, "tls": 465}
_PERMANENT = 500
"""SMTP codes from here on are permanent."""


class MailServer:
    """Sends messages through the server of the `PAGEHAND_SMTP_…` settings."""

    def __init__(self, settings: Settings, tls: ssl.SSLContext | None = None) -> None:
        """`tls` replaces the system's trusted certificates."""
        self._settings = settings
        self._tls = tls

    @property
    def sender(self) -> str:
        """The address mail is from; `BlockFailed` names the setting when there is none."""
        settings = self._settings
        if not settings.smtp_host:
            raise BlockFailed("No mail server is set, so no mail can be sent: set `PAGEHAND_SMTP_HOST`.")
        sender = settings.smtp_from or settings.smtp_username or ""
        if "@" not in sender:
            raise BlockFailed("Mail needs an address to be from: set `PAGEHAND_SMTP_FROM`.")
        return sender

    async def send(
        self, message: EmailMessage, recipients: Sequence[str], *, timeout_seconds: float
    ) -> Mapping[str, str]:
        """Send a message; the recipients that were refused, and why."""
        delivery = _Delivery(self._settings, self._tls)
        try:
            async with asyncio.timeout(timeout_seconds):
                return await delivery.run(message, self.sender, recipients)
        except TimeoutError:
            raise delivery.lost(f"did not finish within {timeout_seconds:g} s", TimedOut) from None


class _Delivery:
    """One connection to the mail server; knows whether the message was already sent when it breaks."""

    def __init__(self, settings: Settings, tls: ssl.SSLContext | None) -> None:
        self._settings = settings
        self._tls = tls
        self._where = f"{settings.smtp_host}:{settings.smtp_port or _PORTS[settings.smtp_security]}"
        self._is_sent = False

    async def run(self, message: EmailMessage, sender: str, recipients: Sequence[str]) -> Mapping[str, str]:
        """Connect, sign in, name the recipients, send; the library's errors become ours."""
        import aiosmtplib  # noqa: PLC0415 - most services never send mail

        client = self._client()
        try:
            await client.connect()
            refused = await self._open_envelope(client, sender, recipients)
            self._is_sent = True
            await client.data(_content(message, sender, recipients))
        except aiosmtplib.SMTPException as error:
            raise self._translate(error) from error
        except OSError as error:
            raise self.lost(str(error) or type(error).__name__) from error
        finally:
            client.close()
        return refused

    def lost(self, why: str, before: type[PagehandError] = SiteDown) -> PagehandError:
        """The error for a broken connection: `Unanswered` once the message was being sent, else `before`."""
        if self._is_sent:
            return Unanswered(
                f"The mail server `{self._where}` {why} after it was given the message, "
                "so whether the mail went out is unknown."
            )
        return before(f"The mail server `{self._where}` {why}. No mail was sent.")

    def _client(self) -> "aiosmtplib.SMTP":
        import aiosmtplib  # noqa: PLC0415 - see `run`

        settings = self._settings
        password = settings.smtp_password
        return aiosmtplib.SMTP(
            hostname=settings.smtp_host,
            port=settings.smtp_port or _PORTS[settings.smtp_security],
            username=settings.smtp_username,
            password=password.get_secret_value() if password else None,
            use_tls=settings.smtp_security == "tls",
            start_tls=settings.smtp_security == "starttls",
            tls_context=self._tls or ssl.create_default_context(),
            timeout=None,
        )

    async def _open_envelope(
        self, client: "aiosmtplib.SMTP", sender: str, recipients: Sequence[str]
    ) -> dict[str, str]:
        """Name sender and recipients; `BlockFailed` when every recipient is refused."""
        import aiosmtplib  # noqa: PLC0415 - see `run`

        is_international = not all(address.isascii() for address in (sender, *recipients))
        encoding = "utf-8" if is_international else "ascii"
        await client.ehlo()
        if is_international and not client.supports_extension("smtputf8"):
            raise BlockFailed(f"The mail server `{self._where}` accepts only ASCII addresses.")
        await client.mail(sender, options=["SMTPUTF8"] if is_international else [], encoding=encoding)
        refused: dict[str, str] = {}
        for recipient in recipients:
            try:
                await client.rcpt(recipient, encoding=encoding)
            except aiosmtplib.SMTPRecipientRefused as refusal:
                refused[recipient] = f"{refusal.code} {refusal.message}"
        if len(refused) == len(recipients):
            reasons = "; ".join(f"`{reason}`: {why}" for reason, why in refused.items())
            raise BlockFailed(f"The mail server refused every recipient ({reasons}). No mail was sent.")
        return refused

    def _translate(self, error: "aiosmtplib.SMTPException") -> PagehandError:
        import aiosmtplib  # noqa: PLC0415 - see `run`

        if isinstance(error, aiosmtplib.SMTPAuthenticationError):
            return BlockFailed(
                f"The mail server `{self._where}` refused the sign-in ({error.code} {error.message}): "
                "check `PAGEHAND_SMTP_USERNAME` and `PAGEHAND_SMTP_PASSWORD`."
            )
        if isinstance(error, aiosmtplib.SMTPResponseException) and error.code > 0:
            kind = BlockFailed if error.code >= _PERMANENT else SiteDown
            return kind(
                f"The mail server `{self._where}` refused the message ({error.code} {error.message}). "
                "No mail was sent."
            )
        # once the message is on its way, an answer that cannot be read leaves open what became of it
        if self._is_sent or isinstance(error, ConnectionError | TimeoutError):
            return self.lost(f"broke off ({error.message})" if error.message else "broke off")
        return BlockFailed(
            f"The mail server `{self._where}` does not support what is configured ({error.message}): "
            "check `PAGEHAND_SMTP_SECURITY`, `PAGEHAND_SMTP_USERNAME` and `PAGEHAND_SMTP_PORT`."
        )


def _content(message: EmailMessage, sender: str, recipients: Sequence[str]) -> bytes:
    is_ascii = all(address.isascii() for address in (sender, *recipients))
    return message.as_bytes(policy=SMTP if is_ascii else SMTPUTF8)

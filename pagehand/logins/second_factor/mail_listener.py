"""The mail server of the service: every login has its own address, to which sites send codes."""

import asyncio
import errno
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import structlog

from pagehand.clock import now_ms
from pagehand.errors import Unavailable, UserMistake
from pagehand.ids import new_id
from pagehand.logins.second_factor.mail_message import MailMessage, parse_mail
from pagehand.loop import Loop
from pagehand.records import Login, ReceivedMail
from pagehand.secrets.vault import FieldLocation, Vault
from pagehand.storage.logins import LoginStateStore

if TYPE_CHECKING:
    from aiosmtpd.smtp import Envelope

_log = structlog.get_logger(__name__)
_LARGEST_BYTES: Final = 1_000_000
_MOST_RECIPIENTS: Final = 100
"""The number every mail server has to accept (RFC 5321); each is looked up in the database."""
_RETRY_SECONDS: Final = 1.0

FindLogin = Callable[[str], Awaitable[Login | None]]
"""Finds a login of any organization by its id."""


def address_of(login_id: str, domain: str) -> str:
    """The login's own address."""
    return f"{login_id}@{domain}".lower()


class ReceivedMails:
    """Implements `MailSource` over the mail received for one login."""

    def __init__(self, store: LoginStateStore, vault: Vault, login: Login) -> None:
        self._store = store
        self._vault = vault
        self._login = login

    @property
    def pause_seconds(self) -> float:
        """Short, because it only reads our own table."""
        return 0.5

    async def messages(self, since: float) -> list[MailMessage]:
        """The messages received since then, newest first."""
        mails = await self._store.mails(self._login.organization_id, self._login.id, int(since * 1000))
        return await asyncio.to_thread(
            self._read, mails
        )  # parsed in a thread: anybody may send mail of any kind

    async def close(self) -> None:
        """Nothing to close."""

    def _read(self, mails: list[ReceivedMail]) -> list[MailMessage]:
        return [
            parse_mail(self._vault.open(mail.sealed, _mail_location(mail)), mail.received_at / 1000)
            for mail in mails
        ]


class MailListener:
    """An SMTP server that accepts mail for the addresses of logins only."""

    def __init__(self, store: LoginStateStore, find_login: FindLogin, vault: Vault, domain: str) -> None:
        self._store = store
        self._find_login = find_login
        self._vault = vault
        self._domain = domain.lower()
        self._server: asyncio.Server | None = None
        self._waiting: Loop | None = None

    async def start(self, host: str, port: int, *, is_shared: bool = False) -> None:
        """Listen; with `is_shared`, wait for a port that another process uses."""
        try:
            await self._listen(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or not is_shared:
                raise UserMistake(
                    f"Mail cannot be received on {host}:{port} ({error.strerror}): set `PAGEHAND_MAIL_HOST` "
                    "and `PAGEHAND_MAIL_PORT` to where this machine may listen."
                ) from error
            _log.info("another process receives mail; waiting for its port", host=host, port=port)
            self._waiting = Loop("mail port", lambda: self._listen_if_free(host, port), _RETRY_SECONDS)
            self._waiting.start()

    async def stop(self) -> None:
        """Stop listening."""
        if self._waiting is not None:
            await self._waiting.stop()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _listen_if_free(self, host: str, port: int) -> None:
        with suppress(OSError):  # still in use
            await self._listen(host, port)
        if self._server is not None and self._waiting is not None:
            self._waiting.end()

    async def _listen(self, host: str, port: int) -> None:
        from aiosmtpd.smtp import SMTP  # noqa: PLC0415 - only a service that receives mail needs it

        def connection() -> asyncio.Protocol:
            return SMTP(
                self, hostname=self._domain, ident="Pagehand", data_size_limit=_LARGEST_BYTES, timeout=60
            )

        self._server = await asyncio.get_running_loop().create_server(connection, host, port)
        _log.info("receiving mail", host=host, port=port, domain=self._domain)

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name for it
        self, _server: Any, _session: Any, envelope: "Envelope", address: str, _options: list[str]
    ) -> str:
        """Accept mail for a login's address."""
        if len(envelope.rcpt_tos) >= _MOST_RECIPIENTS:
            return "452 4.5.3 Too many recipients"
        if await self._login_at(address) is None:
            return "550 5.1.1 No such address here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: "Envelope") -> str:  # noqa: N802 - as above
        """Store a mail, encrypted, for each login it is addressed to."""
        content = envelope.original_content or b""
        try:
            logins = [await self._login_at(address) for address in envelope.rcpt_tos]
            # once per login: a sender may repeat the same address in different spellings
            for login in {login.id: login for login in logins if login is not None}.values():
                await self._store_mail(login, content)
        except Unavailable:
            return "451 4.3.0 Try again later"
        return "250 OK"

    async def _login_at(self, address: str) -> Login | None:
        local, _, domain = address.lower().rpartition("@")
        return await self._find_login(local) if domain == self._domain else None

    async def _store_mail(self, login: Login, content: bytes) -> None:
        mail = ReceivedMail(
            id=new_id("mail"),
            organization_id=login.organization_id,
            login_id=login.id,
            received_at=now_ms(),
            sealed=b"",
        )
        mail.sealed = self._vault.seal(content, _mail_location(mail))
        await self._store.add_mail(mail)


def _mail_location(mail: ReceivedMail) -> FieldLocation:
    """The vault location of a mail."""
    return FieldLocation(mail.organization_id, "login_mails", mail.id, "sealed")

"""A mailbox on the operator's IMAP server, read in a thread while a sign-in waits for its code."""

import asyncio
import imaplib
import ssl
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from pagehand.errors import BlockFailed, SiteDown
from pagehand.logins.second_factor.mail_message import MailMessage, parse_mail
from pagehand.secrets.vault import Secret

if TYPE_CHECKING:
    from imap_tools.mailbox import BaseMailBox

_TIMEOUT_SECONDS: Final = 20.0
_NEWEST: Final = 20
"""An older code would have expired."""


@dataclass(slots=True, frozen=True)
class ImapServer:
    """The IMAP server of the operator."""

    host: str
    port: int
    security: Literal["none", "starttls", "tls"]
    folder: str


@dataclass(slots=True, frozen=True)
class ImapAccount:
    """Credentials for a mailbox."""

    username: str
    password: Secret


class ImapMailbox:
    """Implements `MailSource` over IMAP; connects on first use."""

    def __init__(self, server: ImapServer, account: ImapAccount, address: str) -> None:
        """Only messages to `address` are read; the mailbox may serve many addresses."""
        self._server = server
        self._account = account
        self._address = address
        self._box: BaseMailBox | None = None
        self._is_closed = False
        self._closing = threading.Lock()
        self._read: dict[str, MailMessage] = {}

    @property
    def pause_seconds(self) -> float:
        """Public mail servers throttle clients that poll faster."""
        return 2.0

    async def messages(self, since: float) -> list[MailMessage]:
        """The messages to the address received since then, newest first."""
        from imap_tools.errors import ImapToolsError, MailboxLoginError  # noqa: PLC0415 - as in `_open`

        self._is_closed = False
        try:
            found = await asyncio.to_thread(self._fetch_newest)
        except MailboxLoginError:
            raise BlockFailed(
                f"The mail server `{self._server.host}` does not let `{self._account.username}` in: correct "
                "`mailboxUsername` and `mailboxPassword` of the login, or the operator's IMAP settings."
            ) from None
        except (ImapToolsError, imaplib.IMAP4.error, OSError) as error:
            await self.close()
            raise SiteDown(
                f"The mail server `{self._server.host}:{self._server.port}` cannot be read: "
                f"{type(error).__name__}."
            ) from error
        # IMAP has whole seconds: a mail of the same second must not count as too old
        return [item for item in found if item.received_at >= int(since) and item.is_to(self._address)]

    async def close(self) -> None:
        """Log out."""
        with self._closing:
            box, self._box, self._is_closed = self._box, None, True
        if box is not None:
            await asyncio.to_thread(_log_out, box)

    def _fetch_newest(self) -> list[MailMessage]:
        box = self._box
        if box is None:
            box = self._open()
            with self._closing:
                is_needed = not self._is_closed and self._box is None
                if is_needed:
                    self._box = box
            if not is_needed:  # the caller has closed it while this thread waited for the server
                _log_out(box)
                return []
        box.client.noop()  # IMAP servers announce new mail only in answer to a command
        # a search by date on the server goes by whole days, in the server's own time zone
        newest = box.uids()[-_NEWEST:]
        for uid in newest:
            if uid not in self._read and (message := _fetch(box.client, uid)) is not None:
                self._read[uid] = message
        found = [self._read[uid] for uid in newest if uid in self._read]
        return sorted(found, key=lambda message: message.received_at, reverse=True)

    def _open(self) -> "BaseMailBox":
        from imap_tools import MailBox, MailBoxStartTls, MailBoxUnencrypted  # noqa: PLC0415 - only runs that read mail need it

        server = self._server
        if server.security == "none":
            box = MailBoxUnencrypted(server.host, server.port, timeout=_TIMEOUT_SECONDS)
        else:
            kind = MailBox if server.security == "tls" else MailBoxStartTls
            context = ssl.create_default_context()
            box = kind(server.host, server.port, timeout=_TIMEOUT_SECONDS, ssl_context=context)
        try:
            return box.login(self._account.username, self._account.password.reveal(), server.folder)
        except BaseException:
            _log_out(box)  # nothing else would close it
            raise


def _fetch(client: imaplib.IMAP4, uid: str) -> MailMessage | None:
    """A mail and when the server received it, because the sender's date may be wrong; it stays unread.

    None when another client has deleted it meanwhile.
    """
    _, answer = client.uid("FETCH", uid, "(INTERNALDATE BODY.PEEK[])")
    parts: list[Any] = list(answer)
    # beside bytes there are pairs, and None where the server found nothing
    pairs = cast(
        "list[tuple[bytes, bytes]]", [part for part in parts if part and not isinstance(part, bytes)]
    )
    if not pairs:
        return None
    head, raw = pairs[0]
    moment = imaplib.Internaldate2tuple(head) or imaplib.Internaldate2tuple(parts[-1])
    return parse_mail(raw, time.mktime(moment) if moment else time.time())


def _log_out(box: "BaseMailBox") -> None:
    from imap_tools.errors import ImapToolsError  # noqa: PLC0415 - as in `_open`

    try:
        box.logout()  # pyright: ignore[reportUnknownMemberType] - the library's hint is a bare tuple
    except (ImapToolsError, imaplib.IMAP4.error, OSError):
        return  # the connection is closed already

"""The mail of logins: the service's mail server, with an address for each login, and other mailboxes."""

import asyncio
import errno
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import structlog

from pagehand.clock import now_ms
from pagehand.errors import BlockFailed, Diagnosis, InvalidRequest, Unavailable, UserMistake
from pagehand.ids import new_id
from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import profile_of
from pagehand.logins.second_factor.imap_mailbox import ImapAccount, ImapMailbox, ImapServer
from pagehand.logins.second_factor.inbox import MailSource
from pagehand.logins.second_factor.mail_message import MailMessage, parse_mail
from pagehand.loop import Loop
from pagehand.records import Login, ReceivedMail
from pagehand.secrets.vault import FieldLocation, Secret, Vault
from pagehand.settings import Settings
from pagehand.storage import Stores
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
_OPERATORS_ORGANIZATION: Final = "default"
_TAG: Final = "+login_"


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
            # not waited for: from Python 3.12 on that would wait for every sender that is still connected
            self._server.close()

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


class LoginMailSources:
    """Mail arrives at the login's own address of this service, or in a mailbox on the operator's server."""

    def __init__(self, settings: Settings, stores: Stores, vault: Vault) -> None:
        self._settings = settings
        self._stores = stores
        self._vault = vault
        self._addresses = AssignedAddresses(settings.imap_addresses)

    async def source(self, login: Login, credentials: Credentials) -> tuple[MailSource, str] | None:
        """The source of its mail and the address for messages; None where no mail can be read for it."""
        own = own_address(self._settings, login.id)
        address = profile_of(login).two_factor.two_factor_auth_email.strip().lower() or own or ""
        if self._settings.mail_domain and address == own:
            return ReceivedMails(self._stores.login_states, self._vault, login), f"`{address}`"
        source = await self._mailbox(login, credentials, address)
        return (source, f"`{address}`") if source else None

    async def _mailbox(self, login: Login, credentials: Credentials, address: str) -> MailSource | None:
        settings = self._settings
        if settings.imap_host is None or not address:
            return None
        server = ImapServer(
            settings.imap_host, settings.imap_port, settings.imap_security, settings.imap_folder
        )
        if credentials.mailbox_password:
            username = profile_of(login).two_factor.mailbox_username or address
            return ImapMailbox(server, ImapAccount(username, credentials.mailbox_password), address)
        if settings.imap_username is None or settings.imap_password is None:
            return None
        organization = await self._stores.organizations.get(login.organization_id)
        name = organization.name if organization else ""
        if not self._addresses.is_own(address, name, login.id):
            return UnassignedAddress(address, tagged_address(settings.imap_username, login.id))
        password = Secret(settings.imap_password.get_secret_value())
        return ImapMailbox(server, ImapAccount(settings.imap_username, password), address)


def own_address(settings: Settings, login_id: str) -> str | None:
    """The login's own address, at the mail domain of the service or tagged in the operator's account."""
    if settings.mail_domain:
        return address_of(login_id, settings.mail_domain)
    account = settings.imap_username if settings.imap_host and settings.imap_password else None
    return tagged_address(account, login_id) if account else None


class AssignedAddresses:
    """Addresses by organization: one organization must never receive the codes of another.

    Addresses without an organization belong to the operator's own, `default`. An address with the id of a
    login after a plus sign belongs to that login, without being assigned.
    """

    def __init__(self, assigned: str) -> None:
        """`assigned` is a comma-separated list such as `acme=codes@mail.example, acme=*@acme.example`."""
        self._owners: dict[str, set[str]] = {}
        for pair in filter(None, (part.strip() for part in assigned.split(","))):
            organization, equals, address = (part.strip() for part in pair.partition("="))
            if not (organization and equals and "@" in address):
                raise InvalidRequest(
                    f"`PAGEHAND_IMAP_ADDRESSES`: `{pair}` is not `organization=address`, such as "
                    "`acme=codes@mail.example` or `acme=*@acme.example`"
                )
            self._owners.setdefault(address.lower(), set()).add(organization)

    def is_own(self, address: str, organization: str, login_id: str) -> bool:
        """Whether a login of the organization may have its codes sent to the address."""
        address = address.lower()
        # an address with the id of a login is that login's, whatever the operator's list says
        if _TAG in address:
            return f"+{login_id}@".lower() in address
        domain = address.rpartition("@")[2]
        owners = self._owners.get(address) or self._owners.get(f"*@{domain}")
        return organization in (owners or {_OPERATORS_ORGANIZATION})


def tagged_address(account: str, login_id: str) -> str | None:
    """The login's own address in an account whose user name is an address."""
    local, at, domain = account.rpartition("@")
    return f"{local}+{login_id}@{domain}".lower() if at else None


class UnassignedAddress:
    """Implements `MailSource` for an address of another organization: nothing is read."""

    def __init__(self, address: str, own: str | None) -> None:
        self._address = address
        self._own = own

    @property
    def pause_seconds(self) -> float:
        """Zero, because the first look raises."""
        return 0.0

    async def messages(self, since: float) -> list[MailMessage]:
        """Raise, with advice."""
        del since
        tagged = f" Or have the site send to `{self._own}`, the login's own address." if self._own else ""
        raise BlockFailed(
            f"Codes sent to `{self._address}` are not read for this organization: in the operator's mail "
            "account an address serves the organization it is assigned to.",
            Diagnosis(
                advice="Give the login a mailbox of its own (`mailboxPassword`), or ask the operator to "
                f"assign the address with `PAGEHAND_IMAP_ADDRESSES`.{tagged}"
            ),
        )

    async def close(self) -> None:
        """Nothing to close."""

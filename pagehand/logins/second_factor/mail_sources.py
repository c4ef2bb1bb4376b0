"""Finds out where the mail of a login arrives, and gives logins addresses of their own."""

from typing import Final

from pagehand.errors import BlockFailed, Diagnosis, InvalidRequest
from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import profile_of
from pagehand.logins.second_factor.imap_mailbox import ImapAccount, ImapMailbox, ImapServer
from pagehand.logins.second_factor.inbox import MailSource
from pagehand.logins.second_factor.mail_listener import ReceivedMails, address_of
from pagehand.logins.second_factor.mail_message import MailMessage
from pagehand.records import Login
from pagehand.secrets.vault import Secret, Vault
from pagehand.settings import Settings
from pagehand.storage import Stores

_OPERATORS_ORGANIZATION: Final = "default"
_TAG: Final = "+login_"


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

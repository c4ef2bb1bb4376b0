"""Finds out where the mail of a login arrives."""

from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import profile_of
from pagehand.logins.second_factor.imap_mailbox import ImapAccount, ImapMailbox, ImapServer
from pagehand.logins.second_factor.inbox import MailSource
from pagehand.logins.second_factor.mail_addresses import AssignedAddresses, UnassignedAddress, tagged_address
from pagehand.logins.second_factor.mail_listener import ReceivedMails, address_of
from pagehand.records import Login
from pagehand.secrets.vault import Secret, Vault
from pagehand.settings import Settings
from pagehand.storage import Stores


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

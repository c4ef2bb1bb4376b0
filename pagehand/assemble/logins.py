"""Logins, wired: their vault, their sessions, the mail that brings their codes."""

from pagehand.logins.credentials import Credentials
from pagehand.logins.health import Health
from pagehand.logins.profile import profile_of
from pagehand.logins.saved_sessions import SavedSessions
from pagehand.logins.second_factor.inbox import MailRoom, MailSource
from pagehand.logins.second_factor.mail_addresses import AssignedAddresses, ForeignAddress, tagged_address
from pagehand.logins.second_factor.mail_listener import MailListener, ReceivedMails, address_of
from pagehand.logins.second_factor.mailbox import Account, ImapServer, Mailbox
from pagehand.logins.sign_in.attempt import SignIn
from pagehand.logins.stored import StoredLogins
from pagehand.records import Login
from pagehand.secrets.master_key import MasterKey, changes_of_key_file, load_master_keys
from pagehand.secrets.secret_params import SecretParams
from pagehand.secrets.vault import Secret, Vault
from pagehand.settings import Settings
from pagehand.storage import Stores


def open_vault(settings: Settings) -> tuple[MasterKey, Vault]:
    """The master key and the vault behind it, which notices when `pagehand keys rotate` changes the key."""
    keys = load_master_keys(settings)
    if settings.master_key is not None:
        return keys[0], Vault(*keys)
    return keys[0], Vault(*keys, changed=changes_of_key_file(settings.data_dir))


class LoginParts:
    """Everything that has to do with logins."""

    def __init__(self, settings: Settings, stores: Stores, vault: Vault) -> None:
        self._settings = settings
        self._listener: MailListener | None = None
        if settings.mail_domain:
            self._listener = MailListener(
                stores.login_states, stores.logins.find, vault, settings.mail_domain
            )
        self.secret_params = SecretParams(vault)
        self.schedule_secrets = SecretParams(vault, "schedules")
        self.stored = StoredLogins(
            stores.logins, vault, stores.login_states, lambda login_id: own_address(settings, login_id)
        )
        self.sign_in = SignIn(
            vault,
            sessions=SavedSessions(stores.login_states, vault),
            health=Health(stores.login_states),
            mail=MailRoom(_Sources(settings, stores, vault), settings.mail_code_seconds),
        )

    async def start(self) -> None:
        """Take mail, where the operator wants that."""
        if self._listener is not None:
            await self._listener.start(self._settings.mail_host, self._settings.mail_port)

    async def stop(self) -> None:
        """Take no more mail."""
        if self._listener is not None:
            await self._listener.stop()


class _Sources:
    """Where a login's mail arrives: at its own address here, or in a mailbox on the operator's server."""

    def __init__(self, settings: Settings, stores: Stores, vault: Vault) -> None:
        self._settings = settings
        self._stores = stores
        self._vault = vault
        self._addresses = AssignedAddresses(settings.imap_addresses)

    async def source(self, login: Login, credentials: Credentials) -> tuple[MailSource, str] | None:
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
            return Mailbox(server, Account(username, credentials.mailbox_password), address)
        if settings.imap_username is None or settings.imap_password is None:
            return None
        organization = await self._stores.organizations.get(login.organization_id)
        name = organization.name if organization else ""
        if not self._addresses.is_own(address, name, login.id):
            return ForeignAddress(address, tagged_address(settings.imap_username, login.id))
        password = Secret(settings.imap_password.get_secret_value())
        return Mailbox(server, Account(settings.imap_username, password), address)


def own_address(settings: Settings, login_id: str) -> str | None:
    """The address of a login's own: where the service takes mail itself, or in the operator's account."""
    if settings.mail_domain:
        return address_of(login_id, settings.mail_domain)
    account = settings.imap_username if settings.imap_host and settings.imap_password else None
    return tagged_address(account, login_id) if account else None

"""Logins, wired: their vault, their sessions, the mail that brings their codes."""

from pagehand.logins.credentials import Credentials
from pagehand.logins.health import Health
from pagehand.logins.inbox import MailRoom, MailSource
from pagehand.logins.mail_listener import MailListener, ReceivedMails, address_of
from pagehand.logins.mailbox import Account, ImapServer, Mailbox
from pagehand.logins.master_key import MasterKey, changes_of_key_file, load_master_keys
from pagehand.logins.profile import profile_of
from pagehand.logins.saved_sessions import SavedSessions
from pagehand.logins.secret_params import SecretParams
from pagehand.logins.sign_in import SignIn
from pagehand.logins.stored import StoredLogins
from pagehand.logins.vault import Secret, Vault
from pagehand.records import Login
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
        self.stored = StoredLogins(stores.logins, vault, stores.login_states, settings.mail_domain)
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
    """Where the mail of a login arrives: at its own address here, or in a mailbox of the operator's."""

    def __init__(self, settings: Settings, stores: Stores, vault: Vault) -> None:
        self._settings = settings
        self._stores = stores
        self._vault = vault

    def source(self, login: Login, credentials: Credentials) -> tuple[MailSource, str] | None:
        address = profile_of(login).two_factor.two_factor_auth_email.strip().lower()
        if self._settings.mail_domain:
            own = address_of(login.id, self._settings.mail_domain)
            if address in ("", own):
                return ReceivedMails(self._stores.login_states, self._vault, login), f"`{own}`"
        mailbox = self._mailbox(login, credentials, address)
        return (mailbox, f"`{address}`") if mailbox else None

    def _mailbox(self, login: Login, credentials: Credentials, address: str) -> Mailbox | None:
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
        password = Secret(settings.imap_password.get_secret_value())
        return Mailbox(server, Account(settings.imap_username, password), address)

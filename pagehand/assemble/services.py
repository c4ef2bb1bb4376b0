"""Wires logins, webhooks, schedules and the knowledge base to their stores and to each other."""

from functools import partial

from pagehand.documents import DocumentProcess
from pagehand.egress.http import HttpClient
from pagehand.egress.policy import EgressPolicy
from pagehand.engine.base import Engine
from pagehand.engine.changes import Changes
from pagehand.engine.reporting.metrics import Metrics
from pagehand.engine.schedules.scheduler import Scheduler
from pagehand.engine.schedules.stored import StoredSchedules
from pagehand.knowledge import KnowledgeBase
from pagehand.knowledge.base import DocumentText
from pagehand.knowledge.embeddings import EmbeddingsEndpoint
from pagehand.logins.failures import LoginHealthTracker
from pagehand.logins.saved_sessions import SavedSessions
from pagehand.logins.second_factor.inbox import Inboxes
from pagehand.logins.second_factor.mail_listener import MailListener
from pagehand.logins.second_factor.mail_sources import LoginMailSources, own_address
from pagehand.logins.sign_in.sign_in import SignIn
from pagehand.logins.stored import StoredLogins
from pagehand.ports import FileStore
from pagehand.secrets.master_key import MasterKey, load_master_keys, watch_key_file
from pagehand.secrets.vault import SecretParams, Vault
from pagehand.settings import Settings
from pagehand.storage import Stores
from pagehand.webhooks import Deliverer, StoredWebhooks, WebhookListeners
from pagehand.webhooks.secret import WebhookSecrets
from pagehand.webhooks.stored import check_target


def open_vault(settings: Settings) -> tuple[MasterKey, Vault]:
    """The master key and the vault behind it, which notices when `pagehand keys rotate` changes the key."""
    keys = load_master_keys(settings)
    # a key from the environment changes with a restart only
    if settings.master_key is not None:
        return keys[0], Vault(*keys)
    return keys[0], Vault(*keys, changed=watch_key_file(settings.data_dir))


class LoginServices:
    """Stored logins, signing in with them, and the mail listener for their codes."""

    def __init__(self, settings: Settings, stores: Stores, vault: Vault) -> None:
        self._settings = settings
        self._listener: MailListener | None = None
        if settings.mail_domain:
            self._listener = MailListener(
                stores.login_states, stores.logins.find_in_any_organization, vault, settings.mail_domain
            )
        self.secret_params = SecretParams(vault)
        self.schedule_secrets = SecretParams(vault, "schedules")
        self.stored = StoredLogins(
            stores.logins, vault, stores.login_states, lambda login_id: own_address(settings, login_id)
        )
        self.sign_in = SignIn(
            vault,
            sessions=SavedSessions(stores.login_states, vault),
            health=LoginHealthTracker(stores.login_states),
            inboxes=Inboxes(LoginMailSources(settings, stores, vault), settings.mail_code_seconds),
        )

    async def start(self) -> None:
        """Start the mail listener, if a mail domain is set."""
        if self._listener is not None:
            settings = self._settings
            await self._listener.start(settings.mail_host, settings.mail_port, is_shared=settings.is_shared)

    async def stop(self) -> None:
        """Stop the mail listener."""
        if self._listener is not None:
            await self._listener.stop()


class WebhookServices:
    """Stored webhooks, the listeners for events, and the deliverer that sends them."""

    def __init__(
        self, stores: Stores, vault: Vault, http: HttpClient, policy: EgressPolicy, metrics: Metrics
    ) -> None:
        secrets = WebhookSecrets(vault)
        self.deliverer = Deliverer(stores.deliveries, stores.webhooks, secrets, http, metrics.delivered)
        self.listeners = WebhookListeners(stores.webhooks, self.deliverer.wake)
        self.stored = StoredWebhooks(
            stores.webhooks,
            stores.deliveries,
            secrets,
            self.listeners,
            self.deliverer,
            partial(check_target, policy),
        )


def knowledge_base(
    settings: Settings, stores: Stores, files: FileStore, documents: DocumentProcess
) -> KnowledgeBase:
    """The knowledge base, with embeddings if an endpoint for them is set."""
    embedder = None
    if settings.embeddings_url:
        key = settings.embeddings_key.get_secret_value() if settings.embeddings_key else None
        embedder = EmbeddingsEndpoint(settings.embeddings_url, settings.embeddings_model, key)
    return KnowledgeBase(stores.knowledge, stores.files, files, DocumentText(documents), embedder)


class ScheduleServices:
    """Stored schedules, and the scheduler that starts them."""

    def __init__(self, stores: Stores, engine: Engine, logins: LoginServices, changes: Changes) -> None:
        secrets = logins.schedule_secrets
        self.stored = StoredSchedules(stores.schedules, engine, secrets, logins.secret_params)
        self.scheduler = Scheduler(stores.schedules, engine, secrets, changes)

"""Webhooks wired to the vault, the stores and the egress policy."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from pagehand.engine.reporting.metrics import Metrics
from pagehand.errors import InvalidRequest
from pagehand.sandbox import Denied, EgressPolicy, EgressRefused, HttpClient
from pagehand.secrets.vault import Place, Vault
from pagehand.storage import Stores
from pagehand.webhooks import Announcer, Deliverer, StoredWebhooks
from pagehand.workflow.default_ports import WEB_PORTS


class Webhooks:
    """The three sides of webhooks: who listens, what is sent, what callers may do with them."""

    def __init__(
        self, stores: Stores, vault: Vault, http: HttpClient, policy: EgressPolicy, metrics: Metrics
    ) -> None:
        box = _WebhookSecrets(vault)
        self.deliverer = Deliverer(stores.deliveries, stores.webhooks, box, http, metrics.delivered)
        self.announcer = Announcer(stores.webhooks, self.deliverer.wake)
        self.stored = StoredWebhooks(
            stores.webhooks, stores.deliveries, box, self.announcer, self.deliverer, TargetCheck(policy)
        )


class TargetCheck:
    """Refuses an address that is plainly closed; names are looked up only when something is sent."""

    def __init__(self, policy: EgressPolicy) -> None:
        self._policy = policy

    def __call__(self, url: str) -> None:
        """Raise InvalidRequest for it."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port or WEB_PORTS[parts.scheme]
        except (ValueError, KeyError) as error:
            raise InvalidRequest(
                "`url`: expected an address such as `https://hooks.example.com/pagehand`"
            ) from error
        try:
            address = ip_address(host)
        except ValueError:
            return
        verdict = self._policy.decide(host, port, address)
        if isinstance(verdict, Denied):
            raise InvalidRequest(f"`url`: {EgressRefused(host, port, verdict.reason).message}")


class _WebhookSecrets:
    """The vault, for the one column that webhooks keep there."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def seal(self, organization_id: str, webhook_id: str, plain: bytes) -> bytes:
        return self._vault.seal(plain, Place(organization_id, "webhooks", webhook_id, "secrets"))

    def open(self, organization_id: str, webhook_id: str, sealed: bytes) -> bytes:
        return self._vault.open(sealed, Place(organization_id, "webhooks", webhook_id, "secrets"))

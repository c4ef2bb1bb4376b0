"""Wires webhooks to the vault, the stores and the egress policy."""

from functools import partial

from pagehand.egress.http import HttpClient
from pagehand.egress.policy import EgressPolicy
from pagehand.engine.reporting.metrics import Metrics
from pagehand.secrets.vault import Vault
from pagehand.storage import Stores
from pagehand.webhooks import Deliverer, StoredWebhooks, WebhookListeners
from pagehand.webhooks.secret_box import WebhookSecrets
from pagehand.webhooks.target import check_target


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

"""Webhooks over real stores, with an HTTP that a test scripts."""

from functools import partial

from pagehand.egress.policy import EgressPolicy
from pagehand.ports import HttpAnswer
from pagehand.records import Webhook
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.vault import Vault
from pagehand.storage import Stores
from pagehand.testing import ScriptedHttp
from pagehand.webhooks import Deliverer, StoredWebhooks, WebhookListeners
from pagehand.webhooks.secret import WebhookSecrets
from pagehand.webhooks.stored import check_target

URL = "https://hooks.example/in"
EVENT = "execution.completed"


def answer(status: int) -> HttpAnswer:
    return HttpAnswer(status=status, url=URL, headers=[], body=b"")


class WebhookParts:
    """The parts that `assemble` wires, over one database."""

    def __init__(self, stores: Stores) -> None:
        self.http = ScriptedHttp()
        self.attempts: list[str | None] = []
        self.stores = stores
        self.box = WebhookSecrets(Vault(MasterKey(bytes(32))))
        self.deliverer = Deliverer(
            stores.deliveries, stores.webhooks, self.box, self.http, self.attempts.append
        )
        self.listeners = WebhookListeners(stores.webhooks, self.deliverer.wake)
        self.stored = StoredWebhooks(
            stores.webhooks,
            stores.deliveries,
            self.box,
            self.listeners,
            self.deliverer,
            partial(check_target, EgressPolicy()),
        )

    async def webhook(self, organization: str = "Test", *events: str) -> Webhook:
        """A webhook of an organization, listening for `EVENT` unless told otherwise."""
        owner = await self.stores.organizations.ensure(organization)
        return (await self.stored.create(owner.id, URL, list(events or (EVENT,)), None))[0]

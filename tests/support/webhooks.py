"""Webhooks over real stores, with an HTTP that a test scripts."""

from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from functools import partial

from pagehand.egress.policy import EgressPolicy
from pagehand.errors import PagehandError
from pagehand.ports import HttpAnswer
from pagehand.records import Webhook
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.vault import Vault
from pagehand.storage import Stores
from pagehand.testing import ScriptedHttp
from pagehand.webhooks import AlertMail, Deliverer, StoredWebhooks, WebhookListeners
from pagehand.webhooks.secret import WebhookSecrets
from pagehand.webhooks.stored import check_target

URL = "https://hooks.example/in"
EVENT = "execution.completed"
CONSOLE = "https://pagehand.example"
PICTURE = b"\xff\xd8\xff picture"


def answer(status: int) -> HttpAnswer:
    return HttpAnswer(status=status, url=URL, headers=[], body=b"")


class SentMail:
    """Keeps what is sent; raises `problem` if a test sets one."""

    def __init__(self) -> None:
        self.sender = "Pagehand <robot@pagehand.example>"
        self.sent: list[tuple[EmailMessage, Sequence[str]]] = []
        self.problem: PagehandError | None = None

    async def send(
        self, message: EmailMessage, recipients: Sequence[str], *, timeout_seconds: float
    ) -> Mapping[str, str]:
        assert timeout_seconds > 0
        if self.problem is not None:
            raise self.problem
        self.sent.append((message, recipients))
        return {}


class WebhookParts:
    """The parts that `assemble` wires, over one database."""

    def __init__(self, stores: Stores) -> None:
        self.http = ScriptedHttp()
        self.attempts: list[str | None] = []
        self.stores = stores
        self.box = WebhookSecrets(Vault(MasterKey(bytes(32))))
        self.mail = SentMail()
        alerts = AlertMail(self.mail, CONSOLE, self._picture)
        self.deliverer = Deliverer(
            stores.deliveries, stores.webhooks, self.box, self.http, self.attempts.append, alerts
        )
        self.listeners = WebhookListeners(stores.webhooks, self.deliverer.wake, CONSOLE)
        self.stored = StoredWebhooks(
            stores.webhooks,
            stores.deliveries,
            self.box,
            self.listeners,
            self.deliverer,
            partial(check_target, EgressPolicy(), can_mail=True),
        )

    async def _picture(self, organization_id: str, execution_id: str) -> bytes | None:
        del organization_id, execution_id
        return PICTURE

    async def webhook(self, organization: str = "Test", *events: str) -> Webhook:
        """A webhook of an organization, listening for `EVENT` unless told otherwise."""
        owner = await self.stores.organizations.ensure(organization)
        return (await self.stored.create(owner.id, URL, list(events or (EVENT,)), None))[0]

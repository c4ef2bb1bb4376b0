"""What webhooks need from stores, the vault and the network; `assemble` hands over the real ones."""

from collections.abc import Sequence
from typing import Any, Protocol

from pagehand.records import Delivery, Webhook


class WebhookStore(Protocol):
    """Webhooks of organizations."""

    async def add(self, webhook: Webhook, /) -> None:
        """Keep a new one."""
        ...

    async def get(self, organization_id: str, webhook_id: str, /) -> Webhook | None:
        """One of the organization's."""
        ...

    async def count(self, organization_id: str, /) -> int:
        """How many it has."""
        ...

    async def listening(self, organization_id: str, /) -> list[tuple[str, list[str]]]:
        """Ids and events of those that are switched on."""
        ...

    async def update(self, organization_id: str, webhook_id: str, /, **changes: Any) -> Webhook | None:
        """Change some of its fields; the webhook as it is then."""
        ...

    async def delete(self, organization_id: str, webhook_id: str, /) -> bool:
        """Forget it and what was on its way."""
        ...

    async def list(self, organization_id: str, limit: int, offset: int, /) -> tuple[list[Webhook], int]:
        """Newest first, and how many there are."""
        ...


class DeliveryStore(Protocol):
    """Messages on their way."""

    async def add(self, added: Sequence[Delivery], /) -> None:
        """Keep new ones."""
        ...

    async def get(self, organization_id: str, webhook_id: str, delivery_id: str, /) -> Delivery | None:
        """One of a webhook's."""
        ...

    async def take(
        self, *, now: int, until: int, busy: Sequence[str], per_webhook: int, limit: int
    ) -> list[Delivery]:
        """Take some that are due; they are due again at `until`."""
        ...

    async def next_due(self, busy: Sequence[str], /) -> int | None:
        """When the next one is due."""
        ...

    async def settle(self, delivery: Delivery, /) -> None:
        """Write down how an attempt went."""
        ...

    async def list(
        self, organization_id: str, webhook_id: str, /, *, status: str | None, limit: int, offset: int
    ) -> tuple[list[Delivery], int]:
        """Newest first, and how many there are."""
        ...


class SecretBox(Protocol):
    """Encrypts a webhook's secrets for that webhook alone."""

    def seal(self, organization_id: str, webhook_id: str, plain: bytes) -> bytes:
        """Encrypt."""
        ...

    def open(self, organization_id: str, webhook_id: str, sealed: bytes) -> bytes:
        """Decrypt."""
        ...


class Answer(Protocol):
    """What the target said."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...


class Http(Protocol):
    """Reaches what the operator allows and nothing else."""

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Sequence[tuple[str, str]],
        body: bytes,
        timeout_seconds: float,
        max_bytes: int,
        follow_redirects: bool,
    ) -> Answer:
        """The answer, whatever its status; one of our errors when there is none."""
        ...

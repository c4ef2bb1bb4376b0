"""Webhooks over real stores."""

import pytest

from pagehand.records import Webhook
from pagehand.storage import Stores
from support.webhooks import WebhookParts


@pytest.fixture
def parts(stores: Stores) -> WebhookParts:
    return WebhookParts(stores)


@pytest.fixture
async def webhook(parts: WebhookParts) -> Webhook:
    return await parts.webhook()

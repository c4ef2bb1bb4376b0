"""Webhooks: who wants to hear of what, and the messages that tell them."""

from pagehand.webhooks.announcer import Announcer
from pagehand.webhooks.deliverer import Deliverer
from pagehand.webhooks.stored import StoredWebhooks

__all__ = ["Announcer", "Deliverer", "StoredWebhooks"]

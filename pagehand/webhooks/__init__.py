"""Webhooks: who wants to hear of what, and the messages that tell them."""

from pagehand.webhooks.announcer import Announcer
from pagehand.webhooks.deliverer import Deliverer
from pagehand.webhooks.stored import EVENTS, StoredWebhooks

__all__ = ["EVENTS", "Announcer", "Deliverer", "StoredWebhooks"]

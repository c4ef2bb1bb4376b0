"""Webhooks: which of them listen for an event, and the delivery of events to them."""

from pagehand.webhooks.deliverer import Deliverer
from pagehand.webhooks.formats import AlertMail
from pagehand.webhooks.stored import StoredWebhooks, WebhookListeners

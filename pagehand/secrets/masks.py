"""Texts shown instead of secrets."""

from typing import Final

HIDDEN: Final = "***"
"""In texts, events, templates and page descriptions."""
KEPT: Final = "********"
"""In API responses, for a stored value; a client that sends it back keeps that value."""

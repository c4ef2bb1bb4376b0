"""Finding an element again after its page has changed, without a model."""

from pagehand.browser.heal.decide import Thresholds
from pagehand.browser.heal.healer import Healer, Proposal

__all__ = ["Healer", "Proposal", "Thresholds"]

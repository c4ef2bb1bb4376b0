"""Finding an element again after its page has changed, without a model."""

from pagehand.browser.healing.decide import Thresholds
from pagehand.browser.healing.healer import Healer

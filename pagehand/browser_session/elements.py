"""Elements that blocks find on a page."""

from dataclasses import dataclass
from typing import Literal

from playwright.async_api import Locator as Element

Purpose = Literal["act", "see", "touch"]
"""What an element is wanted for: act = visible and enabled; see = visible; touch = attached is enough."""


@dataclass(slots=True, frozen=True)
class FoundElement:
    """One element that a locator, a key or words led to."""

    element: Element
    """Playwright's handle on exactly this element; it waits, scrolls and checks before acting."""
    matches: int
    """How many elements the locator matched."""
    how: str
    """How it was found, for the events, such as `exact`, `substring` or `key`."""

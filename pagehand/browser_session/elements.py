"""Elements that blocks find on a page."""

from dataclasses import dataclass
from typing import Literal

from playwright.async_api import Frame
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


def addresses_of(frame: Frame | None) -> list[str]:
    """The addresses of a frame's document and of those around it; a frame without one has its parent's.

    Whoever is around a document can take the keys that are meant for it.
    """
    found: list[str] = []
    while frame is not None:
        if frame.parent_frame is None or not frame.url.startswith("about:"):
            found.append(frame.url)
        frame = frame.parent_frame
    return found

"""Elements that were found, and finding one again by what it was like."""

from dataclasses import dataclass
from typing import Literal, Protocol

from msgspec import UNSET, Struct, UnsetType, to_builtins
from playwright.async_api import Frame
from playwright.async_api import Locator as Element

from pagehand.records import Fingerprint, Json
from pagehand.workflow.locator import Locator

Purpose = Literal["act", "see", "touch"]
"""What an element is wanted for: act = visible and enabled; see = visible; touch = attached is enough."""


class CandidateScore(Struct, frozen=True):
    """How much a candidate is like the wanted element."""

    role: str
    name: str
    score: float


class HealingFacts(Struct, frozen=True, kw_only=True):
    """The numbers behind a healing, for its event; what is not known is left out there."""

    by: str | UnsetType = UNSET
    """`model` when a model pointed at the element."""
    p1: float | UnsetType = UNSET
    """The probability that the best candidate is the element."""
    p2: float | UnsetType = UNSET
    """The same for the second best."""
    gap: float | UnsetType | None = UNSET
    """How much more the best is like the element than like its nearest neighbour; None without one."""
    candidates: int | UnsetType = UNSET
    top: list[CandidateScore] | UnsetType = UNSET
    features: dict[str, float] | UnsetType = UNSET
    """The features that weighed most for the best candidate."""

    def as_json(self) -> Json:
        """As events show them."""
        return to_builtins(self)


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


@dataclass(slots=True, frozen=True)
class HealingResult:
    """The element that was found by its fingerprint, or why none was."""

    found: FoundElement | None
    locator: Locator | None
    """Leads to the found element alone."""
    reason: str
    """Why no element was taken; empty when one was."""
    facts: HealingFacts


class ElementHealing(Protocol):
    """Fingerprints of elements, and finding elements by them."""

    async def take_fingerprint(self, element: Element) -> Fingerprint | None:
        """What a found element is like; None when it is gone or the page is busy."""
        ...

    async def is_different_element(self, element: Element, fingerprint: Fingerprint) -> bool:
        """True when a found element is plainly not the one of the fingerprint."""
        ...

    async def heal(self, fingerprint: Fingerprint, *, is_commit: bool) -> HealingResult:
        """The element of the fingerprint on the page as it is now, once the page is quiet; or a refusal."""
        ...

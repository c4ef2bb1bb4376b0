"""A browser serving one execution, as the engine opens it and asks of it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from playwright.async_api import Locator as Element

from pagehand.browser_session.live_view import Screen
from pagehand.browser_session.page import Found, PageSession
from pagehand.records import FileInfo, Fingerprint, Json
from pagehand.workflow.locator import Locator
from pagehand.workflow.recorded import RecordedAct


@dataclass(slots=True, frozen=True)
class Proposal:
    """What was found by its fingerprint instead, or why nothing was."""

    found: Found | None
    locator: Locator | None
    """Leads to the found element alone."""
    reason: str
    """Why nothing was taken."""
    facts: Json
    """The numbers behind it."""


@dataclass(slots=True, frozen=True)
class RankedLocator:
    """A way to say which element is meant."""

    locator: Locator
    matches: int
    """How many elements it leads to on the page as it is."""
    reason: str
    """Why it stands where it stands in the ranking."""


@dataclass(slots=True, frozen=True)
class PickedElement:
    """An element somebody pointed at."""

    tag: str
    role: str
    """Its ARIA role; empty when it has none."""
    name: str
    box: tuple[float, float, float, float]
    """Left, top, width and height in the window."""
    locators: Sequence[RankedLocator]
    """The most lasting first."""


class BrowserSession(PageSession, Protocol):
    """A browser serving one execution."""

    async def remember(self, element: Element) -> Fingerprint | None:
        """What a found element is like; None when the page cannot say."""
        ...

    async def is_another(self, element: Element, fingerprint: Fingerprint) -> bool:
        """True when a found element is plainly not the remembered one."""
        ...

    async def heal(self, fingerprint: Fingerprint, *, is_commit: bool) -> Proposal:
        """The remembered element on the page as it is now, once the page is quiet; or a refusal."""
        ...

    async def pick(self, x: float, y: float, *, with_locators: bool) -> PickedElement | None:
        """The element at a point of the window, and the locators that lead to it where they are wanted."""
        ...

    async def reading_at(self, x: float, y: float) -> RecordedAct | None:
        """Reading the table or the text at a point of the window."""
        ...

    async def demand_content(self) -> None:
        """Fail where the current tab is blank."""
        ...

    @property
    def vendor_id(self) -> str | None:
        """The provider's name for it."""
        ...

    @property
    def lost(self) -> "asyncio.Future[str]":
        """Resolves with the reason when the browser or its page dies."""
        ...

    @property
    def live_view(self) -> Screen:
        """The browser for a person beside it."""
        ...

    async def screenshot(self) -> bytes | None:
        """A JPEG of what the current tab shows; None when it cannot be pictured."""
        ...

    async def settle(self) -> None:
        """Give open requests up to two seconds."""
        ...

    async def end(self) -> None:
        """Close everything."""
        ...


SaveFile = Callable[[bytes | Path, str, str], Awaitable[FileInfo]]
"""Keeps content under a name and MIME type."""


ReportEvent = Callable[[str, str, Mapping[str, Any]], None]
"""Records an event: type, message, data."""


@dataclass(slots=True, kw_only=True)
class BrowserRequest:
    """What a browser session is wanted for."""

    execution_id: str
    organization_id: str
    browser_session_id: str
    use_proxy: bool
    save_file: SaveFile
    report: ReportEvent
    check_room: Callable[[int], Awaitable[None]]
    """Fails when the organization has no room for a file of so many bytes."""


OpenBrowser = Callable[[BrowserRequest], Awaitable[BrowserSession]]
"""Gives a browser, from the pool or freshly launched."""

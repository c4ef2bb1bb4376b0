"""Browsers, and the proxies they and HTTP go through, for the engine."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from playwright.async_api import Locator as Element

from pagehand.engine.live.screen import Screen
from pagehand.ports import Found, Http, PageSession
from pagehand.records import (
    FileInfo,
    Json,
)
from pagehand.workflow.locator import Locator


class Proposal(Protocol):
    """What was found by its fingerprint, or why nothing was."""

    @property
    def found(self) -> Found | None:
        """The element."""
        ...

    @property
    def locator(self) -> Locator | None:
        """A locator that leads to it alone."""
        ...

    @property
    def reason(self) -> str:
        """Why nothing was taken."""
        ...

    @property
    def facts(self) -> Json:
        """The numbers behind it."""
        ...


class RankedLocator(Protocol):
    """A way to say which element is meant."""

    @property
    def locator(self) -> Locator:
        """As a block takes it."""
        ...

    @property
    def matches(self) -> int:
        """How many elements it leads to on the page as it is."""
        ...

    @property
    def reason(self) -> str:
        """Why it stands where it stands in the ranking."""
        ...


class PickedElement(Protocol):
    """An element somebody pointed at."""

    @property
    def tag(self) -> str:
        """Its tag, in lower case."""
        ...

    @property
    def role(self) -> str:
        """Its ARIA role; empty when it has none."""
        ...

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, width and height in the window."""
        ...

    @property
    def locators(self) -> Sequence[RankedLocator]:
        """The most lasting first."""
        ...


class Session(PageSession, Protocol):
    """A browser serving one execution."""

    async def remember(self, element: Element) -> Json | None:
        """What a found element is like; None when the page cannot say."""
        ...

    async def is_another(self, element: Element, fingerprint: Json) -> bool:
        """True when a found element is plainly not the remembered one."""
        ...

    async def heal(self, fingerprint: Json, *, is_commit: bool) -> Proposal:
        """The remembered element on the page as it is now, once the page is quiet; or a refusal."""
        ...

    async def pick(self, x: float, y: float, *, with_locators: bool) -> PickedElement | None:
        """The element at a point of the window, and the locators that lead to it where they are wanted."""
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


Tell = Callable[[str, str, Mapping[str, Any]], None]
"""Records an event: type, message, data."""


@dataclass(slots=True, kw_only=True)
class BrowserOrder:
    """What a browser session is wanted for."""

    execution_id: str
    organization_id: str
    browser_session_id: str
    use_proxy: bool
    save_file: SaveFile
    tell: Tell
    check_room: Callable[[int], Awaitable[None]]
    """Fails when the organization has no room for a file of so many bytes."""


OpenBrowser = Callable[[BrowserOrder], Awaitable[Session]]
"""Gives a browser, from the pool or freshly launched."""


class Proxies(Protocol):
    """Knows which proxy serves the executions of which organization."""

    async def is_set(self, organization_id: str, /) -> bool:
        """Whether they may ask for one."""
        ...

    def http(self, organization_id: str, /) -> Http:
        """HTTP through it."""
        ...

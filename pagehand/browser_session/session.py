"""A browser serving one execution, as the engine opens and uses it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pagehand.browser_session.live_view import LiveView
from pagehand.browser_session.page import PageSession
from pagehand.records import FileInfo


class BrowserSession(PageSession, Protocol):
    """A browser serving one execution."""

    @property
    def live_view(self) -> LiveView:
        """The browser for a person who watches or drives it."""
        ...

    @property
    def vendor_id(self) -> str | None:
        """The provider's name for it."""
        ...

    @property
    def lost(self) -> "asyncio.Future[str]":
        """Resolves with the reason when the browser or its page dies."""
        ...

    async def has_reported(self) -> bool:
        """True when the browser lives, and everything it has sent so far was reported."""
        ...

    def forget_press(self) -> None:
        """What is sent from now on was not caused by a press."""
        ...

    async def settle(self) -> None:
        """Give open requests and downloads up to two seconds."""
        ...

    async def end(self) -> None:
        """Close everything."""
        ...


SaveFile = Callable[[bytes | Path, str, str], Awaitable[FileInfo]]
"""Keeps content under a name and MIME type."""

CheckRoom = Callable[[int], Awaitable[None]]
"""Fails when the organization has no room for so many bytes."""

ReportEvent = Callable[[str, str, Mapping[str, Any]], None]
"""Records an event: type, message, data."""


BeforeSend = Callable[[], Awaitable[None] | None]
"""Called before something leaves that an act may have caused; what it returns is awaited first."""


@dataclass(slots=True, kw_only=True)
class BrowserRequest:
    """What a browser session is wanted for."""

    execution_id: str
    organization_id: str
    browser_session_id: str
    use_proxy: bool
    save_file: SaveFile
    report: ReportEvent
    check_room: CheckRoom
    before_send: BeforeSend


OpenBrowser = Callable[[BrowserRequest], Awaitable[BrowserSession]]
"""Gives a browser, from the pool or freshly launched."""

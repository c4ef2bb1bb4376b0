"""What an execution decides about its browser session."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import StorageState

from pagehand.browser.dialogs import Report
from pagehand.browser.downloads import unlimited_room
from pagehand.browser.healing import Thresholds
from pagehand.browser.provider import ProxyAddress
from pagehand.browser_session import BeforeSend, CheckRoom, SaveFile


def _ignore_event(_type: str, _message: str, _data: Mapping[str, Any]) -> None:
    """For sessions without an execution's events."""


def _send_at_once() -> None:
    """For sessions whose effects nobody records."""


@dataclass(slots=True, frozen=True)
class SessionOptions:
    """What an execution decides about its browser session."""

    save_file: SaveFile
    organization_id: str | None = None
    """Whose execution it is: a browser that is used again serves one organization; None shares none."""
    on_event: Report = _ignore_event
    before_send: BeforeSend = _send_at_once
    """Asked before something leaves that an act may have caused; what it returns is awaited first."""
    proxy: ProxyAddress | None = None
    """A proxy instead of the one the browser was prepared with; opening a context for it takes a moment."""
    storage_state: StorageState | None = None
    """Cookies and local storage to begin with."""
    max_tabs: int = 20
    max_download_bytes: int = 1_000_000_000
    check_room: CheckRoom = unlimited_room
    """Is also called while a file is still growing."""
    healing: Thresholds = field(default_factory=Thresholds)

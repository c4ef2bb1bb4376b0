"""Chromium's DevTools protocol, for the few things Playwright does not offer."""

from typing import Any, Final, cast

from playwright.async_api import CDPSession

from pagehand.records import Json

FOLLOWED: Final = [{"type": "page"}, {"type": "shared_worker"}]
"""The targets that a browser announces: tabs, and workers whose requests Playwright does not show."""


async def send(channel: CDPSession, method: str, **parameters: Any) -> Json:
    """Send one command and wait for its answer."""
    # Playwright's annotation leaves the dictionary's types open
    return cast("Json", await cast("Any", channel).send(method, parameters))

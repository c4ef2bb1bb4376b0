"""Chromium's own protocol, for the few things Playwright does not offer."""

from typing import Any, cast

from playwright.async_api import CDPSession

from pagehand.records import Json


async def send(channel: CDPSession, method: str, **parameters: Any) -> Json:
    """One command and its answer."""
    # Playwright's annotation leaves the dictionary's types open
    return cast("Json", await cast("Any", channel).send(method, parameters))

"""Chromium's own protocol, for the few things Playwright does not offer."""

from typing import Any, cast

from playwright.async_api import CDPSession


async def send(channel: CDPSession, method: str, **parameters: Any) -> dict[str, Any]:
    """One command and its answer."""
    # Playwright's annotation leaves the dictionary's types open
    return cast("dict[str, Any]", await cast("Any", channel).send(method, parameters))

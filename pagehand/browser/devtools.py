"""Chromium's DevTools protocol, for the few things Playwright does not offer."""

from typing import Any, Final, cast

from playwright.async_api import Browser, CDPSession

from pagehand.records import Json

_FOLLOWED: Final = [{"type": "page"}, {"type": "shared_worker"}]
"""The targets that a browser announces: tabs, and workers whose requests Playwright does not show."""


async def open_control(browser: Browser) -> CDPSession:
    """A channel to the browser itself that announces tabs and shared workers from now on."""
    control = await browser.new_browser_cdp_session()
    await send(control, "Target.setDiscoverTargets", discover=True, filter=_FOLLOWED)
    return control


async def send(channel: CDPSession, method: str, **parameters: Any) -> Json:
    """Send one command and wait for its answer."""
    # Playwright's annotation leaves the dictionary's types open
    return cast("Json", await cast("Any", channel).send(method, parameters))

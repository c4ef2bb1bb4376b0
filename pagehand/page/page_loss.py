"""Whether an error means that the page is gone."""

from typing import Final

from playwright.async_api import Error as PlaywrightError

_MESSAGES: Final = (
    "has been closed",
    "Target crashed",
    "Page crashed",
    "Browser closed",
    "Connection closed",
    "Browser has been disconnected",
)


def is_page_lost(error: PlaywrightError) -> bool:
    """True when the page, its browser or the connection to it is gone."""
    # the other lines are a log of the call, which quotes the page
    first_line = error.message.partition("\n")[0]
    return any(message in first_line for message in _MESSAGES)

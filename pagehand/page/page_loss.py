"""Whether an error says that there is no page left to go on with."""

from typing import Final

from playwright.async_api import Error as PlaywrightError

_LOST: Final = (
    "has been closed",
    "Target crashed",
    "Page crashed",
    "Browser closed",
    "Connection closed",
    "Browser has been disconnected",
)


def is_loss(error: PlaywrightError) -> bool:
    """True when the page, its browser or the connection to it is gone."""
    # what follows the first line is a log of the call, which quotes the page
    first_line = error.message.partition("\n")[0]
    return any(sign in first_line for sign in _LOST)

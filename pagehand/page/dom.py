"""What all readers of a page share: `dom.js` (what is visible, names, texts), and when a page is gone."""

import asyncio
import contextlib
from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import JSHandle

from pagehand.javascript import load_script

_CORE: Final = load_script(__file__, "dom_core")
DOM: Final = f"() => ({load_script(__file__, 'dom')})(({_CORE})())"
"""A function that returns the object of those rules, for one script in one frame."""
_DISPOSE_SECONDS: Final = 1.0
_LOST_MESSAGES: Final = (
    "has been closed",
    "Target crashed",
    "Page crashed",
    "Browser closed",
    "Connection closed",
    "Browser has been disconnected",
)


def on_dom(script: str) -> str:
    """The JavaScript function `(dom, …) => …` as a function of its other arguments."""
    return f"(...given) => ({script})(({DOM})(), ...given)"


def on_dom_core(script: str) -> str:
    """The same with only visibility and the tree: much less to send for scripts that run at every step."""
    return f"(...given) => ({script})(({_CORE})(), ...given)"


async def give_back(*handles: JSHandle) -> None:
    """Let the page free what the handles keep alive, unless it is gone or does not answer.

    A page that hangs would otherwise hold whoever cleans up, long after their time is over.
    """
    with contextlib.suppress(PlaywrightError, TimeoutError):
        async with asyncio.timeout(_DISPOSE_SECONDS):
            await asyncio.gather(*(handle.dispose() for handle in handles))


def is_page_lost(error: PlaywrightError) -> bool:
    """True when the page, its browser or the connection to it is gone."""
    # the other lines are a log of the call, which quotes the page
    first_line = error.message.partition("\n")[0]
    return any(message in first_line for message in _LOST_MESSAGES)

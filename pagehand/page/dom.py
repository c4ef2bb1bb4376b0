"""The rules all page scripts share: `dom.js` decides what is visible, and gives names, texts and roles."""

import asyncio
import contextlib
from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import JSHandle

from pagehand.javascript import load_script

_CORE: Final = load_script(__file__, "dom_core")
DOM: Final = f"() => ({load_script(__file__, 'dom')})(({_CORE})())"
"""A function that returns the object of those rules, for one script in one frame."""
_SECONDS: Final = 1.0


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
        async with asyncio.timeout(_SECONDS):
            await asyncio.gather(*(handle.dispose() for handle in handles))

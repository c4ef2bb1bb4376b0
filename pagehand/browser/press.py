"""Pressing a control: what it may send, known before; afterwards, whether the browser held its form back."""

import asyncio
from functools import cache
from typing import Final

from msgspec import Struct, convert
from playwright.async_api import ElementHandle, JSHandle, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator as Element

from pagehand.browser.effects import SentRequests
from pagehand.browser_session import HeldBack
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.workflow.effect_words import promises_effect

_NAME_LENGTH: Final = 80
_LOOK_MS: Final = 1000
_ANSWER_SECONDS: Final = 1.0


class _Control(Struct, rename="camel"):
    """What `press.js` knows of the control."""

    name: str = ""
    posts: bool = False
    """True when it sends a form by POST."""
    signs_in: bool = False
    acts: bool = False


class _HeldBack(Struct, rename="camel"):
    """What `press.js` answers afterwards about a form that was not sent."""

    field: str
    words: str
    is_sure: bool


class Press:
    """One press, from just before it to just after."""

    def __init__(self, sent: SentRequests, watch: JSHandle | None, info: _Control | None) -> None:
        """`watch` listens in the page; without one nothing is known of the control."""
        self._sent = sent
        self._watch = watch
        self._sent_before = sent.sent
        info = info or _Control()
        name = info.name[:_NAME_LENGTH]
        is_sign_in = info.signs_in
        sent.pressed(name, is_sign_in=is_sign_in)
        is_promise = promises_effect(name) or info.posts
        acts = info.acts and not is_sign_in
        self.sets_off = (f"pressing `{name}`" if name else "sending a form") if acts and is_promise else None
        """What it may bring about outside, in words; None when it promises nothing."""

    async def held_back(self) -> HeldBack | None:
        """Why the form that was to be sent was not; None when it was, or when none was meant."""
        if self._watch is None:
            return None
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                answer = await self._watch.evaluate("watch => watch.heldBack()")
        except (PlaywrightError, TimeoutError):
            return None  # the page has moved on, or is too busy with what the press set off
        found = convert(answer, _HeldBack | None)
        # something was sent after all: the form's own script did it
        if found is None or (not found.is_sure and self._sent.sent > self._sent_before):
            return None
        return HeldBack(found.field[:_NAME_LENGTH], found.words)


async def before_press(sent: SentRequests, element: Element | ElementHandle, *, by_enter: bool) -> Press:
    """Look at the control that is about to be pressed, or in which Enter is about to be."""
    look = f"(el, byEnter) => ({_script()})([el, byEnter])"
    try:
        if isinstance(element, ElementHandle):
            return await _press(sent, await element.evaluate_handle(look, by_enter))
        return await _press(sent, await element.evaluate_handle(look, by_enter, timeout=_LOOK_MS))
    except PlaywrightError:
        return Press(sent, None, None)  # it went away: the press itself waits for it and says so


async def before_press_at(sent: SentRequests, page: Page, x: float, y: float) -> Press:
    """The same for a point of the window."""
    look = f"([x, y]) => ({_script()})([document.elementFromPoint(x, y), false])"
    try:
        return await _press(sent, await page.evaluate_handle(look, [x, y]))
    except PlaywrightError:
        return Press(sent, None, None)


async def _press(sent: SentRequests, watch: JSHandle) -> Press:
    return Press(sent, watch, convert(await watch.evaluate("watch => watch.info"), _Control | None))


@cache
def _script() -> str:
    return on_dom(load_script(__file__, "press"))

"""Pressing a control: what it is, known before; afterwards, whether its form was submitted."""

import asyncio
from typing import Final

from msgspec import Struct, convert
from playwright.async_api import ElementHandle, JSHandle, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator as Element

from pagehand.browser.effects import SentRequests
from pagehand.browser_session import FormRejection
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.workflow.effect_words import promises_effect

_PRESS: Final = on_dom(load_script(__file__, "press"))
_NAME_LENGTH: Final = 80
_SUBMIT: Final = "Submit"
_LOOK_MS: Final = 1000
_ANSWER_SECONDS: Final = 1.0


class _Control(Struct, rename="camel"):
    """What `press.js` finds out about the control."""

    name: str = ""
    signs_in: bool = False
    """True when its form is a sign-in form."""


class _Rejection(Struct, rename="camel"):
    """What `press.js` answers afterwards about a form that was not submitted."""

    field: str
    message: str
    is_sure: bool


class Press:
    """One press, from just before it to just after it."""

    def __init__(self, sent: SentRequests, watch: JSHandle | None, control: _Control | None) -> None:
        """`watch` listens in the page; without one nothing is known of the control."""
        self._sent = sent
        self._watch = watch
        self._sent_before = sent.sent
        control = control or _Control()
        self.name = control.name[:_NAME_LENGTH]
        # some forms want a password once more for what they do
        self.signs_in = control.signs_in and (self.name == _SUBMIT or not promises_effect(self.name))

    async def form_rejection(self) -> FormRejection | None:
        """Why the form was not submitted; None when it was, or when there is none."""
        if self._watch is None:
            return None
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                answer = await self._watch.evaluate("watch => watch.formRejection()")
        except (PlaywrightError, TimeoutError):
            return None  # the page has moved on, or is too busy with what the press began
        found = convert(answer, _Rejection | None)
        # something was sent after all, by a script of the page
        if found is None or (not found.is_sure and self._sent.sent > self._sent_before):
            return None
        return FormRejection(found.field[:_NAME_LENGTH], found.message)


async def before_press(sent: SentRequests, element: Element | ElementHandle, *, by_enter: bool) -> Press:
    """Look at the control that is about to be pressed, or in which Enter is about to be pressed."""
    look = f"(element, byEnter) => ({_PRESS})([element, byEnter])"
    try:
        if isinstance(element, ElementHandle):
            return await _press(sent, await element.evaluate_handle(look, by_enter))
        return await _press(sent, await element.evaluate_handle(look, by_enter, timeout=_LOOK_MS))
    except PlaywrightError:
        return Press(sent, None, None)  # it went away: the press itself waits for it and reports it


async def before_press_at(sent: SentRequests, page: Page, x: float, y: float) -> Press:
    """The same for a point of the window."""
    look = f"([x, y]) => ({_PRESS})([document.elementFromPoint(x, y), false])"
    try:
        return await _press(sent, await page.evaluate_handle(look, [x, y]))
    except PlaywrightError:
        return Press(sent, None, None)


async def _press(sent: SentRequests, watch: JSHandle) -> Press:
    return Press(sent, watch, convert(await watch.evaluate("watch => watch.control"), _Control | None))

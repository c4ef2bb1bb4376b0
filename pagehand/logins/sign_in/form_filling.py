"""Fills in a sign-in form and submits it, without a secret in any error."""

from collections.abc import Sequence
from typing import Any, Final

from playwright.async_api import ElementHandle
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pagehand.browser_session import PageSession
from pagehand.errors import BlockFailed, BrowserLost
from pagehand.javascript import load_script
from pagehand.logins.sign_in_form import SignInForm
from pagehand.page.page_loss import is_page_lost

_FIELD_MS: Final = 10_000
_PRESS_MS: Final = 5_000
_COVERED: Final = load_script(__file__, "covered")

_CHOOSE: Final = load_script(__file__, "choose_option")


async def type_text(field: ElementHandle, text: str, what: str) -> None:
    """Put `text` into a field; key by key where the field does not take it at once."""
    try:
        await field.fill(text, timeout=_FIELD_MS)
        # masks and scripts of a field may drop a text that is set at once
        if not await _holds(field, text):
            await field.fill("", timeout=_FIELD_MS)
            await field.type(text)
    except PlaywrightError as error:
        # Playwright's message repeats what was typed: neither it nor its traceback may be passed on
        if is_page_lost(error):
            raise BrowserLost("The browser or its page died while signing in.") from None
        raise BlockFailed(f"The {what} field cannot be filled in.") from None


async def type_code(fields: Sequence[ElementHandle], code: str) -> None:
    """Put a code into its field, or one character into each of several."""
    if len(fields) == 1:
        await type_text(fields[0], code, "code")
        return
    for field, character in zip(fields, code, strict=False):
        await type_text(field, character, "code")


async def press(button: ElementHandle, timeout_ms: float) -> None:
    """Click a button; one that has disappeared by the time the click is confirmed was clicked."""
    try:
        await button.click(timeout=timeout_ms)
    except PlaywrightTimeout:
        raise
    except PlaywrightError as error:
        if is_page_lost(error) or "not attached" not in error.message:
            raise


async def choose(chooser: ElementHandle, words: str) -> None:
    """Choose the only entry that matches `words`, or the only entry there is; else leave the list alone."""
    try:
        await chooser.evaluate(_CHOOSE, words)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise


async def tick(box: ElementHandle) -> None:
    """Tick a box, by its label where the box itself is hidden; a box that cannot be ticked is left alone."""
    try:
        await box.evaluate("box => { if (!box.checked) (box.labels?.[0] ?? box).click(); }")
    except PlaywrightError as error:
        if is_page_lost(error):
            raise


async def submit(session: PageSession, form: SignInForm) -> str:
    """Press the form's button, or Enter where it has none; the text of a dialog that opened."""
    async with session.acting() as action:
        if form.banner_button and form.button and await _is_covered(form.button):
            await form.banner_button.click(timeout=_PRESS_MS)
        await _press_button(form)
    return " ".join(dialog.message for dialog in action.dialogs)


async def _press_button(form: SignInForm) -> None:
    field = (form.code or [form.password or form.user])[-1]
    if field is None or not await _is_there(field):
        return  # the form was submitted by its last character
    if form.button is not None:
        try:
            await press(form.button, _PRESS_MS)
        except PlaywrightTimeout:
            # disabled or covered: Enter often does what the button would
            await field.press("Enter", timeout=_PRESS_MS)
    else:
        await field.press("Enter", timeout=_PRESS_MS)


async def _is_there(element: ElementHandle) -> bool:
    return await _ask(element, "element => element.isConnected", otherwise=False)


async def _holds(field: ElementHandle, text: str) -> bool:
    """Whether the field has the text; a form that submitted itself is gone, and had it."""
    value = await _ask(field, "element => element.value", otherwise=text)
    return value == text


async def _is_covered(button: ElementHandle) -> bool:
    return await _ask(button, _COVERED, otherwise=False)


async def _ask(element: ElementHandle, question: str, *, otherwise: Any) -> Any:
    """What the page says of an element; `otherwise` when its document is gone."""
    try:
        return await element.evaluate(question)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return otherwise

"""Putting text into a field: one insert, a look at the value, key by key only if it did not stick."""

import re
from typing import Final

from playwright.async_api import ElementHandle
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator as Element
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pagehand.blocks.conversion import to_number
from pagehand.blocks.page.controls.acting import evaluate_on, time_left_ms
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed, Diagnosis
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom_core

_PATIENCE_MS = 1000
_COUNTRY_CODE = 3
_MOVED_ON = ("went away", "context was destroyed", "navigat", "Frame was detached")
_NOT_A_FIELD = "Element is not an <input>"
# A rich editor copies its text into a hidden field of the form, often a moment after the last key. People are
# too slow to notice; a block that presses Save right after would lose the text.
_HANDED_OVER = on_dom_core(load_script(__file__, "handed_over"))
_FIND: Final = "(el.closest('.CodeMirror') ?? el.querySelector(':scope > .CodeMirror'))"
# the editor itself knows the whole text: what lies out of view is not drawn
READ_EDITOR: Final = f"const editor = {_FIND}?.CodeMirror; if (editor) return editor.getValue();"
_IS_EDITOR: Final = f"el => !!{_FIND}"
_LINES: Final = f"el => {_FIND}.querySelector('.CodeMirror-lines')"
_READ = f"""async el => {{ {READ_EDITOR}
  const f = el.control ?? el; if ('value' in f) return f.value;
  await ({_HANDED_OVER})(f); return f.innerText }}"""
# many pages look at a field when a key goes up, and an insert presses none
_READ_AFTER_KEY = f"""el => {{
  (el.control ?? el).dispatchEvent(new KeyboardEvent('keyup', {{bubbles: true}}));
  return ({_READ})(el) }}"""
_IS_READ_ONLY = "el => { const f = el.control ?? el; return !!f.readOnly || f.ariaReadOnly === 'true' }"
_IS_SELECT = "el => (el.control ?? el).matches('select')"
_FOCUSED_AT_END = load_script(__file__, "focused_at_end")


async def enter_text(
    ctx: RunContext,
    element: Element | ElementHandle,
    text: str,
    name: str,
    *,
    replace: bool = True,
    by_keys: bool = False,
    secret: bool = False,
) -> bool:
    """Type `text`; `name` names the field in failures, which never show a secret.

    True when the field was there to be read afterwards; False when the page has moved on.
    """
    wanted = text if replace else await evaluate_on(element, _FOCUSED_AT_END) + text
    if not replace and not isinstance(element, ElementHandle):
        await ctx.page.page.keyboard.insert_text(text)
    # an insert is one message to the browser; key by key it is several for each letter
    elif not by_keys and await _insert(ctx, element, wanted, name):
        return True
    shown = "" if by_keys and replace else await _value(element, _READ_AFTER_KEY)
    if (by_keys and replace) or not _sticks(shown, wanted):
        if await is_code_editor(element):
            await write_in_editor(ctx, element, wanted)
        else:
            await _type_keys(ctx, element, wanted, name)
        shown = await _value(element)
        if not _sticks(shown, wanted):
            # both could hold a password, and a failure is shown to people
            raise _did_not_stick(name, "" if secret else shown or "", "" if secret else wanted)
    return shown is not None


async def _insert(ctx: RunContext, element: Element | ElementHandle, text: str, name: str) -> bool:
    """Put the text in at once; True when it was the option of a list, of which nothing more is to be seen."""
    try:
        # not the whole time: a read-only field would use it up, and the failure could not say that it is one
        await element.fill(text, timeout=min(time_left_ms(ctx), _PATIENCE_MS))
    except PlaywrightTimeout:
        await _demand_writable(ctx, element, name)
        await element.fill(text, timeout=time_left_ms(ctx))
    except PlaywrightError as error:
        if _NOT_A_FIELD not in error.message:
            raise
        if await evaluate_on(element, _IS_SELECT):
            # recordings of other tools say what was entered, and not into what
            await element.select_option(text, timeout=time_left_ms(ctx))
            return True
        if not await is_code_editor(element):
            raise
    return False


async def _demand_writable(ctx: RunContext, element: Element | ElementHandle, name: str) -> None:
    """Fail on a read-only field, unless it is one of those that open up when they are clicked."""
    if not await evaluate_on(element, _IS_READ_ONLY):
        return
    await element.click(timeout=time_left_ms(ctx))
    if await evaluate_on(element, _IS_READ_ONLY):
        raise BlockFailed(
            f"The field {name} is read-only",
            Diagnosis(
                expected=f"a field to type into at {name}",
                found="a read-only field",
                advice="Use the control that changes it (a calendar, a button), or point at another field.",
            ),
        )


async def _type_keys(ctx: RunContext, element: Element | ElementHandle, text: str, name: str) -> None:
    if await _value(element):
        await _insert(ctx, element, "", name)
    if isinstance(element, ElementHandle):
        await element.type(text, timeout=time_left_ms(ctx))
    else:
        await element.press_sequentially(text, timeout=time_left_ms(ctx))


async def _value(element: Element | ElementHandle, function: str = _READ) -> str | None:
    """What the field shows; None when the page has moved on, as some do once the last digit is typed."""
    try:
        return str(await evaluate_on(element, function))
    except PlaywrightError as error:
        if any(sign in error.message for sign in _MOVED_ON):
            return None
        raise


def _sticks(shown: str | None, wanted: str) -> bool:
    """The field holds it, perhaps in the field's own style: (555) 010-9999, 1,200.00, ABC."""
    if shown is None or shown == wanted:
        return True
    plain, other = (re.sub(r"\W", "", text).casefold() for text in (shown, wanted))
    if plain == other:
        return bool(plain) or shown.strip() == wanted.strip()
    if shown.startswith("+") and plain.endswith(other) and 0 < len(plain) - len(other) <= _COUNTRY_CODE:
        return bool(other)  # a telephone mask that puts the country's code in front
    # amounts: a field may write 1200.5 as 1,200.50
    number = to_number(wanted)
    return number is not None and wanted.strip("-+.,0123456789 ") == "" and number == to_number(shown)


def _did_not_stick(name: str, shown: str, wanted: str) -> BlockFailed:
    found = f"`{shown}`" if shown else "something else"
    return BlockFailed(
        f"The field {name} did not keep what was typed: it shows {found}",
        Diagnosis(
            expected=f"`{wanted}` in the field" if wanted else "the field to keep its value",
            found=found,
            cause="the page rewrites, shortens or refuses the value",
            advice='Check length and format, or try `typing: "keys"`.',
        ),
    )


async def is_code_editor(element: Element | ElementHandle) -> bool:
    """True for an editor, what is around it, and the field within that takes its keys."""
    return bool(await evaluate_on(element, _IS_EDITOR))


async def write_in_editor(ctx: RunContext, element: Element | ElementHandle, text: str) -> None:
    """Replace all that stands in the editor."""
    if not isinstance(element, ElementHandle):
        element = await element.element_handle(timeout=time_left_ms(ctx))
    handle = await element.evaluate_handle(_LINES)
    lines = handle.as_element()
    await (lines or element).click(timeout=time_left_ms(ctx))
    keyboard = ctx.page.page.keyboard
    # the field within takes keys but holds only the latest of them, so filling it in would replace nothing
    await keyboard.press("ControlOrMeta+A")
    await keyboard.press("Delete")
    await keyboard.insert_text(text)

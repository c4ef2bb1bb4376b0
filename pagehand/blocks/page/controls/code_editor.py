"""Editors for code that pages draw, such as CodeMirror: they are typed into, never filled in."""

from typing import Final

from playwright.async_api import ElementHandle
from playwright.async_api import Locator as Element

from pagehand.blocks.page.controls.acting import evaluate_on, time_left_ms
from pagehand.blocks.run_context import RunContext

_FIND: Final = "(el.closest('.CodeMirror') ?? el.querySelector(':scope > .CodeMirror'))"
# the editor itself knows the whole text: what lies out of view is not drawn
READ_EDITOR: Final = f"const editor = {_FIND}?.CodeMirror; if (editor) return editor.getValue();"
_IS_EDITOR: Final = f"el => !!{_FIND}"
_LINES: Final = f"el => {_FIND}.querySelector('.CodeMirror-lines')"


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

"""Turns what a person does on the live page into acts, by looking just before and just after each input.

Nothing is installed in the page: the person's input passes through us anyway.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final, ParamSpec

from playwright.async_api import Download, ElementHandle, FileChooser, Frame, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.live_view.recorded_field import Drag, ElementFacts, RecordedField, facts_of
from pagehand.browser.picking import element_at, focused_element, locate
from pagehand.browser_session import InputEvent, KeyInput, MouseInput, TextInput
from pagehand.errors import PagehandError
from pagehand.loop import spawn
from pagehand.workflow.recorded import ActKind, RecordedAct

_P = ParamSpec("_P")
_SECONDS: Final = 30.0
"""A page that does not answer takes no input either, so waiting for it delays nothing that would happen."""
_LOOKS: Final = 3
_PAUSE_SECONDS: Final = 0.4
"""How long somebody must stop typing for the field's value to be recorded."""
_FOLLOWS_SECONDS: Final = 5.0
"""A download or tab that begins this soon was caused by the last click."""
_MODIFIERS: Final = ("Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock")
_ACTIVE_OPTION: Final = """(element) => {
  const id = element.getAttribute('aria-activedescendant');
  return id ? element.getRootNode().getElementById(id) : null;
}"""


class Recorder:
    """Reports acts in the order of the inputs; a page that hangs ends the look, not the recording."""

    def __init__(self, current: Callable[[], Page], on_act: Callable[[RecordedAct], None]) -> None:
        """`current` gives the tab that is driven."""
        self._current = current
        self._on_act = on_act
        self._field: RecordedField | None = None
        self._last: RecordedAct | None = None
        self._last_at = 0.0
        self._pause: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking = asyncio.Lock()
        """Held while one input is looked at, so that acts keep the order of the inputs."""
        self._drag: Drag | None = None

    def begin(self, *, with_address: bool) -> None:
        """Record from here on, with the address of the page it begins on where that is wanted."""
        if with_address:
            self._record_address()

    def moved(self) -> None:
        """The person went back or reloaded the page: opening its address does the same."""
        self._field = None
        self._record_address()

    async def before(self, event: InputEvent) -> None:
        """An input is about to reach the page."""
        match event:
            case MouseInput(kind="down", button="left" | "right"):
                await self._bounded(self._mouse_down, event)
            case MouseInput(kind="up") if self._drag is not None:
                await self._bounded(self._drag.release, self._current(), event.x, event.y)
            case TextInput():
                await self._bounded(self._type, event.text)
            case KeyInput(kind="down", key="Enter" | " "):
                await self._bounded(self._press_down, event.key)
            case KeyInput(kind="down", key=key) if key not in _MODIFIERS:
                await self._bounded(self._type, event.text)
            case _:
                pass

    async def after(self, event: InputEvent) -> None:
        """An input has reached the page."""
        match event:
            case MouseInput(kind="up"):
                await self._bounded(self._record_drag)
                await self._bounded(self._record_choice)
            case MouseInput():
                pass
            case KeyInput(kind="up", key="Enter"):
                await self._bounded(self._enter_released)
            case KeyInput(kind="up", key=key) if key == "Tab" or key.startswith("Arrow"):
                await self._bounded(self._follow_focus, is_arrow=key != "Tab")
                await self._bounded(self._record_choice)
            case KeyInput(kind="down", text="" | "\r"):
                pass
            case _:
                await self._bounded(self._record_choice)
                self._record_soon()

    def chooser_opened(self, chooser: FileChooser) -> None:
        """The page asks for a file, perhaps because of the last click."""
        self._spawn(self._record_upload, chooser.element)

    def download_began(self, _download: Download) -> None:
        """The last click caused a download."""
        if (click := self._click_just_now()) is not None:
            self._add(replace(click, kind="download", replaces_last=True))

    def tab_opened(self, _page: Page) -> None:
        """The last click caused a new tab."""
        if (click := self._click_just_now()) is not None:
            self._add(replace(click, opens_tab=True, replaces_last=True))

    async def end(self) -> None:
        """Record what was typed last."""
        if self._pause is not None:
            self._pause.cancel()
        await asyncio.gather(*self._tasks)
        await self._bounded(self._leave_field)

    async def _mouse_down(self, event: MouseInput) -> None:
        self._drag = None
        found = await element_at(self._current(), event.x, event.y)
        if found is None:
            return
        frame, element = found
        facts = await facts_of(element)
        if self._field is not None and await self._field.contains(element):
            self._field.value_if_gone = facts.after_press
            return
        await self._leave_field()
        kind = _press_kind(event)
        if facts.is_field:
            field = await self._enter_field(frame, element, facts)
            field.value_if_gone = facts.after_press
        elif facts.kind == "other":
            await self._record_press(frame, element, kind)
            self._drag = Drag(frame, element, event.x, event.y) if kind == "click" else None

    async def _record_press(self, frame: Frame, element: ElementHandle, kind: ActKind) -> None:
        """Record a press of the mouse; the second one of a double click replaces the first."""
        if kind == "double click" and (click := self._click_just_now()) is not None:
            self._add(replace(click, kind=kind, replaces_last=True))
            return
        locator, name = await locate(self._current(), frame, element)
        self._add(RecordedAct(kind=kind, locator=locator, name=name))

    async def _record_drag(self) -> None:
        """A press that was released elsewhere was a drag and not a click."""
        drag, self._drag = self._drag, None
        if drag is None or not drag.has_moved or (click := self._click_just_now()) is None:
            return
        if not await drag.selects_text():
            act = replace(click, kind="drag", moved_by=drag.moved_by, to_locator=drag.to_locator)
            self._add(replace(act, replaces_last=True))

    def _click_just_now(self) -> RecordedAct | None:
        """The last act, if it was a click recent enough to be the cause of what happens now."""
        is_soon = asyncio.get_running_loop().time() - self._last_at < _FOLLOWS_SECONDS
        return self._last if self._last is not None and self._last.kind == "click" and is_soon else None

    async def _type(self, text: str) -> None:
        """A key goes to the focused element, whoever put the focus there; `text` is what it types."""
        await self._follow_focus()
        if self._field is not None and text:
            await self._field.expect(text)

    async def _press_down(self, key: str) -> None:
        """Enter and the space bar press what has the focus; in a text, Enter submits it."""
        found = await self._follow_focus()
        if found is None:
            return
        if self._field is not None and self._field.is_text:
            if key == " ":
                await self._field.expect(key)
            elif not await self._record_active_option(*found):
                await self._record_field(presses_enter=True)
                self._field.pressed_enter = True
            return
        facts = await facts_of(found[1])
        if self._field is not None:
            is_pressed = key == " " or self._field.kind == "select"  # Enter does not check anything
            self._field.value_if_gone = facts.after_press if is_pressed else ""
        elif not await self._record_active_option(*found) and facts.is_pressed_by(key):
            await self._record_press(*found, "click")

    async def _record_active_option(self, frame: Frame, element: ElementHandle) -> bool:
        """Record the option that the arrow keys have gone to while the focus stayed where it is."""
        option = (await element.evaluate_handle(_ACTIVE_OPTION)).as_element()
        if option is not None:
            await self._leave_field()
            await self._record_press(frame, option, "click")
        return option is not None

    async def _enter_released(self) -> None:
        """Enter has submitted the field, or begun a new line in it."""
        field = self._field
        if field is None or not field.is_text:
            await self._record_choice()
        elif field.pressed_enter:
            field.pressed_enter, self._field = False, None
            if (await facts_of(field.element)).value.count("\n") > field.value.count("\n"):
                self._field = field
                await self._record_field()

    async def _follow_focus(self, *, is_arrow: bool = False) -> tuple[Frame, ElementHandle] | None:
        """Enter the field that has the focus; the focused element, if there is one."""
        found = await focused_element(self._current())
        left = self._field
        if found is not None and left is not None and await left.contains(found[1]):
            return found
        await self._leave_field()
        if found is None or not (facts := await facts_of(found[1])).is_field:
            return found
        field = await self._enter_field(*found, facts)
        if is_arrow and left is not None and left.kind == field.kind == "radio":
            # the arrow has checked it as well
            field.value, field.is_recorded = "false", left.is_recorded
        return found

    async def _enter_field(self, frame: Frame, element: ElementHandle, facts: ElementFacts) -> RecordedField:
        # first, so that a page that is slow to name it costs at most its name
        self._field = field = RecordedField(element, facts.kind, facts.value)
        field.locator, field.name = await locate(self._current(), frame, element)
        return field

    async def _leave_field(self) -> None:
        with suppress(PlaywrightError):  # its page is gone
            await self._record_field()
        self._field = None

    async def _record_choice(self) -> None:
        """A choice or a check shows at once."""
        if self._field is not None and not self._field.is_text:
            await self._record_field()

    async def _record_field(self, *, presses_enter: bool = False) -> None:
        """Record the field's value if it has changed; of a secret only that something was typed."""
        if self._field is not None and not self._field.pressed_enter:
            act = await self._field.act(presses_enter=presses_enter)
            if act is not None:
                self._add(act)

    def _record_soon(self) -> None:
        """Record the field once the person stops typing."""
        if self._pause is not None:
            self._pause.cancel()
        self._pause = asyncio.get_running_loop().call_later(
            _PAUSE_SECONDS, lambda: self._spawn(self._record_field)
        )

    async def _record_upload(self, element: ElementHandle) -> None:
        frame = await element.owner_frame()
        if frame is None:
            return
        locator, name = await locate(self._current(), frame, element)
        follows_click = self._click_just_now() is not None
        self._add(RecordedAct(kind="upload", locator=locator, name=name, replaces_last=follows_click))

    def _record_address(self) -> None:
        url = self._current().url
        if url.startswith(("http://", "https://")):
            self._add(RecordedAct(kind="open", value=url))

    def _add(self, act: RecordedAct) -> None:
        is_credential = act.kind in ("fill username", "fill secret")
        is_submit = act.kind == "click" and self._last is not None and self._last.kind == "fill secret"
        act = replace(act, signs_in=act.signs_in or is_credential or is_submit)
        self._last, self._last_at = act, asyncio.get_running_loop().time()
        self._on_act(act)

    async def _bounded(
        self, look: Callable[_P, Awaitable[object]], *given: _P.args, **named: _P.kwargs
    ) -> None:
        """A page that hangs or is gone costs the person an act in the record, not their input."""
        with suppress(PlaywrightError, PagehandError, TimeoutError):
            async with self._looking, asyncio.timeout(_SECONDS):
                for _ in range(_LOOKS - 1):
                    with suppress(PlaywrightError):  # the page was replaced meanwhile: look at the new one
                        await look(*given, **named)
                        return
                await look(*given, **named)

    def _spawn(self, look: Callable[_P, Awaitable[object]], *given: _P.args, **named: _P.kwargs) -> None:
        spawn(self._tasks, self._bounded(look, *given, **named))


def _press_kind(event: MouseInput) -> ActKind:
    """What a press is; a third one in a row is a click again."""
    if event.button == "right":
        return "right click"
    return "double click" if event.clicks == 2 else "click"  # noqa: PLR2004 - a double click

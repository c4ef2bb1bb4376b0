"""Turns what a person does on the live page into acts, by looking just before and just after each input.

Nothing is installed in the page: the person's input passes through us anyway.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from msgspec import Struct, convert
from playwright.async_api import Download, ElementHandle, FileChooser, Frame, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.live_view.recorded_drag import Drag
from pagehand.browser.picking import best_locator, element_at, focused_element, name_of_element
from pagehand.browser_session import InputEvent, KeyInput, MouseInput
from pagehand.errors import PagehandError
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.workflow.locator import Locator
from pagehand.workflow.recorded import ActKind, RecordedAct

_ELEMENT_FACTS: Final = on_dom(load_script(__file__, "recorded_element"))
_SECONDS: Final = 3.0
_PAUSE_SECONDS: Final = 0.4
"""How long somebody must stop typing for the field's value to be recorded."""
_FOLLOWS_SECONDS: Final = 5.0
"""A download or tab that begins this soon was caused by the last click."""
_FIELD_ACTS: Final[dict[str, ActKind]] = {
    "text": "fill",
    "secret": "fill secret",
    "username": "fill username",
    "select": "choose",
    "checkbox": "check",
    "radio": "check",
}


@dataclass(slots=True)
class _Field:
    """The field the person is at."""

    element: ElementHandle
    kind: str
    value: str
    locator: Locator | None
    name: str
    is_recorded: bool = False


class _ElementFacts(Struct):
    """What `recorded_element.js` knows of an element; of a secret field only that it is one."""

    kind: str
    value: str = ""


class Recorder:
    """Reports acts; whatever the page does, the input itself is never delayed for long."""

    def __init__(self, current: Callable[[], Page], on_act: Callable[[RecordedAct], None]) -> None:
        """`current` gives the tab that is driven."""
        self._current = current
        self._on_act = on_act
        self._field: _Field | None = None
        self._last: RecordedAct | None = None
        self._last_at = 0.0
        self._pause: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._has_typed = False
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
                await self._bounded(self._mouse_down(event))
            case MouseInput(kind="up") if self._drag is not None:
                await self._bounded(self._drag.release(self._current(), event.x, event.y))
            case KeyInput(kind="down", key="Enter"):
                await self._bounded(self._enter_down())
            case _:
                pass

    async def after(self, event: InputEvent) -> None:
        """An input has reached the page."""
        match event:
            case MouseInput(kind="up"):
                await self._bounded(self._record_drag())
                await self._bounded(self._record_choice())
            case KeyInput(kind="up", key="Tab"):
                await self._bounded(self._tab_pressed())
            case KeyInput(kind="down", text=""):
                pass
            case MouseInput():
                pass
            case _:
                self._record_soon()

    def chooser_opened(self, chooser: FileChooser) -> None:
        """The page asks for a file, perhaps because of the last click."""
        self._spawn(self._record_upload(chooser.element))

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
        await self._bounded(self._leave_field())
        for task in set(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _mouse_down(self, event: MouseInput) -> None:
        self._drag = None
        found = await element_at(self._current(), event.x, event.y)
        if found is None:
            return
        frame, element = found
        if self._field is not None and await _is_same(self._field.element, element):
            return
        await self._leave_field()
        facts = await _facts_of(element)
        kind = _press_kind(event)
        if facts.kind in _FIELD_ACTS:
            await self._enter_field(frame, element, facts)
        elif facts.kind == "other":
            await self._record_press(frame, element, kind)
            self._drag = Drag(frame, element, event.x, event.y) if kind == "click" else None

    async def _record_press(self, frame: Frame, element: ElementHandle, kind: ActKind) -> None:
        """Record a press of the mouse; the second one of a double click replaces the first."""
        if kind == "double click" and (click := self._click_just_now()) is not None:
            self._add(replace(click, kind=kind, replaces_last=True))
            return
        locator = await best_locator(self._current(), frame, element)
        self._add(RecordedAct(kind=kind, locator=locator, name=await name_of_element(element)))

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

    async def _enter_down(self) -> None:
        """Enter submits a field's form; elsewhere it presses the focused control."""
        if self._field is not None and self._field.kind in ("text", "secret", "username"):
            await self._record_field(presses_enter=True)
            self._field = None
            return
        found = await focused_element(self._current())
        if found is not None and (await _facts_of(found[1])).kind == "other":
            await self._record_press(*found, "click")

    async def _tab_pressed(self) -> None:
        """The Tab key moved the focus."""
        await self._leave_field()
        found = await focused_element(self._current())
        if found is not None:
            facts = await _facts_of(found[1])
            if facts.kind in _FIELD_ACTS:
                await self._enter_field(*found, facts)

    async def _enter_field(self, frame: Frame, element: ElementHandle, facts: _ElementFacts) -> None:
        locator = await best_locator(self._current(), frame, element)
        name = await name_of_element(element)
        self._field = _Field(element, facts.kind, facts.value, locator, name)

    async def _leave_field(self) -> None:
        await self._record_field()
        self._field = None

    async def _record_choice(self) -> None:
        """A choice or a check shows at once."""
        if self._field is not None and self._field.kind in ("select", "checkbox", "radio"):
            await self._record_field()

    async def _record_field(self, *, presses_enter: bool = False) -> None:
        """Record the field's value if it has changed; of a secret only that something was typed."""
        field = self._field
        if field is None:
            return
        facts = await _facts_of(field.element)
        is_secret = "secret" in (field.kind, facts.kind)
        kind = "secret" if is_secret else field.kind
        value = "" if is_secret else facts.value
        is_typed_secret = is_secret and not field.is_recorded and self._has_typed
        if value == field.value and not is_typed_secret and not (presses_enter and field.is_recorded):
            return
        act = RecordedAct(
            kind=_FIELD_ACTS[kind],
            locator=field.locator,
            name=field.name,
            value=value,
            presses_enter=presses_enter,
            replaces_last=field.is_recorded and kind not in ("checkbox", "radio"),
        )
        field.value, field.is_recorded, self._has_typed = value, True, False
        self._add(act)

    def _record_soon(self) -> None:
        """Record the field once the person stops typing."""
        self._has_typed = True
        if self._pause is not None:
            self._pause.cancel()
        self._pause = asyncio.get_running_loop().call_later(
            _PAUSE_SECONDS, lambda: self._spawn(self._record_field())
        )

    async def _record_upload(self, element: ElementHandle) -> None:
        frame = await element.owner_frame()
        if frame is None:
            return
        locator = await best_locator(self._current(), frame, element)
        follows_click = self._click_just_now() is not None
        name = await name_of_element(element)
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

    async def _bounded(self, work: Coroutine[None, None, None]) -> None:
        """A page that is busy or gone costs the person an act in the record, not their input."""
        with suppress(PlaywrightError, PagehandError, TimeoutError):
            async with asyncio.timeout(_SECONDS):
                await work

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(self._bounded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _press_kind(event: MouseInput) -> ActKind:
    """What a press is; a third one in a row is a click again."""
    if event.button == "right":
        return "right click"
    return "double click" if event.clicks == 2 else "click"  # noqa: PLR2004 - a double click


async def _is_same(one: ElementHandle, other: ElementHandle) -> bool:
    with suppress(PlaywrightError):  # of another document
        return bool(await one.evaluate("(one, other) => one === other", other))
    return False


async def _facts_of(element: ElementHandle) -> _ElementFacts:
    return convert(await element.evaluate(_ELEMENT_FACTS), _ElementFacts)

"""What a person does on the live page becomes acts: seen just before and just after each input of theirs.

Nothing is put into the page and nothing listens there: the person's input passes through us anyway.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from msgspec import Struct, convert
from playwright.async_api import Download, ElementHandle, FileChooser, Frame, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.live_view.recorded_drag import Grip
from pagehand.browser.picking import best_locator, element_at, focused_element, name_of_element
from pagehand.errors import PagehandError
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.workflow.locator import Locator
from pagehand.workflow.recorded import ActKind, RecordedAct

_SECONDS: Final = 3.0
_PAUSE_SECONDS: Final = 0.4
"""How long somebody must stop typing for what stands in the field to be noted."""
_FOLLOWS_SECONDS: Final = 5.0
"""A download that begins this soon was begun by the last click."""
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
    """A field the person is at."""

    element: ElementHandle
    kind: str
    value: str
    locator: Locator | None
    name: str
    is_noted: bool = False


class _Pointed(Struct):
    """What `recorded.js` knows of an element; of a secret field only that it is one."""

    kind: str
    value: str = ""


class Recorder:
    """Turns input into acts; whatever the page does, the input itself is never held back for long."""

    def __init__(self, current: Callable[[], Page], on_act: Callable[[RecordedAct], None]) -> None:
        """`current` gives the tab that is driven."""
        self._current = current
        self._on_act = on_act
        self._field: _Field | None = None
        self._last: RecordedAct | None = None
        self._last_at = 0.0
        self._pause: asyncio.TimerHandle | None = None
        self._noting: set[asyncio.Task[None]] = set()
        self._has_typed = False
        self._grip: Grip | None = None

    async def begin(self, *, with_address: bool) -> None:
        """Record from here on; with the address of the page it begins on, where that is wanted."""
        if with_address:
            self._note_address()

    def moved(self) -> None:
        """The person went back or loaded the page anew: opening its address does the same."""
        self._field = None
        self._note_address()

    def _note_address(self) -> None:
        url = self._current().url
        if url.startswith(("http://", "https://")):
            self._add(RecordedAct(kind="open", value=url))

    async def before(self, event: dict[str, Any]) -> None:
        """An input is about to reach the page."""
        if event["type"] == "mousePressed" and event.get("button") in ("left", "right"):
            await self._bounded(self._pressing(event["x"], event["y"], _press_kind(event)))
        elif event["type"] == "mouseReleased" and self._grip is not None:
            await self._bounded(self._grip.release(self._current(), event["x"], event["y"]))
        elif event["type"] in ("keyDown", "rawKeyDown") and event["key"] == "Enter":
            await self._bounded(self._entering())

    async def after(self, event: dict[str, Any]) -> None:
        """An input has reached the page."""
        if event["type"] == "mouseReleased":
            await self._bounded(self._note_drag())
            await self._bounded(self._note_choice())
        elif event["type"] == "keyUp" and event["key"] == "Tab":
            await self._bounded(self._moved_on())
        elif event["type"] == "keyUp" or "text" in event:
            self._note_soon()

    def chooser_opened(self, chooser: FileChooser) -> None:
        """The page asks for a file, perhaps because of the last click."""
        self._do(self._uploading(chooser.element))

    def download_began(self, _download: Download) -> None:
        """What the last click brought about was a download."""
        if (click := self._click_just_now()) is not None:
            self._add(replace(click, kind="download", replaces_last=True))

    def tab_opened(self, _page: Page) -> None:
        """What the last click brought about was a new tab."""
        if (click := self._click_just_now()) is not None:
            self._add(replace(click, opens_tab=True, replaces_last=True))

    async def end(self) -> None:
        """Note what was typed last."""
        if self._pause is not None:
            self._pause.cancel()
        await self._bounded(self._leave_field())
        for task in set(self._noting):
            task.cancel()
        await asyncio.gather(*self._noting, return_exceptions=True)

    async def _pressing(self, x: float, y: float, kind: ActKind) -> None:
        self._grip = None
        found = await element_at(self._current(), x, y)
        if found is None:
            return
        frame, element = found
        if self._field is not None and await _is_same(self._field.element, element):
            return
        await self._leave_field()
        facts = await _look(element)
        if facts.kind in _FIELD_ACTS:
            await self._enter_field(frame, element, facts)
        elif facts.kind == "other":
            await self._press(frame, element, kind)
            self._grip = Grip(frame, element, x, y) if kind == "click" else None

    async def _press(self, frame: Frame, element: ElementHandle, kind: ActKind) -> None:
        """Note a press of the mouse; the second one of a double click takes the place of the first."""
        if kind == "double click" and (click := self._click_just_now()) is not None:
            self._add(replace(click, kind=kind, replaces_last=True))
            return
        locator = await best_locator(self._current(), frame, element)
        self._add(RecordedAct(kind=kind, locator=locator, name=await name_of_element(element)))

    async def _note_drag(self) -> None:
        """What was pressed, moved and let go elsewhere was no click."""
        grip, self._grip = self._grip, None
        if grip is None or not grip.has_moved or (click := self._click_just_now()) is None:
            return
        if not await grip.selects_text():
            act = replace(click, kind="drag", moved_by=grip.moved_by, to_locator=grip.to_locator)
            self._add(replace(act, replaces_last=True))

    def _click_just_now(self) -> RecordedAct | None:
        """The act before, where it was a click whose effect is what happens now."""
        is_soon = asyncio.get_running_loop().time() - self._last_at < _FOLLOWS_SECONDS
        return self._last if self._last is not None and self._last.kind == "click" and is_soon else None

    async def _entering(self) -> None:
        """Enter sends what stands in a field; elsewhere it presses what has the focus."""
        if self._field is not None and self._field.kind in ("text", "secret", "username"):
            await self._note_field(presses_enter=True)
            self._field = None
            return
        found = await focused_element(self._current())
        if found is not None and (await _look(found[1])).kind == "other":
            await self._press(*found, "click")

    async def _moved_on(self) -> None:
        """The Tab key led somewhere."""
        await self._leave_field()
        found = await focused_element(self._current())
        if found is not None:
            facts = await _look(found[1])
            if facts.kind in _FIELD_ACTS:
                await self._enter_field(*found, facts)

    async def _enter_field(self, frame: Frame, element: ElementHandle, facts: _Pointed) -> None:
        locator = await best_locator(self._current(), frame, element)
        name = await name_of_element(element)
        self._field = _Field(element, facts.kind, facts.value, locator, name)

    async def _leave_field(self) -> None:
        await self._note_field()
        self._field = None

    async def _note_choice(self) -> None:
        """What is chosen or checked shows at once."""
        if self._field is not None and self._field.kind in ("select", "checkbox", "radio"):
            await self._note_field()

    async def _note_field(self, *, presses_enter: bool = False) -> None:
        """Say what stands in the field, if that has changed; of a secret only that something was typed."""
        field = self._field
        if field is None:
            return
        facts = await _look(field.element)
        is_secret = "secret" in (field.kind, facts.kind)
        kind = "secret" if is_secret else field.kind
        value = "" if is_secret else facts.value
        is_typed_secret = is_secret and not field.is_noted and self._has_typed
        if value == field.value and not is_typed_secret and not (presses_enter and field.is_noted):
            return
        act = RecordedAct(
            kind=_FIELD_ACTS[kind],
            locator=field.locator,
            name=field.name,
            value=value,
            presses_enter=presses_enter,
            replaces_last=field.is_noted and kind not in ("checkbox", "radio"),
        )
        field.value, field.is_noted, self._has_typed = value, True, False
        self._add(act)

    def _note_soon(self) -> None:
        self._has_typed = True
        if self._pause is not None:
            self._pause.cancel()
        self._pause = asyncio.get_running_loop().call_later(
            _PAUSE_SECONDS, lambda: self._do(self._note_field())
        )

    async def _uploading(self, element: ElementHandle) -> None:
        frame = await element.owner_frame()
        if frame is None:
            return
        locator = await best_locator(self._current(), frame, element)
        follows_click = self._click_just_now() is not None
        name = await name_of_element(element)
        self._add(RecordedAct(kind="upload", locator=locator, name=name, replaces_last=follows_click))

    def _add(self, act: RecordedAct) -> None:
        self._last, self._last_at = act, asyncio.get_running_loop().time()
        self._on_act(act)

    async def _bounded(self, work: Any) -> None:
        """A page that is busy or gone costs the person an act in the record, not their input."""
        with suppress(PlaywrightError, PagehandError, TimeoutError):
            async with asyncio.timeout(_SECONDS):
                await work

    def _do(self, work: Any) -> None:
        task = asyncio.ensure_future(self._bounded(work))
        self._noting.add(task)
        task.add_done_callback(self._noting.discard)


def _press_kind(event: dict[str, Any]) -> ActKind:
    """What a press is; a third one in a row is a click again."""
    if event["button"] == "right":
        return "right click"
    return "double click" if event["clickCount"] == 2 else "click"  # noqa: PLR2004 - a double click


async def _is_same(one: ElementHandle, other: ElementHandle) -> bool:
    with suppress(PlaywrightError):  # of another document
        return bool(await one.evaluate("(one, other) => one === other", other))
    return False


async def _look(element: ElementHandle) -> _Pointed:
    return convert(await element.evaluate(_script()), _Pointed)


@cache
def _script() -> str:
    return on_dom(load_script(__file__, "recorded"))

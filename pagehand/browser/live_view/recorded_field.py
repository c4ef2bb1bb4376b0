"""The field that a person is at while they are recorded, and the element that they drag."""

from dataclasses import dataclass
from typing import Final

from msgspec import Struct, convert
from playwright.async_api import ElementHandle, Frame, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.picking import element_at, locate
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.workflow.locator import Locator
from pagehand.workflow.recorded import ActKind, RecordedAct

_ELEMENT_FACTS: Final = on_dom(load_script(__file__, "recorded_element"))
# an opened list has its options focused and clicked, not itself
_IS_SAME: Final = "(one, other) => one === other || (one.tagName === 'SELECT' && one.contains(other))"
_ACTS: Final[dict[str, ActKind]] = {
    "text": "fill",
    "secret": "fill secret",
    "username": "fill username",
    "select": "choose",
    "checkbox": "check",
    "radio": "check",
}
_SHORTEST: Final = 8
"""Pixels; a hand that trembles moves less."""
_DROP_TARGET: Final = load_script(__file__, "drop_target")
_HAS_SELECTION: Final = "() => (getSelection()?.toString() ?? '').trim() !== ''"


class ElementFacts(Struct, rename="camel"):
    """What `recorded_element.js` knows of an element; of a secret field only that it is one."""

    kind: str
    value: str = ""
    after_press: str = ""
    """The value that a click or a key gives a list, a checkbox or a radio button."""
    takes_space: bool = False

    def is_pressed_by(self, key: str) -> bool:
        """True when the key does what a click would do."""
        return self.kind == "other" and (key == "Enter" or self.takes_space)

    @property
    def is_field(self) -> bool:
        """It has a value that a person enters."""
        return self.kind in _ACTS


async def facts_of(element: ElementHandle, key: str = "") -> ElementFacts:
    """What the recorder may know of an element to which a key is about to go."""
    return convert(await element.evaluate(_ELEMENT_FACTS, key), ElementFacts)


async def value_at(page: Page, x: float, y: float) -> str | None:
    """What the field at a point of the window holds; None where there is no field, or a secret one."""
    found = await element_at(page, x, y)
    facts = None if found is None else await facts_of(found[1])
    return None if facts is None or not facts.is_field or facts.kind == "secret" else facts.value


@dataclass(slots=True)
class RecordedField:
    """A field, with the value it had when the last act of it was recorded."""

    element: ElementHandle
    kind: str
    value: str
    locator: Locator | None = None
    name: str = ""
    is_recorded: bool = False
    has_typed: bool = False
    pressed_enter: bool = False
    value_if_gone: str = ""
    """What it held, or was about to hold, when its page went away."""

    @property
    def is_text(self) -> bool:
        """It is typed into, so that Enter submits it."""
        return self.kind in ("text", "secret", "username")

    async def contains(self, element: ElementHandle) -> bool:
        """True when the element is this field or an option of it."""
        try:
            return bool(await self.element.evaluate(_IS_SAME, element))
        except PlaywrightError:  # they are of different documents
            return False

    async def act(self, *, presses_enter: bool = False) -> RecordedAct | None:
        """The act that gives it its present value; None when that has not changed."""
        facts = await self._facts()
        is_secret = "secret" in (self.kind, facts.kind)
        kind = "secret" if is_secret else self.kind
        value = "" if is_secret else facts.value
        is_changed = self.has_typed if is_secret else value != self.value
        is_unchecked = kind == "radio" and value == "false"  # because another one is checked
        if (not is_changed and not presses_enter) or is_unchecked:
            return None
        act = RecordedAct(
            kind=_ACTS[kind],
            locator=self.locator,
            name=self.name,
            value=value,
            presses_enter=presses_enter,
            replaces_last=self.is_recorded and kind != "checkbox",
        )
        self.value, self.is_recorded, self.has_typed, self.value_if_gone = value, True, False, ""
        return act

    async def expect(self, text: str) -> None:
        """Text is about to be typed; with the last digit of a code, say, the page may go at once."""
        facts = await facts_of(self.element, text)
        self.has_typed = True
        if self.is_text and facts.kind != "secret":
            self.value_if_gone = facts.value + text
        else:
            self.value_if_gone = facts.after_press

    async def _facts(self) -> ElementFacts:
        try:
            return await facts_of(self.element)
        except PlaywrightError:
            if not self.value_if_gone:
                raise
            return ElementFacts(self.kind, self.value_if_gone)


class Drag:
    """One element from the press of the mouse to its release."""

    def __init__(self, frame: Frame, element: ElementHandle, x: float, y: float) -> None:
        """`x` and `y` say where in the window it was pressed."""
        self._frame = frame
        self._element = element
        self._from = (x, y)
        self.moved_by = (0, 0)
        self.to_locator: Locator | None = None

    @property
    def has_moved(self) -> bool:
        """True once the mouse was released far enough from where it was pressed."""
        return max(abs(distance) for distance in self.moved_by) >= _SHORTEST

    async def release(self, page: Page, x: float, y: float) -> None:
        """Just before the mouse is released there: look what lies below while the element is still held."""
        self.moved_by = (round(x - self._from[0]), round(y - self._from[1]))
        if self.has_moved and (target := await self._drop_target(page, x, y)) is not None:
            self.to_locator, _ = await locate(page, self._frame, target)

    async def selects_text(self) -> bool:
        """True when moving the mouse selected text instead of dragging the element."""
        return bool(await self._frame.evaluate(_HAS_SELECTION))

    async def _drop_target(self, page: Page, x: float, y: float) -> ElementHandle | None:
        """The element it is dropped on; None where that contains it already, or is only the page."""
        pointed = await element_at(page, x, y)
        if pointed is None or pointed[0] != self._frame:
            return None
        left, top = await self._frame_offset()
        return (await self._element.evaluate_handle(_DROP_TARGET, {"x": x - left, "y": y - top})).as_element()

    async def _frame_offset(self) -> tuple[float, float]:
        """Where the frame begins in the window of the page."""
        inside = await self._element.evaluate("(element) => element.getBoundingClientRect().toJSON()")
        outside = await self._element.bounding_box()
        return (outside["x"] - inside["x"], outside["y"] - inside["y"]) if outside else (0, 0)

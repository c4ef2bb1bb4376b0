"""What was pressed with the mouse and let go elsewhere: how far it was moved, and what it was dropped on."""

from typing import Final

from playwright.async_api import ElementHandle, Frame, Page

from pagehand.browser.picking import best_locator, element_at
from pagehand.javascript import load_script
from pagehand.workflow.locator import Locator

_SHORTEST: Final = 8
"""Pixels; a hand that trembles moves less."""
_DROP_TARGET: Final = load_script(__file__, "drop_target")
_SELECTED: Final = "() => (getSelection()?.toString() ?? '').trim() !== ''"


class Grip:
    """One element from the press to the release."""

    def __init__(self, frame: Frame, element: ElementHandle, x: float, y: float) -> None:
        """`x` and `y` say where in the window it was pressed."""
        self._frame = frame
        self._element = element
        self._from = (x, y)
        self.moved_by = (0, 0)
        self.to_locator: Locator | None = None

    @property
    def has_moved(self) -> bool:
        """True once it was let go far enough from where it was pressed."""
        return max(abs(way) for way in self.moved_by) >= _SHORTEST

    async def release(self, page: Page, x: float, y: float) -> None:
        """It is about to be let go there: look what lies below while it is still held."""
        self.moved_by = (round(x - self._from[0]), round(y - self._from[1]))
        if self.has_moved and (found := await self._below(page, x, y)) is not None:
            self.to_locator = await best_locator(page, *found)

    async def selects_text(self) -> bool:
        """Whether moving the mouse marked text instead of dragging anything."""
        return bool(await self._frame.evaluate(_SELECTED))

    async def _below(self, page: Page, x: float, y: float) -> tuple[Frame, ElementHandle] | None:
        """The element it is dropped on; None where that is what already held it, or only the page."""
        pointed = await element_at(page, x, y)
        if pointed is None or pointed[0] != self._frame:
            return None
        shift = await self._shift()
        place = {"x": x - shift[0], "y": y - shift[1]}
        target = (await self._element.evaluate_handle(_DROP_TARGET, place)).as_element()
        return None if target is None else (self._frame, target)

    async def _shift(self) -> tuple[float, float]:
        """Where the frame's own window begins in the page's window."""
        inside = await self._element.evaluate("(one) => one.getBoundingClientRect().toJSON()")
        outside = await self._element.bounding_box()
        return (outside["x"] - inside["x"], outside["y"] - inside["y"]) if outside else (0, 0)

"""An element that a person drags: how far it is moved, and what it is dropped on."""

from typing import Final

from playwright.async_api import ElementHandle, Frame, Page

from pagehand.browser.picking import best_locator, element_at
from pagehand.javascript import load_script
from pagehand.workflow.locator import Locator

_SHORTEST: Final = 8
"""Pixels; a hand that trembles moves less."""
_DROP_TARGET: Final = load_script(__file__, "drop_target")
_HAS_SELECTION: Final = "() => (getSelection()?.toString() ?? '').trim() !== ''"


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
            self.to_locator = await best_locator(page, self._frame, target)

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

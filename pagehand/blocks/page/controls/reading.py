"""Reading named fields off a page: as few looks at the page as possible."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import JSHandle
from playwright.async_api import Locator as Element

from pagehand.blocks.page.controls.acting import evaluate_on, time_left_ms
from pagehand.blocks.run_context import RunContext
from pagehand.errors import LimitReached
from pagehand.javascript import load_script, member
from pagehand.page.dom import give_back, on_dom
from pagehand.records import Json
from pagehand.workflow.locator import Locator
from pagehand.workflow.wire import Text, WireModel

_SLICE: Final = 500_000
_MOST_SLICES: Final = 400


class FieldToRead(WireModel):
    """Where a field's value stands."""

    locator: Locator | None = None
    """The element, looked up inside the block's own; without one the block's element itself."""
    attribute: Text | None = None
    """An attribute instead of the text: any of HTML's, or `value`, `checked`, `href`, `src`, `html`."""
    many: bool = False
    """All matches as an array, instead of the first."""
    required: bool = False
    """Fail when it is not on the page; otherwise it is null then."""


_SCRIPT = on_dom(load_script(__file__, "reading"))
_READ_ONE = member(_SCRIPT, "read")
_READ_ALL = member(_SCRIPT, "readAll")


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the same fields from one place or many."""

    ctx: RunContext
    fields: Mapping[str, FieldToRead]

    async def page(self) -> Json:
        """The fields of the whole page, frames included."""
        if self._is_plain:
            rows = await self._plain_rows(None, None)
            is_whole = len(self.ctx.page.page.frames) == 1
            if rows is not None and (is_whole or not any(row in (None, []) for row in rows[0].values())):
                return rows[0]
        return await self._found_row(None)

    async def element(self, scope: Element) -> Json:
        """The fields inside one element."""
        if self._is_plain:
            rows = await self._plain_rows(scope, None)
            if rows is not None:
                return rows[0]
        return await self._found_row(scope)

    async def each(self, locator: Locator) -> list[Json]:
        """The fields of every match of a locator, in the order of the page."""
        css = _plain_css(locator)
        if css is not None and self._is_plain:
            rows = await self._plain_rows(None, css)
            if rows:
                return rows
        return [await self.element(element) for element in await self.ctx.page.find_all(locator)]

    @property
    def _is_plain(self) -> bool:
        """True when CSS alone says where everything is, so that one look does."""
        return all(field.locator is None or _plain_css(field.locator) for field in self.fields.values())

    async def _plain_rows(self, scope: Element | None, item: str | None) -> list[Json] | None:
        plan = {"each": item, "fields": [_planned(name, field) for name, field in self.fields.items()]}
        try:
            if scope is not None:
                reading = scope.evaluate_handle(_READ_ALL, plan, timeout=time_left_ms(self.ctx))
            else:
                main = self.ctx.page.page.main_frame
                reading = main.evaluate_handle(f"plan => ({_READ_ALL})(null, plan)", plan)
            answer = await read_long_text(await reading)
        except PlaywrightError as error:
            if "is not a valid selector" not in error.message:
                raise
            return None  # the finder understands more, or says what is wrong
        return None if answer == "null" else await asyncio.to_thread(_rows_of, answer)

    async def _found_row(self, scope: Element | None) -> Json:
        return {name: await self._found_field(field, scope) for name, field in self.fields.items()}

    async def _found_field(self, field: FieldToRead, scope: Element | None) -> Any:
        if field.locator is None:
            elements = [scope or self.ctx.page.page.locator("html")]
        else:
            elements = await self.ctx.page.find_all(field.locator, within=scope, only_one=not field.many)
        if field.many:
            return [await evaluate_on(element, _READ_ONE, field.attribute) for element in elements]
        return await evaluate_on(elements[0], _READ_ONE, field.attribute) if elements else None


def _rows_of(answer: str) -> list[Json]:
    """The rows of a script's answer, line by line: in between, others get their turn."""
    return [row for line in answer.split("\n") if line for row in orjson.loads(line)]


def _plain_css(locator: Locator) -> str | None:
    """The locator's CSS if it consists of nothing else that needs the finder."""
    if locator.css is None or locator.model_fields_set - {"css"}:
        return None
    return locator.css


def _planned(name: str, field: FieldToRead) -> Json:
    css = _plain_css(field.locator) if field.locator else None
    return {"name": name, "css": css, "attribute": field.attribute, "many": field.many}


async def read_long_text(handle: JSHandle) -> str:
    """The string that a script in the page has made; the handle is given up."""
    slices: list[str] = []
    try:
        while not slices or len(slices[-1]) == _SLICE:
            start = len(slices) * _SLICE
            part = await handle.evaluate("(text, at) => text.slice(at[0], at[1])", [start, start + _SLICE])
            # a page that has replaced `slice` could answer anything, and without end
            if not isinstance(part, str):
                raise TypeError(f"a slice of a text is {type(part).__name__}")
            if len(slices) == _MOST_SLICES:
                raise LimitReached(f"The page's text has more than {_MOST_SLICES * _SLICE:,} characters.")
            slices.append(part)
    finally:
        await give_back(handle)
    return "".join(slices)

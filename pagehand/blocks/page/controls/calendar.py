"""Calendars that pages draw: opening one, going to the month, choosing the day."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from msgspec import Struct, convert
from playwright.async_api import ElementHandle
from playwright.async_api import Locator as Element

from pagehand.blocks.dates import ParsedDate
from pagehand.blocks.page.controls.acting import evaluate_on, time_left_ms
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed, Diagnosis
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom_core

_OPENS_SECONDS: Final = 1.5
_TURNS_SECONDS: Final = 2.0
_YEAR: Final = 12

_SCRIPT: Final = on_dom_core(load_script(__file__, "calendar"))
_LOOK: Final = f"(el, wanted) => ({_SCRIPT})(el).look(wanted)"
_PART: Final = f"(el, [part, wanted]) => ({_SCRIPT})(el).part(part, wanted)"


class CalendarState(Struct, rename="camel", kw_only=True):
    """A calendar as `calendar.js` sees it; of its elements only which there are."""

    month: str
    """The one it shows, as 2026-01."""
    cell: bool | None
    """The wanted day."""
    off: bool
    on: bool
    """True when the day is chosen already."""
    next: bool | None
    previous: bool | None
    next_year: bool | None
    previous_year: bool | None
    month_select: bool | None
    month_place: int
    """Which option of the months is the wanted one; -1 when none is."""
    year_field: bool | None
    year_place: int
    year_index: int
    hour: bool | None
    half: bool | None
    """What changes between morning and afternoon."""
    confirm: bool | None


class Calendar:
    """The calendar of one field, as far as it shows the wanted day or leads to it."""

    def __init__(self, ctx: RunContext, field: Element, moment: ParsedDate) -> None:
        """Nothing is opened before `open`."""
        self._ctx = ctx
        self._field = field
        self._moment = moment
        self._wanted = moment.at.date().isoformat()

    async def look(self) -> CalendarState | None:
        """What it shows right now; None when no calendar is visible."""
        return convert(await evaluate_on(self._field, _LOOK, self._wanted), CalendarState | None)

    async def open(self) -> bool:
        """Open it by the field itself or the button beside it; False when nothing like a calendar comes."""
        if await self.look() is not None:
            return True
        # most calendars open when the field is clicked; only then is a button beside it tried
        await self._field.click(timeout=time_left_ms(self._ctx))
        if await self._comes(lambda seen: seen is not None, _OPENS_SECONDS) is not None:
            return True
        button = await self._part("opener")
        if button is None:
            return False
        await button.click(timeout=time_left_ms(self._ctx))
        return await self._comes(lambda seen: seen is not None, _OPENS_SECONDS) is not None

    async def choose(self) -> None:
        """Go to the month, click the day, and set the time where the calendar has a clock."""
        seen = await self._turn_to_month()
        if not seen.cell or seen.off:
            raise self._not_offered(seen.month, "that day cannot be chosen")
        if not seen.on:  # a second click would take the day back in some calendars
            await self._click("cell")
        if self._moment.has_time:
            await self._set_clock()

    async def confirm(self) -> bool:
        """Press OK or Apply where the calendar waits for it."""
        seen = await self.look()
        if seen is None or not seen.confirm:
            return False
        await self._click("confirm")
        return True

    async def _turn_to_month(self) -> CalendarState:
        year_was_set = False
        while True:
            seen = await self.look()
            if seen is None:
                raise BlockFailed("The calendar went away before the day could be chosen")
            before = seen.month
            if before == self._wanted[:7]:
                return seen
            distance = _months_between(before, self._wanted)
            if before[:4] != self._wanted[:4] and not year_was_set and _can_choose_year(seen):
                # a year is typed only once: a field that refuses it would be typed into for ever
                year_was_set = not seen.year_place >= 0
                await self._choose_year(seen)
            elif before[:4] == self._wanted[:4] and seen.month_select and seen.month_place >= 0:
                await self._select("monthSelect", seen.month_place)
            else:
                await self._turn_page(seen, distance)
            if (
                await self._comes(
                    lambda now, old=before: now is not None and now.month != old, _TURNS_SECONDS
                )
                is None
            ):
                raise self._not_offered(before, "it does not go further")

    async def _turn_page(self, seen: CalendarState, distance: int) -> None:
        way, by_month, by_year = (
            ("next", seen.next, seen.next_year)
            if distance > 0
            else ("previous", seen.previous, seen.previous_year)
        )
        if abs(distance) >= _YEAR and by_year:
            await self._click(f"{way}Year")
        elif by_month:
            await self._click(way)
        else:
            raise self._not_offered(seen.month, "there is no way to go further")

    async def _choose_year(self, seen: CalendarState) -> None:
        if seen.year_place >= 0:
            await self._select("yearField", seen.year_place)
            return
        field = await self._part("yearField")
        if field is not None:
            await field.fill(self._wanted[:4], timeout=time_left_ms(self._ctx))
            await field.press("End")  # such fields listen for keys, and this one changes nothing else

    async def _set_clock(self) -> None:
        seen = await self.look()
        if seen is None or not seen.hour:
            return
        at = self._moment.at
        # noon and midnight are both 12 on a clock with morning and afternoon
        hour = at.hour % 12 or 12 if seen.half else at.hour
        for part, number in (("hour", hour), ("minute", at.minute)):
            field = await self._part(part)
            if field is not None:
                await field.fill(f"{number:02d}", timeout=time_left_ms(self._ctx))
                # clocks take a number over when the field is left
                await field.press("Tab")
        half = await self._part("half") if seen.half else None
        if half is not None and (await half.inner_text()).strip().casefold() != f"{at:%p}".casefold():
            await half.click(timeout=time_left_ms(self._ctx))

    async def _click(self, part: str) -> None:
        element = await self._part(part)
        if element is None:
            raise BlockFailed("The calendar changed before it could be clicked")
        await element.click(timeout=time_left_ms(self._ctx))

    async def _select(self, part: str, place: int) -> None:
        element = await self._part(part)
        if element is not None:
            await element.select_option(index=place, timeout=time_left_ms(self._ctx))

    async def _part(self, name: str) -> ElementHandle | None:
        handle = await self._field.evaluate_handle(
            _PART, [name, self._wanted], timeout=time_left_ms(self._ctx)
        )
        return handle.as_element()

    async def _comes(
        self, fits: Callable[[CalendarState | None], bool], seconds: float
    ) -> CalendarState | None:
        """What is seen once it fits; calendars slide in and redraw themselves."""
        end = time.monotonic() + min(seconds, self._ctx.remaining_seconds)
        while True:
            seen = await self.look()
            if fits(seen):
                return seen
            if time.monotonic() > end:
                return None
            await asyncio.sleep(0.03)

    def _not_offered(self, month: str, why: str) -> BlockFailed:
        return BlockFailed(
            f"The calendar does not offer `{self._wanted}`: {why}",
            Diagnosis(
                expected=f"the day {self._wanted} in the calendar",
                found=f"the calendar at {month}, where {why}",
                advice="Choose a day within the range that the field allows.",
            ),
        )


def _months_between(month: str, wanted: str) -> int:
    return (int(wanted[:4]) - int(month[:4])) * _YEAR + int(wanted[5:7]) - int(month[5:7])


def _can_choose_year(seen: CalendarState) -> bool:
    if not seen.year_field:
        return False
    return seen.year_place < 0 or seen.year_place != seen.year_index

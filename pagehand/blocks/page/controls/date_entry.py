"""Putting a date into a field: native fields, text in the field's own style, and calendars."""

from datetime import UTC, datetime
from typing import Final

from msgspec import convert
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator as Element

from pagehand.blocks.dates import ACCEPTED, ParsedDate, parse_date
from pagehand.blocks.page.controls.acting import becomes_true, evaluate_on, time_left_ms
from pagehand.blocks.page.controls.calendar import Calendar
from pagehand.blocks.page.controls.date_format import (
    ISO,
    DateField,
    format_date,
    parse_formatted,
    shows_date,
    style_of_field,
    style_of_hint,
    style_of_sample,
)
from pagehand.blocks.page.controls.text_entry import enter_text
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed, Diagnosis
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom

_CLOSES_SECONDS: Final = 0.4
_NATIVE_STYLES: Final = {
    "date": ISO,
    "datetime-local": f"{ISO}THH:mm",
    "month": "YYYY-MM",
    "time": "HH:mm",
}
# calendars that never look at what is typed: the text would stand there, and the page would not know it
_DEAF_TO_TYPING: Final = ".air-datepicker.-active-"
_HINTS: Final = (
    "data-date-format",
    "data-format",
    "data-dateformat",
    "data-inputmask",
    "placeholder",
    "title",
)
_FACTS: Final = on_dom(load_script(__file__, "date_field"))
_SHOWN: Final = (
    "el => { const f = el.control ?? el; return f.matches('input, textarea') ? f.value : f.innerText }"
)
# what the fields beside a control say that only opens the calendar
_BESIDE: Final = load_script(__file__, "dates_beside")
_HAS_INLINE: Final = "el => !el.matches('input, textarea, button')"
_IS_IN_DIALOG: Final = "el => !!el.closest('dialog, [role=dialog], [role=alertdialog], [aria-modal=true]')"
_IS_THERE: Final = "(el, css) => !!document.querySelector(css)"


async def enter_date(
    ctx: RunContext, element: Element, text: str, name: str, style: str | None = None
) -> str:
    """Put the date that `text` means into the field; what the field shows then.

    `style` (`DD.MM.YYYY`) is how a text field wants it; without one the field is asked.
    """
    field, facts = await _field_of(element)
    asked = _own_tokens(style) or style_of_field(facts)
    moment = _moment(ctx, text, asked)
    if facts.type in (*_NATIVE_STYLES, "week"):
        return await _fill_native(ctx, field, moment or _refused(text, name), facts.type, name)
    if moment is None:
        return await _type_as_given(ctx, field, text, name, typeable=facts.typeable)
    # right already: whatever is typed could only disturb it
    if shows_date(facts.value, moment, asked) and facts.type:
        return facts.value
    return await _DateEntry(ctx, field, moment, name, facts, asked).run()


class _DateEntry:
    """One date on its way into one field that is not native."""

    def __init__(
        self,
        ctx: RunContext,
        field: Element,
        moment: ParsedDate,
        name: str,
        facts: DateField,
        style: str | None,
    ) -> None:
        self._ctx, self._field, self._moment, self._name = ctx, field, moment, name
        self._before, self._typeable, self._style = facts.value, facts.typeable, style
        self._calendar = Calendar(ctx, field, moment)

    async def run(self) -> str:
        """Type where the field says how it wants it; else, or if it is not kept, use the calendar."""
        failure: BlockFailed | None = None
        if self._typeable and self._style:
            failure = await self._type(self._style)
            if failure is None:
                return await self._shown()
        if await self._calendar.open():
            await self._calendar.choose()
            return await self._settled()
        # nothing tells the style and no calendar came: ISO can at least not be read as another day
        if failure is None and self._typeable:
            failure = await self._type(ISO)
        if failure is not None or not self._typeable:
            raise failure or _no_calendar(self._name)
        return await self._shown()

    async def _type(self, style: str) -> BlockFailed | None:
        """None when it was kept."""
        style = _with_clock(style, self._moment)
        try:
            await enter_text(self._ctx, self._field, format_date(self._moment, style), self._name)
        except BlockFailed as failure:
            return failure
        if await evaluate_on(self._field, _IS_THERE, _DEAF_TO_TYPING):
            return self._not_taken("")
        await self._leave()
        if await becomes_true(lambda: self._holds(style)):
            return None
        return self._not_taken(await self._shown())

    async def _settled(self) -> str:
        """After the click on the day: wait until the field shows it, and confirm where that is asked for."""
        if not await becomes_true(self._took) and not (
            await self._calendar.confirm() and await becomes_true(self._took)
        ):
            raise self._not_taken(await self._shown())
        await self._leave()
        return await self._shown()

    async def _took(self) -> bool:
        shown = await self._shown()
        if shows_date(shown, self._moment, self._style):
            return True
        if style_of_sample(shown, day_first=True) is None and shown != self._before:
            # a style of the page's own, such as "Fr., 20. November": its numbers must be there
            return str(self._moment.at.day) in shown
        if any(shows_date(item, self._moment, None) for item in await evaluate_on(self._field, _BESIDE)):
            return True
        seen = await self._calendar.look()
        return seen is not None and seen.on and not self._is_field_with_text(shown)

    def _is_field_with_text(self, shown: str) -> bool:
        """True when a field shows some date, which then is the wrong one."""
        return self._style is not None or style_of_sample(shown, day_first=True) is not None

    async def _holds(self, style: str) -> bool:
        return shows_date(await self._shown(), self._moment, style)

    async def _leave(self) -> None:
        """Leave the field, as pages take a date over only then, and close a calendar that stays open."""
        await self._field.blur(timeout=time_left_ms(self._ctx))
        if await becomes_true(self._is_closed, _CLOSES_SECONDS) or await evaluate_on(
            self._field, _HAS_INLINE
        ):
            return
        # Tab would open the calendar of the next field, Escape might close a dialog around this one
        key = "Tab" if await evaluate_on(self._field, _IS_IN_DIALOG) else "Escape"
        await self._field.press(key, timeout=time_left_ms(self._ctx))
        await self._field.blur(timeout=time_left_ms(self._ctx))

    async def _is_closed(self) -> bool:
        return await self._calendar.look() is None

    async def _shown(self) -> str:
        return str(await evaluate_on(self._field, _SHOWN)).strip()

    def _not_taken(self, shown: str) -> BlockFailed:
        found = f"`{shown}`" if shown else "nothing"
        return BlockFailed(
            f"The field {self._name} did not take the date {self._moment}: it shows {found}",
            Diagnosis(
                expected=f"the date {self._moment} in the field",
                found=f"the field shows {found}",
                cause="the page wants the date in another style or does not allow this day",
                advice="Give `format`, such as DD.MM.YYYY, or a day that the field allows.",
            ),
        )


async def _field_of(element: Element) -> tuple[Element, DateField]:
    """The field meant: the element itself, or the only input in it."""
    facts = convert(await evaluate_on(element, _FACTS, _HINTS), DateField)
    if facts.inner == 1:
        element = element.locator("input:not([type=hidden])")
        facts = convert(await evaluate_on(element, _FACTS, _HINTS), DateField)
    return element, facts


def _own_tokens(style: str | None) -> str | None:
    """A user's `dd/mm/yyyy` in our tokens."""
    if style is None or "Y" in style or "H" in style:
        return style
    return style_of_hint(style, day_first=True) or style


def _moment(ctx: RunContext, text: str, style: str | None) -> ParsedDate | None:
    now = ctx.names.get("now")
    moment = parse_date(text, datetime.fromisoformat(now) if isinstance(now, str) else datetime.now(UTC))
    if moment is None and style is not None and (at := parse_formatted(text, style)) is not None:
        return ParsedDate(at, has_time="mm" in style)
    return moment


async def _fill_native(ctx: RunContext, field: Element, moment: ParsedDate, kind: str, name: str) -> str:
    week = moment.at.isocalendar()
    wanted = f"{week.year}-W{week.week:02d}" if kind == "week" else format_date(moment, _NATIVE_STYLES[kind])
    try:
        await field.fill(wanted, timeout=time_left_ms(ctx))
    except PlaywrightError as error:
        # what Playwright says of a value that the field does not keep: the look at the field below reports it
        if "Malformed value" not in error.message:
            raise
    shown = str(await evaluate_on(field, _SHOWN))
    if not shown.startswith(wanted):
        raise BlockFailed(f"The field {name} did not take `{wanted}`: it shows `{shown}`")
    return shown


async def _type_as_given(ctx: RunContext, field: Element, text: str, name: str, *, typeable: bool) -> str:
    """Digits in a style that only the user and the field know; words that are not a date are a mistake."""
    if not typeable or any(letter.isalpha() for letter in text):
        _refused(text, name)
    await enter_text(ctx, field, text, name)
    return str(await evaluate_on(field, _SHOWN))


def _refused(text: str, name: str) -> ParsedDate:
    raise BlockFailed(
        f"`{text}` is not a date for {name}; write it as 2026-01-31",
        Diagnosis(expected=ACCEPTED, found=f"`{text}`"),
    )


def _with_clock(style: str, moment: ParsedDate) -> str:
    """A plain ISO style gets the time that was asked for; other styles are the field's business."""
    return f"{style} HH:mm" if style == ISO and moment.has_time else style


def _no_calendar(name: str) -> BlockFailed:
    return BlockFailed(
        f"The field {name} is read-only, and no calendar opened when it was clicked",
        Diagnosis(
            expected="a field to type into, or a calendar to choose from",
            found="a read-only field without a calendar",
            advice="Point at the control that opens the calendar.",
        ),
    )

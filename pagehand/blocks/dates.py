"""Dates as people write them: ISO, `31 January 2026`, and phrases such as `next Friday` or `in 3 days`.

A small grammar without guesses: what it does not know is not a date. Phrases count from `now`; the weekday
in `next Friday` is the first one after today, in `last Friday` the latest one before it.
"""

import calendar
import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

from pagehand.workflow.dates import month_number

ACCEPTED: Final = (
    "an ISO date (2026-01-31, 2026-01-31T14:30), `31 January 2026`, or a phrase: today, tomorrow, "
    "next Friday, in 3 days, 2 weeks ago, last day of month"
)

_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS: Final = {
    word: number
    for number, words in enumerate(
        ("a|an|one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1
    )
    for word in words.split("|")
}
_NAMED_DAYS: Final = {
    "today": 0,
    "now": 0,
    "tomorrow": 1,
    "yesterday": -1,
    "day after tomorrow": 2,
    "day before yesterday": -2,
}
_WHICH: Final = {"next": 1, "coming": 1, "this": 0, "current": 0, "last": -1, "previous": -1, "": 0}
_UNIT: Final = r"(minute|hour|day|week|month|year)s?"
_COUNT: Final = rf"(\d{{1,4}}|{'|'.join(_NUMBERS)})"
_LONGEST: Final = 100
"""No phrase for a date is longer; the patterns below are slow on long texts."""
_AT: Final = re.compile(r"(?P<day>.*?)(?: at|,)? (?P<hour>\d{1,2})(?::(?P<minute>\d{2}))? ?(?P<half>am|pm)?$")
_AHEAD: Final = re.compile(rf"(?:in {_COUNT} {_UNIT}|{_COUNT} {_UNIT} (?:from now|from today|later))")
_BEHIND: Final = re.compile(rf"{_COUNT} {_UNIT} ago")
_RELATIVE: Final = re.compile(
    rf"(?:(?P<which>next|coming|this|last|previous) )?(?P<unit>week|month|year|{'|'.join(_WEEKDAYS)})"
)
_EDGE: Final = re.compile(
    r"(?P<edge>first day|last day|start|beginning|end) of (?:the )?"
    r"(?:(?P<which>next|this|current|last|previous) )?(?P<unit>week|month|year)"
)
_NAMED_MONTH: Final = re.compile(
    r"(?:(?P<day>\d{1,2})(?:st|nd|rd|th)? (?:of )?)?(?P<month>[a-z]{3,9})\.? "
    r"(?:(?P<after>\d{1,2})(?:st|nd|rd|th)?,? )?(?P<year>\d{4})"
)
_WEEK: Final = re.compile(r"(\d{4})-?w(\d{2})")


@dataclass(frozen=True, slots=True)
class ParsedDate:
    """A day and, where one was given, a time of day: as on a calendar and a clock, without a zone."""

    at: datetime
    has_time: bool = False

    def __str__(self) -> str:
        """ISO, as precise as it was given."""
        return self.at.isoformat(timespec="minutes") if self.has_time else self.at.date().isoformat()


def parse_date(text: str, now: datetime) -> ParsedDate | None:
    """The moment that `text` means, phrases counted from `now`; None when it is not a date we know."""
    folded = " ".join(text.split())
    if len(folded) > _LONGEST:
        return None
    # fields and calendars have no zone; `now` is UTC, as it is in templates
    now = now.replace(tzinfo=None)
    try:
        return _iso(folded, now) or _phrase(folded.lower().removeprefix("the "), now)
    except (ValueError, OverflowError):  # the 31st of February, the year 12000
        return None


def _iso(text: str, now: datetime) -> ParsedDate | None:
    if re.fullmatch(r"\d{4}-\d{2}", text):
        return ParsedDate(datetime.fromisoformat(f"{text}-01"))
    if week := _WEEK.fullmatch(text.lower()):
        return ParsedDate(datetime.combine(date.fromisocalendar(int(week[1]), int(week[2]), 1), time()))
    if re.fullmatch(r"\d{1,2}:\d{2}(:\d{2})?", text):
        return ParsedDate(datetime.combine(now.date(), time.fromisoformat(text.zfill(5))), has_time=True)
    if re.match(r"\d{4}-\d{2}-\d{2}", text):
        return ParsedDate(datetime.fromisoformat(text).replace(tzinfo=None), has_time=":" in text)
    return None


def _phrase(text: str, now: datetime) -> ParsedDate | None:
    if found := _AHEAD.fullmatch(text) or _BEHIND.fullmatch(text):
        return _counted(found, now, -1 if text.endswith("ago") else 1)
    if (day := _day(text, now)) is not None:
        return ParsedDate(day.replace(second=0, microsecond=0), has_time=text == "now")
    timed = _AT.fullmatch(text)
    if timed and (timed["minute"] or timed["half"]) and (day := _day(timed["day"], now)) is not None:
        hour = int(timed["hour"])
        if timed["half"]:
            if not 1 <= hour <= 12:  # noqa: PLR2004 - 15 am is a slip, and which hour is meant a guess
                return None
            hour = hour % 12 + 12 * (timed["half"] == "pm")
        return ParsedDate(datetime.combine(day.date(), time(hour, int(timed["minute"] or 0))), has_time=True)
    return None


def _day(text: str, now: datetime) -> datetime | None:
    """The day of a phrase without a time."""
    if text in _NAMED_DAYS:
        return now + timedelta(days=_NAMED_DAYS[text])
    if found := _RELATIVE.fullmatch(text):
        return _relative(found["which"] or "", found["unit"], now)
    if found := _EDGE.fullmatch(text):
        return _edge(found["edge"], found["which"] or "", found["unit"], now)
    if (found := _NAMED_MONTH.fullmatch(text)) and (month := month_number(found["month"])):
        if found["day"] and found["after"]:
            return None  # `5 January 6 2026`: either day may be meant
        return datetime(int(found["year"]), month, int(found["day"] or found["after"] or 1))  # noqa: DTZ001 - no zone
    return None


def _counted(found: re.Match[str], now: datetime, direction: int) -> ParsedDate:
    words = [group for group in found.groups() if group]
    count = direction * (_NUMBERS.get(words[0]) or int(words[0]))
    match words[1]:
        case "minute" | "hour" as unit:
            return ParsedDate(now + timedelta(**{f"{unit}s": count}), has_time=True)
        case "month" | "year" as unit:
            return ParsedDate(_months_on(now, count * (12 if unit == "year" else 1)))
        case unit:
            return ParsedDate(now + timedelta(days=count * (7 if unit == "week" else 1)))


def _relative(which: str, unit: str, now: datetime) -> datetime | None:
    step = _WHICH[which]
    if unit in _WEEKDAYS:
        ahead = (_WEEKDAYS.index(unit) - now.weekday()) % 7
        if step < 0:
            return now - timedelta(days=(7 - ahead) % 7 or 7)
        # "next Friday" on a Friday is a week ahead, "Friday" is today
        return now + timedelta(days=ahead or (7 if step else 0))
    if not which:
        return None
    return now + timedelta(days=7 * step) if unit == "week" else _months_on(now, step * _length(unit))


def _edge(edge: str, which: str, unit: str, now: datetime) -> datetime:
    first = edge in ("first day", "start", "beginning")
    step = _WHICH[which]
    if unit == "week":
        return now + timedelta(days=7 * step - now.weekday() + (0 if first else 6))
    begin = now.replace(day=1, month=1) if unit == "year" else now.replace(day=1)
    begin = _months_on(begin, step * _length(unit))
    return begin if first else _months_on(begin, _length(unit)) - timedelta(days=1)


def _length(unit: str) -> int:
    return 12 if unit == "year" else 1


def _months_on(day: datetime, count: int) -> datetime:
    """The same day of another month, or that month's last."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return day.replace(year=year, month=month + 1, day=min(day.day, last))

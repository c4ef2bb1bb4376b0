"""Dates and times as text."""
# ruff: noqa: DTZ007 - dates are as users write them, with or without a zone

import datetime as _pagehand_datetime  # noqa: ICN001 - see the package
from typing import Any


def date_parse(text: str, format: str = "") -> str:  # noqa: A002 - the word users look for
    """A date or moment as ISO text; `format` such as `DD/MM/YYYY` says how it is written.

    Without one it reads what can mean one thing only: ISO, 2 January 2024, Jan 2, 2024, 02.01.2024.
    """
    moment, has_time = _pagehand_moment(text, format)
    return moment.isoformat() if has_time else moment.isoformat()[:10]


def date_format(date: str, format: str) -> str:  # noqa: A002 - as above
    """A date in another form: YYYY, YY, MMMM (January), MMM, MM, DD, dddd (Monday), HH, mm, ss."""
    moment, _ = _pagehand_moment(date, "")
    return moment.strftime(_pagehand_codes(format))


def date_add(
    date: str,
    years: int = 0,
    months: int = 0,
    weeks: int = 0,
    days: int = 0,
    hours: int = 0,
    minutes: int = 0,
    seconds: int = 0,
) -> str:
    """A date moved by so much; the end of a month stays within the month."""
    moment, has_time = _pagehand_moment(date, "")
    month = moment.year * 12 + moment.month - 1 + years * 12 + months
    year, month = month // 12, month % 12 + 1
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = [31, 29 if is_leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    moment = moment.replace(year=year, month=month, day=min(moment.day, lengths[int(month) - 1]))
    moment += _pagehand_datetime.timedelta(
        days=days + weeks * 7, hours=hours, minutes=minutes, seconds=seconds
    )
    has_time = has_time or bool(hours or minutes or seconds)
    return moment.isoformat() if has_time else moment.isoformat()[:10]


def date_diff(start: str, end: str, unit: str = "days") -> float:
    """How long from one to the other, in `days`, `hours`, `minutes` or `seconds`."""
    sizes = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}
    if unit not in sizes:
        raise ValueError("`" + unit + "` is not a unit; there is: days, hours, minutes, seconds")
    first, _ = _pagehand_moment(start, "")
    last, _ = _pagehand_moment(end, "")
    if (first.utcoffset() is None) != (last.utcoffset() is None):
        zone = _pagehand_datetime.timezone.utc  # noqa: UP017 - the subset knows no other name for it
        first = first if first.utcoffset() is not None else first.replace(tzinfo=zone)
        last = last if last.utcoffset() is not None else last.replace(tzinfo=zone)
    return (last - first).total_seconds() / sizes[unit]


def _pagehand_moment(text: str, written: str) -> tuple[Any, bool]:
    """The moment, and whether the text has a time of day."""
    text = " ".join(str(text).split())
    if written:
        codes = _pagehand_codes(written)
        has_time = any(code in codes for code in ("%H", "%M", "%S"))
        return _pagehand_datetime.datetime.strptime(text, codes), has_time
    try:
        return _pagehand_datetime.datetime.fromisoformat(text), ":" in text
    except ValueError:
        pass
    for codes in (
        "%Y/%m/%d",
        "%d.%m.%Y",
        "%d %B %Y",
        "%d %b %Y",
        "%B %d, %Y",
        "%b %d, %Y",
        "%d-%b-%Y",
        "%d.%m.%Y %H:%M",
        "%Y/%m/%d %H:%M",
        "%a, %d %b %Y %H:%M:%S %z",
    ):
        try:
            return _pagehand_datetime.datetime.strptime(text, codes), "%H" in codes
        except ValueError:
            continue
    raise ValueError(
        "`" + text[:60] + "` is not a date that can mean one thing only; say its format: DD/MM/YYYY"
    )


def _pagehand_codes(written: str) -> str:
    """`DD/MM/YYYY` as `%d/%m/%Y` for `strftime`; a format with a `%` stays unchanged."""
    if "%" in written:
        return written
    codes = ""
    known = [
        *[("YYYY", "%Y"), ("MMMM", "%B"), ("dddd", "%A"), ("MMM", "%b"), ("ddd", "%a")],
        *[("YY", "%y"), ("MM", "%m"), ("DD", "%d"), ("HH", "%H"), ("mm", "%M"), ("ss", "%S")],
    ]
    while written:
        code = [(token, item) for token, item in known if written.startswith(token)]
        token, directive = code[0] if code else (written[0], written[0])
        codes += directive
        written = written[len(token) :]
    return codes

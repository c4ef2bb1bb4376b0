"""Dates written with slashes or dots, where only one day can be meant."""

import re
from datetime import date
from typing import Final

from pagehand.instructions.grammar.refusal import NotUnderstood

_DATE: Final = re.compile(r"(?P<first>\d{1,2})(?P<mark>[/.-])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4})")
_SHORT: Final = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2}|\d{1,2}/\d{1,2}")


def read_date(value: str) -> str:
    """ISO for a date in digits; other values as they are. `03/04/2026` could be two days and is refused."""
    if _SHORT.fullmatch(value.strip()):
        raise NotUnderstood(value, "write the date with its year, such as `2026-04-03`")
    found = _DATE.fullmatch(value.strip())
    if found is None:
        return value
    first, second, year = int(found["first"]), int(found["second"]), int(found["year"])
    # a dot is written between day, month and year only
    orders = {(second, first)} if found["mark"] == "." else {(second, first), (first, second)}
    days = {day for month, of_month in orders if (day := _day(year, month, of_month)) is not None}
    if len(days) != 1:
        reason = "it could be two different days" if days else "there is no such day"
        raise NotUnderstood(value, f"{reason}; write it as year-month-day, such as `2026-04-03`")
    return days.pop().isoformat()


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None

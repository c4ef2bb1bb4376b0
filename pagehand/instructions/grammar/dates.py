"""Dates written with slashes or dots, where only one day can be meant.

`page/extraction/values.py` reads dates off pages, where the other rows tell how a site writes them, and
`blocks/dates.py` the phrases of workflow authors. What they share is in `workflow/dates.py`.
"""

import re
from typing import Final

from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.workflow.dates import days_meant

_DATE: Final = re.compile(r"(?P<first>\d{1,2})(?P<mark>[/.-])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4})")
_SHORT: Final = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2}|\d{1,2}/\d{1,2}")


def read_date(value: str) -> str:
    """ISO for a date in digits; other values as they are. `03/04/2026` could be two days and is refused."""
    if _SHORT.fullmatch(value.strip()):
        raise NotUnderstood(value, "write the date with its year, such as `2026-04-03`")
    found = _DATE.fullmatch(value.strip())
    if found is None:
        return value
    days = days_meant(int(found["first"]), found["mark"], int(found["second"]), int(found["year"]))
    if len(days) != 1:
        reason = "it could be two different days" if days else "there is no such day"
        raise NotUnderstood(value, f"{reason}; write it as year-month-day, such as `2026-04-03`")
    return days[0].isoformat()

"""What all readers of dates share: names of months, and which days `03/04/2026` may mean."""

import calendar
from datetime import date
from typing import Final

MONTHS: Final = tuple(calendar.month_name[1:])
_NAMES: Final = """
jan january januar januari janvier janv enero gennaio janeiro
feb february februar februari février fevrier févr febrero febbraio fevereiro
mar march märz maerz mrz maart mars marzo março
apr april avril avr abril aprile
may mai mei mayo maggio maio
jun june juni juin junio giugno junho
jul july juli juillet juil julio luglio julho
aug august augustus août aout agosto
sep sept september septembre septiembre settembre setembro
oct october okt oktober octobre octubre ottobre outubro
nov november novembre noviembre novembro
dec december dez dezember décembre déc diciembre dicembre dezembro
"""
MONTH_NUMBERS: Final = {
    name: number for number, line in enumerate(_NAMES.strip().splitlines(), 1) for name in line.split()
}
"""1 to 12 for names of months and their short forms, in lower case."""


def month_number(name: str) -> int | None:
    """1 to 12 for a month's name, or for the beginning of an English one, three letters at least."""
    lowered = name.casefold()
    if lowered in MONTH_NUMBERS or len(lowered) < 3:  # noqa: PLR2004 - see above
        return MONTH_NUMBERS.get(lowered)
    return next((number for number, month in enumerate(MONTHS, 1) if month.lower().startswith(lowered)), None)


def days_meant(first: int, mark: str, second: int, year: int) -> list[date]:
    """The day read with the day first, then with the month first, as far as there are such days.

    Two days mean that it is ambiguous. With a point the day always comes first, so there is one reading.
    """
    orders = [(second, first)] if mark == "." else [(second, first), (first, second)]
    return [day for month, number in dict.fromkeys(orders) if (day := _day(year, month, number)) is not None]


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None

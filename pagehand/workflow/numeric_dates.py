"""Dates in digits with the year last, such as `03/04/2026`: which days they may mean."""

from datetime import date


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

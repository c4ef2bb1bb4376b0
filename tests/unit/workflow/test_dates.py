"""Names of months, and which days a date in digits may mean."""

from datetime import date

import pytest

from pagehand.workflow.dates import days_meant, month_number


@pytest.mark.parametrize(
    ("first", "mark", "second", "days"),
    [
        (31, "/", 12, [date(2026, 12, 31)]),
        (12, "/", 31, [date(2026, 12, 31)]),
        (3, "/", 4, [date(2026, 4, 3), date(2026, 3, 4)]),
        (3, ".", 4, [date(2026, 4, 3)]),
        (5, "-", 5, [date(2026, 5, 5)]),
        (31, "/", 2, []),
        (12, ".", 31, []),
    ],
)
def test_a_date_means_every_day_it_can_be_read_as(
    first: int, mark: str, second: int, days: list[date]
) -> None:
    assert days_meant(first, mark, second, 2026) == days


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("January", 1),
        ("SEPT", 9),
        ("septem", 9),
        ("Mai", 5),
        ("août", 8),
        ("Ma", None),
        ("Maybe", None),
        ("", None),
    ],
)
def test_a_month_is_known_by_its_name_or_the_beginning_of_it(name: str, number: int | None) -> None:
    assert month_number(name) == number

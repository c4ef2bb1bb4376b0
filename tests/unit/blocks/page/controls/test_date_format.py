"""A field's date style is recognized by its hints, and a date is written and read in it."""

from datetime import datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagehand.blocks.dates import ParsedDate
from pagehand.blocks.page.controls.date_format import (
    DateField,
    format_date,
    parse_formatted,
    shows_date,
    style_of_field,
    style_of_hint,
    style_of_sample,
)

MARCH = ParsedDate(datetime(2026, 3, 4, 15, 5, 9))  # noqa: DTZ001 - a calendar's day has no zone
MIDNIGHT = ParsedDate(datetime(2026, 12, 31))  # noqa: DTZ001 - as above


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("YYYY-MM-DD", "2026-03-04"),
        ("DD.MM.YYYY", "04.03.2026"),
        ("M/D/YY", "3/4/26"),
        ("D MMMM YYYY", "4 March 2026"),
        ("MMM D, YYYY", "Mar 4, 2026"),
        ("dddd, DD MMM", "Wednesday, 04 Mar"),
        ("HH:mm:ss", "15:05:09"),
        ("h:mm A", "3:05 PM"),
        ("hh:mm a", "03:05 pm"),
        ("YYYYMMDD", "20260304"),
    ],
)
def test_a_moment_is_written_in_the_style(style: str, text: str) -> None:
    assert format_date(MARCH, style) == text


def test_midnight_and_noon_have_their_halves_of_the_day() -> None:
    assert format_date(MIDNIGHT, "h:mm A") == "12:00 AM"
    assert format_date(ParsedDate(MIDNIGHT.at.replace(hour=12)), "h:mm A") == "12:00 PM"


@pytest.mark.parametrize(
    ("text", "style", "found"),
    [
        ("04.03.2026", "DD.MM.YYYY", (2026, 3, 4)),
        ("4.3.2026", "DD.MM.YYYY", (2026, 3, 4)),
        ("4 march 2026", "D MMMM YYYY", (2026, 3, 4)),
        ("Sept. 4, 2026", "MMM D, YYYY", (2026, 9, 4)),
        ("  4   March 2026 ", "D MMMM YYYY", (2026, 3, 4)),
        ("31.02.2026", "DD.MM.YYYY", None),
        ("04/03/2026", "DD.MM.YYYY", None),
        ("04.03.26", "DD.MM.YYYY", None),
        ("4 März 2026", "D MMMM YYYY", (2026, 3, 4)),
        ("4 Foo 2026", "D MMMM YYYY", None),
        ("", "DD.MM.YYYY", None),
        ("04.03.2026 04", "DD.MM.YYYY DD", None),
    ],
)
def test_a_text_is_read_only_where_it_fits_the_style(
    text: str, style: str, found: tuple[int, int, int] | None
) -> None:
    day = parse_formatted(text, style)
    assert (None if day is None else (day.year, day.month, day.day)) == found


_STYLES = [
    "YYYY-MM-DD",
    "DD.MM.YYYY",
    "M/D/YYYY",
    "D MMMM YYYY",
    "MMM D, YYYY",
    "DD/MM/YYYY HH:mm",
    "YYYY/MM/DD h:mm A",
]


@settings(max_examples=60, deadline=None)
@given(st.datetimes(datetime(1900, 1, 1), datetime(2099, 12, 31)), st.sampled_from(_STYLES))  # noqa: DTZ001 - as above
def test_what_is_written_is_read_again_and_seen_as_shown(at: datetime, style: str) -> None:
    moment = ParsedDate(at.replace(second=0, microsecond=0), has_time=":" in style or "mm" in style)
    text = format_date(moment, style)
    day = parse_formatted(text, style)
    assert day is not None
    assert day.date() == at.date()
    assert shows_date(text, moment, style)


@pytest.mark.parametrize(
    ("text", "style", "expected"),
    [
        ("2026-03-04", "DD.MM.YYYY", True),
        ("3/4/2026", None, True),
        ("4/3/2026", None, True),
        ("4/5/2026", None, False),
        ("March 4, 2026", None, True),
        ("04.03.2027", "DD.MM.YYYY", False),
        ("", "DD.MM.YYYY", False),
        ("soon", None, False),
    ],
)
def test_a_field_shows_the_moment_in_its_own_style_too(text: str, style: str | None, expected: bool) -> None:
    assert shows_date(text, MARCH, style) is expected


def test_a_month_in_another_language_is_not_taken_for_january() -> None:
    january = ParsedDate(datetime(2026, 1, 4))  # noqa: DTZ001 - as above
    assert not shows_date("4 März 2026", january, "D MMMM YYYY")


@pytest.mark.parametrize(
    ("hint", "style"),
    [
        ("mm/dd/yyyy", "MM/DD/YYYY"),
        ("DD.MM.YYYY", "DD.MM.YYYY"),
        ("TT.MM.JJJJ", "DD.MM.YYYY"),
        ("jj/mm/aaaa", "DD/MM/YYYY"),
        ("дд.мм.гггг", "DD.MM.YYYY"),  # noqa: RUF001 - as a Russian page has it
        ("yyyy-mm-dd hh:mm", "YYYY-MM-DD HH:mm"),
        ("mm/yyyy", "MM/YYYY"),
        ("e.g. 31.12.2026", "DD.MM.YYYY"),
        ("__/__/____", "DD/MM/YYYY"),
        ("2026-12-31", "YYYY-MM-DD"),
        ("Choose a date", None),
        ("first.last.name", None),
        ("", None),
        ("x" * 100_000, None),
    ],
)
def test_the_style_is_in_a_placeholder_whatever_its_language(hint: str, style: str | None) -> None:
    assert style_of_hint(hint, day_first=True) == style


@pytest.mark.parametrize(
    ("text", "day_first", "style"),
    [
        ("03/04/2026", True, "DD/MM/YYYY"),
        ("03/04/2026", False, "MM/DD/YYYY"),
        ("13/04/2026", False, "DD/MM/YYYY"),
        ("04/13/2026", True, "MM/DD/YYYY"),
        ("3.4.26", True, "D.M.YY"),
        ("2026-03-04 10:30", True, "YYYY-MM-DD HH:mm"),
        ("3/4/2026 10:30:00 PM", False, "M/D/YYYY hh:mm:ss A"),
        ("March 4, 2026", True, "MMMM D, YYYY"),
        ("4 Mar 2026", True, "D MMM YYYY"),
        ("Rue 4, 2026", True, None),
    ],
)
def test_the_style_of_a_date_that_stands_there(text: str, day_first: bool, style: str | None) -> None:
    assert style_of_sample(text, day_first=day_first) == style


FIELD: dict[str, Any] = {
    "type": "text",
    "typeable": True,
    "inner": 0,
    "hints": [],
    "pattern": "",
    "value": "",
    "localeStyle": "M/D/YYYY",
    "hasRegion": False,
}


@pytest.mark.parametrize(
    ("facts", "style"),
    [
        ({"hints": ["", "Choose", "dd.mm.yyyy"], "value": "2026-01-01"}, "DD.MM.YYYY"),
        ({"pattern": r"\d{2}/\d{2}/\d{4}"}, "MM/DD/YYYY"),
        ({"pattern": r"\d{2}/\d{2}/\d{4}", "localeStyle": "DD.MM.YYYY"}, "DD/MM/YYYY"),
        ({"pattern": r"[0-9]{4}-[0-9]{2}-[0-9]{2}"}, "YYYY-MM-DD"),
        ({"value": "13.01.2026"}, "DD.MM.YYYY"),
        ({"hasRegion": True}, "M/D/YYYY"),
        ({}, None),
    ],
)
def test_a_field_is_asked_for_its_hints_then_its_pattern_its_value_and_its_language(
    facts: dict[str, Any], style: str | None
) -> None:
    assert style_of_field(msgspec.convert(FIELD | facts, DateField)) == style

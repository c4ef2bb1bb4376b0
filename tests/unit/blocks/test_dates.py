"""Dates as people and fields write them."""

from datetime import datetime

import pytest

from pagehand.blocks.dates import ParsedDate, parse_date
from pagehand.blocks.page.controls.date_format import (
    format_date,
    parse_formatted,
    shows_date,
    style_of_hint,
    style_of_sample,
)

MONDAY = datetime(2026, 11, 16, 10, 5)  # noqa: DTZ001 - a calendar's day has no zone


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2026-01-31", "2026-01-31"),
        ("2026-01-31T14:30:00.123Z", "2026-01-31T14:30"),
        ("2026-05", "2026-05-01"),
        ("2026-W05", "2026-01-26"),
        ("14:30", "2026-11-16T14:30"),
        ("Today", "2026-11-16"),
        ("now", "2026-11-16T10:05"),
        ("tomorrow at 2pm", "2026-11-17T14:00"),
        ("tomorrow at 12 am", "2026-11-17T00:00"),
        ("tomorrow at 12:30 pm", "2026-11-17T12:30"),
        ("the day after tomorrow", "2026-11-18"),
        ("next Friday", "2026-11-20"),
        ("this monday", "2026-11-16"),
        ("next monday", "2026-11-23"),
        ("last monday", "2026-11-09"),
        ("in 3 days", "2026-11-19"),
        ("two weeks ago", "2026-11-02"),
        ("3 months from now", "2027-02-16"),
        ("in two hours", "2026-11-16T12:05"),
        ("next week", "2026-11-23"),
        ("last year", "2025-11-16"),
        ("last day of month", "2026-11-30"),
        ("end of next month", "2026-12-31"),
        ("first day of the year", "2026-01-01"),
        ("start of next week", "2026-11-23"),
        ("31 January 2026", "2026-01-31"),
        ("Jan 31st, 2026 at 9:15 am", "2026-01-31T09:15"),
    ],
)
def test_a_phrase_means_one_day(text: str, meant: str) -> None:
    assert str(parse_date(text, MONDAY)) == meant


@pytest.mark.parametrize(
    "text",
    [
        "tomorrow at 15 am",
        "tomorrow at 0 pm",
        "5 January 6 2026",
        "",
        "nxt friday",
        "31/01/2026",
        "2026-02-30",
        "30 February 2026",
        "in 99 parsecs",
        "25:00",
        "week",
    ],
)
def test_what_is_not_known_is_not_a_date(text: str) -> None:
    assert parse_date(text, MONDAY) is None


def test_a_month_on_from_the_31st_is_the_last_of_a_shorter_month() -> None:
    assert str(parse_date("in 1 month", datetime(2026, 1, 31))) == "2026-02-28"  # noqa: DTZ001 - as above


@pytest.mark.parametrize(
    ("hint", "style"),
    [
        ("mm/dd/yyyy", "MM/DD/YYYY"),
        ("Date of birth (dd-mm-yyyy)", "DD-MM-YYYY"),
        ("__/__/____", "DD/MM/YYYY"),
        ("mm/dd/yyyy hh:mm aa", "MM/DD/YYYY hh:mm A"),
        ("MM/YY", "MM/YY"),
        ("'inputFormat': 'dd/mm/yyyy'", "DD/MM/YYYY"),
        ("\u0433\u0433\u0433\u0433.\u043c\u043c.\u0434\u0434", "YYYY.MM.DD"),
        ("Pick a date", None),
    ],
)
def test_a_hint_gives_the_style_away(hint: str, style: str | None) -> None:
    assert style_of_hint(hint, day_first=True) == style


def test_a_sample_is_ambiguous_only_up_to_the_12th() -> None:
    assert style_of_sample("25/12/2025", day_first=False) == "DD/MM/YYYY"
    assert style_of_sample("12/25/2025", day_first=True) == "MM/DD/YYYY"
    assert style_of_sample("03/04/2025", day_first=False) == "MM/DD/YYYY"


@pytest.mark.parametrize(
    "style", ["YYYY-MM-DD HH:mm", "D.M.YYYY H:mm", "MMM D, YYYY h:mm a", "MMMM DD YYYY HH:mm:ss"]
)
def test_what_is_written_reads_back(style: str) -> None:
    at = datetime(2026, 4, 3, 15, 7)  # noqa: DTZ001 - as above
    assert parse_formatted(format_date(ParsedDate(at, has_time=True), style), style) == at


def test_a_field_shows_a_date_in_its_own_style_and_no_other_date() -> None:
    moment = ParsedDate(datetime(2026, 4, 3))  # noqa: DTZ001 - as above
    assert shows_date("Apr 3, 2026 12:00 PM", moment, None)
    assert shows_date("03/04/2026", moment, "DD/MM/YYYY")
    assert not shows_date("03/04/2026", moment, "MM/DD/YYYY")
    assert not shows_date("2026-04-03 12:00", ParsedDate(moment.at, has_time=True), None)

"""Cron expressions: time zones, changes of the clock, and what is refused."""

import pytest

from pagehand.clock import from_iso, to_iso
from pagehand.engine.schedules.cron import Cron
from pagehand.errors import InvalidRequest


def following(cron: str, zone: str, after: str, count: int = 3) -> list[str]:
    return [to_iso(moment) for moment in Cron(cron, zone).next(from_iso(after), count)]


def test_a_time_in_the_missing_hour_comes_once() -> None:
    assert following("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z") == [
        "2026-03-29T01:00:00.000Z",  # 03:00 in Berlin, right after the hour that is left out
        "2026-03-30T00:30:00.000Z",
        "2026-03-31T00:30:00.000Z",
    ]


def test_a_time_in_the_doubled_hour_comes_once() -> None:
    assert following("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2) == [
        "2026-10-25T00:30:00.000Z",
        "2026-10-26T01:30:00.000Z",
    ]


def test_the_second_pass_of_a_doubled_hour_does_not_bring_the_first_one_back() -> None:
    second_pass = "2026-10-25T01:15:00Z"  # 02:15 in Berlin for the second time
    assert following("30 2 * * *", "Europe/Berlin", second_pass, 1) == ["2026-10-26T01:30:00.000Z"]


def test_names_of_days_and_months_are_understood() -> None:
    assert following("0 9 * jan mon", "UTC", "2026-12-30T00:00:00Z", 2) == [
        "2027-01-04T09:00:00.000Z",
        "2027-01-11T09:00:00.000Z",
    ]


@pytest.mark.parametrize(
    ("now", "latest"),
    [
        ("2026-05-01T10:15:00.000Z", "2026-05-01T10:15:00.000Z"),
        ("2026-05-01T10:15:00.500Z", "2026-05-01T10:15:00.000Z"),
        ("2026-05-01T10:14:59.999Z", "2026-05-01T10:00:00.000Z"),
    ],
)
def test_the_latest_moment_is_the_last_one_that_has_come(now: str, latest: str) -> None:
    assert Cron("*/15 * * * *", "UTC").latest(from_iso(now)) == from_iso(latest)


def test_an_expression_is_described_in_words() -> None:
    assert Cron("30 8 * * MON-FRI", "UTC").words == "At 08:30 on Monday through Friday"


@pytest.mark.parametrize(
    ("cron", "part"),
    [
        ("61 * * * *", "the minute `61`"),
        ("* 24 * * *", "the hour `24`"),
        ("* * 0 * *", "the day-of-month `0`"),
        ("* * * FOO *", "the month `FOO`"),
        ("* * * * 8", "the day-of-week `8`"),
        ("*/0 * * * *", "the minute `*/0`"),
        ("* * * *", "got 4"),
        ("0 0 * * * *", "got 6"),
        ("@daily", "got 1"),
        ("0 0 30 2 *", "never comes"),
    ],
)
def test_what_is_wrong_is_named(cron: str, part: str) -> None:
    with pytest.raises(InvalidRequest, match=r"`cron`: .+") as refused:
        Cron(cron, "UTC")
    assert part in refused.value.message


@pytest.mark.parametrize("zone", ["Mars/Phobos", "", "America", "../etc/passwd", "x" * 100])
def test_an_unknown_time_zone_is_refused(zone: str) -> None:
    with pytest.raises(InvalidRequest, match="`timeZone`"):
        Cron("* * * * *", zone)


def test_a_misspelt_time_zone_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(InvalidRequest, match="did you mean `Europe/Berlin`"):
        Cron("* * * * *", "europe/berlin")

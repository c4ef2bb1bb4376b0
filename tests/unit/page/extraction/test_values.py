"""Numbers and dates are read as their column writes them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagehand.page.extraction.values import (
    DecimalMark,
    ValueFormat,
    infer_format,
    to_boolean,
    to_date,
    to_datetime,
    to_number,
)

CENTS = st.integers(min_value=-10_000_000_00, max_value=10_000_000_00)


def english(cents: int) -> str:
    return f"{cents / 100:,.2f}"


def german(cents: int) -> str:
    return english(cents).translate(str.maketrans(",.", ".,"))


@given(CENTS)
def test_an_amount_with_cents_is_read_in_both_styles(cents: int) -> None:
    assert to_number(english(cents)) == cents / 100
    assert to_number(german(cents)) == cents / 100


@given(CENTS, st.sampled_from(["$", "€ ", "USD ", ""]))
def test_a_currency_and_brackets_do_not_hide_the_amount(cents: int, currency: str) -> None:
    amount = abs(cents)
    assert to_number(f"{currency}{english(amount)}") == amount / 100
    assert to_number(f"({currency.strip()}{english(amount)})") == -amount / 100


@given(st.lists(CENTS, min_size=1), st.integers(min_value=1, max_value=999))
def test_one_amount_with_cents_tells_how_the_whole_column_is_written(
    amounts: list[int], thousands: int
) -> None:
    column = [german(cents) for cents in amounts]
    value_format = infer_format([*column, f"{thousands}.000"])
    assert value_format.decimal == ","
    assert to_number(f"{thousands}.000", value_format.decimal) == thousands * 1000


def test_a_column_that_contradicts_itself_tells_nothing() -> None:
    assert infer_format(["1,50", "1.50"]) == ValueFormat()
    assert infer_format(["25/03/2026", "03/25/2026"]) == ValueFormat()


@given(st.dates(min_value=date(1000, 1, 1)), st.booleans())
def test_a_date_is_read_in_the_order_its_column_betrays(day: date, day_first: bool) -> None:
    pattern = "{0.day}/{0.month}/{0.year:04}" if day_first else "{0.month}/{0.day}/{0.year:04}"
    witness = "31/12/2026" if day_first else "12/31/2026"
    value_format = infer_format([pattern.format(day), witness])
    assert value_format.day_first is day_first
    assert to_date(pattern.format(day), day_first=value_format.day_first) == day.isoformat()


@pytest.mark.slow
@given(st.text())
def test_any_text_is_read_or_refused_without_an_accident(text: str) -> None:
    value_format = infer_format([text])
    number, day = to_number(text, value_format.decimal), to_date(text, day_first=value_format.day_first)
    assert number is None or isinstance(number, int | float)
    assert day is None or date.fromisoformat(day)


def test_points_in_dates_and_versions_are_not_decimal_marks() -> None:
    assert infer_format(["12.03.2026", "1.2.3"]) == ValueFormat()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$1,200.50", 1200.5),
        ("1.200,50 €", 1200.5),
        ("1 200,50", 1200.5),
        ("1\u202f234\xa0", 1234),
        ("1'200.50", 1200.5),
        ("CHF 1\u2019200.\u2013", 1200),
        ("kr 1.200,-", 1200),
        ("1,23,456.78", 123456.78),
        ("1,00,000", 100000),
        ("12,34", 12.34),
        ("0,5", 0.5),
        (".5", 0.5),
        ("0.125", 0.125),
        ("50 %", 50),
        ("USD1200", 1200),
        ("No. 5", 5),
        ("000123", 123),
        ("\u0661\u0662\u0663", 123),
        ("\u200f5", 5),
        ("-5", -5),
        ("\u22125", -5),
        ("12.50-", -12.5),
        ("-$5.00", -5),
        ("$ -5.00", -5),
        ("(5.00)", -5),
        ("(EUR 5)", -5),
        ("5.-", 5),
    ],
)
def test_a_number_is_read_in_every_way_of_writing_it(text: str, number: float) -> None:
    assert to_number(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "none",
        "INV-0042",
        "A4",
        "v2",
        "12:30",
        "1/2",
        "3 of 10",
        "1e5",
        "2024-01-05",
        "12.03.2024",
        "1.2.3",
        "1,2,3",
        "192.168.0.1",
        "1.234.56",
        "12,34.5",
        "1,234.5,6",
        "4.5\n128",
        "4\n128",
        "4.5 128",
        "5 10",
        "10 00",
        "0123 456 789",
        "012 345 678",
        "9" * 101,
    ],
)
def test_what_may_be_several_numbers_or_none_is_not_a_number(text: str) -> None:
    assert to_number(text) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4.350 €", 4350),
        ("0.125 €", 0.125),
        ("1.459 €/l", 1.459),
        ("1.459 € per litre", 1.459),
        ("€48,000 (62% used)", 48000),
        ("€812.40 by 15.02.2026", 812.4),
        ("£145 (concessions £98)", 145),
        ("€3,400 to €3,900", None),
        ("€48 (€96 for two)", None),
    ],
)
def test_an_amount_is_told_from_what_is_said_of_it(text: str, number: float | None) -> None:
    assert to_number(text) == number


@pytest.mark.parametrize(
    "text", ["1.5k", "12K", "2M", "$3.4M", "3.4 Mio.", "5 million", "1.2bn", "7 thousand"]
)
def test_a_shortened_number_is_not_read_as_its_digits_alone(text: str) -> None:
    assert to_number(text) is None


@pytest.mark.parametrize("text", ["5 kg", "5 m", "10KB", "3 Kilo", "5 mm", "12 months"])
def test_a_unit_behind_a_number_does_not_hide_it(text: str) -> None:
    assert to_number(text) is not None


@pytest.mark.parametrize(
    ("text", "decimal", "number"),
    [
        ("1.234", None, 1.234),
        ("1.234", ",", 1234),
        ("1,234", None, 1234),
        ("1,234", ",", 1.234),
        ("1,234", ".", 1234),
        ("12.345.678", ",", 12345678),
    ],
)
def test_one_mark_and_three_digits_are_read_as_the_column_writes(
    text: str, decimal: DecimalMark | None, number: float
) -> None:
    assert to_number(text, decimal) == number


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-03-04", "2024-03-04"),
        ("2024/3/4", "2024-03-04"),
        ("2024-03-04T10:00:00Z", "2024-03-04"),
        ("04.03.2024", "2024-03-04"),
        ("31 . 12 . 2024", "2024-12-31"),
        ("13/03/2024", "2024-03-13"),
        ("03/13/2024", "2024-03-13"),
        ("3 March 2026", "2026-03-03"),
        ("March 3rd, 2026", "2026-03-03"),
        ("Sept 5, 2024", "2024-09-05"),
        ("5 Sept. 2024", "2024-09-05"),
        ("Tue, 3 Mar 2026 10:00", "2026-03-03"),
        ("05-Mar-2024", "2024-03-05"),
        ("3. März 2026", "2026-03-03"),
        ("1er août 2026", None),
        ("15 août 2026", "2026-08-15"),
        ("3 de marzo de 2026", "2026-03-03"),
        ("12 dicembre 2025", "2025-12-12"),
        ("5 mei 2026", "2026-05-05"),
        ("29 February 2024", "2024-02-29"),
        ("Paid on 3 March 2026 (3 March 2026)", "2026-03-03"),
    ],
)
def test_a_date_is_read_in_every_way_of_writing_it(text: str, day: str | None) -> None:
    assert to_date(text) == day


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "04/03/2024",
        "1-2-2024",
        "May 2024",
        "30 February 2024",
        "29 February 2023",
        "2024-13-01",
        "32.01.2024",
        "0000-01-01",
        "12024-03-04",
        "2024-03-045",
        "1/2/24",
        "20240304",
        "3 marble 2024",
        "3 decisions 2024",
        "2024-03-04 to 2024-03-05",
        "01/13/2024 - 02/13/2024",
        "3 March 2026 or 4 March 2026",
        "01/02/2024 - 13/02/2024",
    ],
)
def test_what_may_be_several_days_or_none_is_not_a_date(text: str) -> None:
    assert to_date(text) is None


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-03-04T10:00:00Z", "2024-03-04T10:00:00+00:00"),
        (" 2024-03-04 10:00 ", "2024-03-04T10:00:00"),
        ("2024-03-04T10:00:00+02:00", "2024-03-04T10:00:00+02:00"),
        ("10:00", None),
        ("20261117", None),
        ("1" * 5000, None),
        ("2026-W03-1", None),
        ("4 March at ten", None),
        ("", None),
    ],
)
def test_a_moment_is_read_where_it_is_written_in_iso_form(text: str, moment: str | None) -> None:
    assert to_datetime(text) == moment


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Yes", True),
        (" ON ", True),
        ("\u2713", True),
        ("1", True),
        ("No", False),
        ("", False),
        ("maybe", None),
    ],
)
def test_yes_and_no_are_read_and_nothing_else(text: str, answer: bool | None) -> None:
    assert to_boolean(text) is answer

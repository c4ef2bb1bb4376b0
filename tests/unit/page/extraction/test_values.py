"""Numbers and dates are read as their column writes them."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from pagehand.page.extraction.values import Style, style_of, to_date, to_number

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
    style = style_of([*column, f"{thousands}.000"])
    assert style.decimal == ","
    assert to_number(f"{thousands}.000", style.decimal) == thousands * 1000


def test_a_column_that_contradicts_itself_tells_nothing() -> None:
    assert style_of(["1,50", "1.50"]) == Style()
    assert style_of(["25/03/2026", "03/25/2026"]) == Style()


@given(st.dates(min_value=date(1000, 1, 1)), st.booleans())
def test_a_date_is_read_in_the_order_its_column_betrays(day: date, day_first: bool) -> None:
    pattern = "{0.day}/{0.month}/{0.year:04}" if day_first else "{0.month}/{0.day}/{0.year:04}"
    witness = "31/12/2026" if day_first else "12/31/2026"
    style = style_of([pattern.format(day), witness])
    assert style.day_first is day_first
    assert to_date(pattern.format(day), day_first=style.day_first) == day.isoformat()


@given(st.text())
def test_any_text_is_read_or_refused_without_an_accident(text: str) -> None:
    style = style_of([text])
    number, day = to_number(text, style.decimal), to_date(text, day_first=style.day_first)
    assert number is None or isinstance(number, int | float)
    assert day is None or date.fromisoformat(day)


def test_points_in_dates_and_versions_are_not_decimal_marks() -> None:
    assert style_of(["12.03.2026", "1.2.3"]) == Style()

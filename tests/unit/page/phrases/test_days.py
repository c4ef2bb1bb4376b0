"""The same day is the same however it is written, and two days are never one."""

import pytest

from pagehand.page.phrases.days import days_in, infer_month_first
from pagehand.page.phrases.tokens import tokenize


@pytest.mark.parametrize(
    "text", ["Feb 28, 2026", "28 February 2026", "2026-02-28", "02/28/2026", "28.2.2026", "28th of feb 2026"]
)
def test_a_day_is_read_in_every_way_it_is_written(text: str) -> None:
    words = tuple(word for word in tokenize(text) if word != "of")
    assert "2026-02-28" in days_in(words)
    assert "--02-28" in days_in(words)


@pytest.mark.parametrize("text", ["03/04/2026", "31 February 2026", "4500 7835", "may be 2026", "12 2026"])
def test_what_is_no_day_or_could_be_two_is_none(text: str) -> None:
    assert not [day for day in days_in(tokenize(text)) if day.startswith("2")]


def test_other_days_of_the_page_say_what_comes_first() -> None:
    american = infer_month_first([tokenize("03/04/2026"), tokenize("03/14/2026")])
    european = infer_month_first([tokenize("03/04/2026"), tokenize("14/03/2026")])
    assert (american, european) == (True, False)
    assert infer_month_first([tokenize("03/14/2026"), tokenize("14/03/2026")]) is None
    assert "2026-03-04" in days_in(tokenize("03/04/2026"), month_first=american)
    assert "2026-04-03" in days_in(tokenize("03/04/2026"), month_first=european)

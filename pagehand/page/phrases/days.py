"""Days in a text, whatever way they are written in: `Feb 28, 2026` and `02/28/2026` are the same."""

from collections.abc import Iterable, Iterator
from typing import Final

from pagehand.page.phrases.tokens import Tokens
from pagehand.workflow.dates import days_meant, month_number

_DIGITS_OF_YEAR: Final = 4
_DIGITS_OF_DAY: Final = 2


def days_in(words: Tokens, *, month_first: bool | None = None) -> Iterator[str]:
    """The days in ISO 8601, and each day of a month also without its year.

    `03/04/2026` is one only where `month_first` says what comes first.
    """
    for at in range(len(words) - 1):
        parts = words[at : at + 3]
        if (month_and_day := _month_and_day(*parts[:2])) is not None:
            yield "--{:02}-{:02}".format(*month_and_day)
        if (day := _day(parts, month_first=month_first)) is not None:
            yield day
            yield f"-{day[4:]}"


def infer_month_first(texts: Iterable[Tokens]) -> bool | None:
    """What comes first where the page writes days in figures; None where nothing shows it."""
    found = {
        int(second) > int(first)
        for words in texts
        for first, second, year in zip(words, words[1:], words[2:], strict=False)
        if _is_year(year) and _is_number(first) and _is_number(second)
        if len(days_meant(int(first), "/", int(second), int(year))) == 1 and first != second
    }
    return found.pop() if len(found) == 1 else None


def _day(parts: Tokens, *, month_first: bool | None) -> str | None:
    if len(parts) < 3:  # noqa: PLR2004 - day, month and year
        return None
    first, second, third = parts
    if _is_year(first) and _is_number(second) and _is_number(third):
        found = days_meant(int(third), ".", int(second), int(first))
    elif not _is_year(third):
        return None
    elif (month_and_day := _month_and_day(first, second)) is not None:
        month, day = month_and_day
        found = days_meant(day, ".", month, int(third))
    elif _is_number(first) and _is_number(second):
        found = days_meant(int(first), "/", int(second), int(third))
        if len(found) > 1 and month_first is not None:
            found = found[1:] if month_first else found[:1]
    else:
        return None
    return found[0].isoformat() if len(found) == 1 else None


def _month_and_day(first: str, second: str) -> tuple[int, int] | None:
    for name, number in ((first, second), (second, first)):
        figures = number.removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
        if name.isalpha() and _is_number(figures) and (month := month_number(name)) is not None:
            return month, int(figures)
    return None


def _is_number(word: str) -> bool:
    return len(word) <= _DIGITS_OF_DAY and word.isascii() and word.isdecimal()


def _is_year(word: str) -> bool:
    return len(word) == _DIGITS_OF_YEAR and word.isascii() and word.isdecimal() and word[0] != "0"

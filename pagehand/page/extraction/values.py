"""Numbers and dates in the ways people write them, and how to infer the format of a column."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from pagehand.workflow.dates import MONTH_NUMBERS, days_meant
from pagehand.workflow.words import read_yes_no

CURRENCY = (
    r"(?:[$€£¥₹₽₺₴₪₩฿]|\b(?:USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|CZK|HUF|RON|INR|JPY|CNY|AUD|CAD|NZD|BRL|ZAR|TRY|AED"
    r"|kr|zł|Kč|Ft|Rs)\b)"
)
_MAX_DIGITS = 100
"""Longer texts are not numbers, and Python refuses to read some of them."""
_NUMBER = re.compile(r"\d[\d.,'\u2019\s]*\d|\d|[.,]\d+")
_SPACES = re.compile(r"[\s'\u2019]")
_WRITTEN = re.compile(
    r"\d+(?:[.,]\d+)?|[.,]\d+"
    r"|[1-9]\d{0,2}([.,'\u2019 \xa0\u2009\u202f])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?"
    r"|[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?"
)
"""Plain, in groups of three with one mark, or as in India; versions, dates and pairs look otherwise."""
_CLOSED_BY_DASH = re.compile(r"([.,])[-\u2013\u2014\u2212]")
"""Whole amounts with a dash for the cents: `1.200,-`."""
_AMOUNT_FIRST = re.compile(
    rf"(?P<amount>(?:{CURRENCY}\.? ?\d[\d.,']{{0,20}}|\d[\d.,']{{0,20}} ?{CURRENCY}))"
    rf" ?(?:\((?!{CURRENCY})[^()]{{0,40}}\)|(?:by|until|due|as of|since)\b[^\n]{{0,40}})"
)
"""An amount, and what is said of it: "€48,000 (62% used)", "€812.40 by 15.02.2026"."""
_WHOLE_AMOUNT = re.compile(rf"(?<![\d.,])[1-9]\d{{0,2}}\.\d{{3}} ?{CURRENCY}(?! ?(?:/|per\b))")
"""Nobody who puts the currency behind an amount writes three decimals: `4.350 €` are thousands."""
_MAGNITUDE = re.compile(r"[kKM]\b|\s?(?i:mn|mio|mln|bn|mrd|thousand|millions?|billions?)\b")
"""Behind `1.2k` or `3 Mio.`: the digits alone are another number."""
_PART_OF_A_NAME = re.compile(r"(?<![A-Za-z])(?![A-Z]{3}$)[A-Za-z]+$|[A-Za-z][-_/]$")
"""Precedes the digits of `INV-0042` or `A4`, but not those of `USD1200`."""
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})\s*([-/.])\s*(\d{1,2})\s*\2\s*(\d{4})(?!\d)")
_MONTH_NAMED = re.compile(
    r"(?:(?<!\d)(\d{1,2})(?:st|nd|rd|th)?\.?(?:\s+|-)(?:de\s+)?)?"
    rf"\b({'|'.join(MONTH_NUMBERS)})\b\.?,?(?:\s+|-)(?:de\s+)?"
    r"(?:(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+|-))?(\d{4})(?!\d)"
)
_SAYS_ORDER = re.compile(r"\b(dd|mm)[/.-](?:dd|mm)[/.-]yy", re.IGNORECASE)
_MONTHS_IN_A_YEAR = 12
_SIGNED = re.compile(rf"[-\u2212\u2013]\s*[^\w\s]?\s*$|^\s*[-\u2212\u2013]\s?{CURRENCY}\.?\s?$")
_OPENED, _CLOSED = re.compile(r"\([ $€£¥]*$|^\s*\([A-Z]{3}\s?$"), re.compile(r"[ %$€£¥]*\)|\s?[A-Z]{3}\)$")

DecimalMark = Literal[".", ","]


@dataclass(frozen=True, slots=True)
class ValueFormat:
    """How the values of a column are written; None for what they leave open."""

    decimal: DecimalMark | None = None
    day_first: bool | None = None


def infer_format(texts: Iterable[str]) -> ValueFormat:
    """The format that all texts have in common."""
    texts = list(texts)
    marked = [text for text in texts if "," in text or "." in text]
    marks: set[DecimalMark] = {
        mark for text in marked for found in _NUMBER.findall(text) if (mark := _infer_decimal_mark(found))
    }
    orders = {order for text in texts if (order := _infer_day_first(text)) is not None}
    return ValueFormat(marks.pop() if len(marks) == 1 else None, orders.pop() if len(orders) == 1 else None)


def to_number(text: str, decimal: DecimalMark | None = None) -> float | int | None:
    """The one number in a text, in whichever style it is written; None when there is none, or several."""
    if amount := _AMOUNT_FIRST.fullmatch(text):
        text = amount["amount"]
    found = _NUMBER.findall(text)
    if len(found) != 1 or not _WRITTEN.fullmatch(found[0]):
        return None
    before, _, after = text.partition(found[0])
    # `INV-0042` is a name, `1.2k` another number: the digits alone would be wrong
    if _PART_OF_A_NAME.search(before) or _MAGNITUDE.match(after):
        return None
    if dash := _CLOSED_BY_DASH.match(after):
        decimal = "," if dash[1] == "," else "."
    if _WHOLE_AMOUNT.search(text) and decimal is None:
        decimal = ","
    digits = _plain_digits(_SPACES.sub("", found[0]), decimal)
    if digits is None or len(digits) > _MAX_DIGITS:
        return None
    # amounts in whole units stay integers: large ones would lose digits as floats
    number = float(digits) if "." in digits else int(digits)
    return -number if _is_negative(text, found[0]) else number


def to_date(text: str, *, day_first: bool | None = None) -> str | None:
    """A date in ISO 8601; None when it is none, or when day and month cannot be distinguished."""
    text = " ".join(text.split()).casefold()
    try:
        day = _day_in(text, day_first)
    except ValueError:
        return None
    return day.isoformat() if day is not None else None


def to_datetime(text: str) -> str | None:
    """A date with its time in ISO 8601; None when it is not written that way already."""
    # Python reads digits alone as well: `20261117`, and numbers of thousands of digits, are not
    if not _ISO_DAY.match(text.strip()):
        return None
    try:
        return datetime.fromisoformat(text.strip()).isoformat()
    except ValueError:
        return None


def to_boolean(text: str) -> bool | None:
    """Yes or no in any of the usual ways; an empty cell says no."""
    return read_yes_no(text) if text.strip() else False


def _infer_decimal_mark(number: str) -> DecimalMark | None:
    """The decimal mark of a number; None when it can be read in two ways."""
    number = _SPACES.sub("", number)
    comma, point = number.rfind(","), number.rfind(".")
    if comma >= 0 and point >= 0:
        return "," if comma > point else "."
    if number.count(",") > 1 or number.count(".") > 1:
        is_grouped = re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", number)
        return None if is_grouped is None else "." if comma >= 0 else ","
    mark: DecimalMark = "," if comma >= 0 else "."
    after = len(number) - 1 - max(comma, point)
    return mark if max(comma, point) >= 0 and after in (1, 2) else None


def _infer_day_first(text: str) -> bool | None:
    """Whether the day comes first; None when both numbers could be months."""
    if said := _SAYS_ORDER.search(text):
        return said[1].casefold() == "dd"
    match = _YEAR_LAST.search(text)
    if match is None or match[2] == "." or (int(match[1]) <= _MONTHS_IN_A_YEAR >= int(match[3])):
        return None
    return int(match[1]) > _MONTHS_IN_A_YEAR


def _plain_digits(number: str, decimal: DecimalMark | None) -> str | None:
    """Digits with at most one point, from any style of thousands and decimals."""
    if decimal is not None and re.fullmatch(r"\d{1,3}([.,]\d{3})+", number) and decimal not in number:
        return re.sub(r"[.,]", "", number)
    comma, point = number.count(","), number.count(".")
    if comma and point:
        mark = "," if number.rfind(",") > number.rfind(".") else "."
        if number.count(mark) > 1:
            return None
        number = number.replace("." if mark == "," else ",", "").replace(mark, ".")
    elif comma > 1 or point > 1 or (decimal != "," and re.fullmatch(r"[1-9]\d{0,2},\d{3}", number)):
        number = number.replace(",", "").replace(".", "")
    else:
        number = number.replace(",", ".")
    return f"0{number}" if number.startswith(".") else number


def _is_negative(text: str, number: str) -> bool:
    """A sign before it, one right behind it (`12.50-`), or brackets around it."""
    before, _, after = text.partition(number)
    sign = _SIGNED.search(before)
    brackets = _OPENED.search(before) and _CLOSED.match(after)
    return bool(sign or brackets) or after.startswith(("-", "\u2212"))


def _day_in(text: str, day_first: bool | None) -> date | None:
    """The one day that a text names; None when it names several, or one that is ambiguous."""
    for pattern, read in ((_YEAR_FIRST, _year_first), (_YEAR_LAST, _year_last), (_MONTH_NAMED, _month_named)):
        if days := {read(match, day_first) for match in pattern.finditer(text)}:
            return days.pop() if len(days) == 1 else None
    return None


def _year_first(match: re.Match[str], _: bool | None) -> date | None:
    return date(int(match[1]), int(match[2]), int(match[3]))


def _year_last(match: re.Match[str], day_first: bool | None) -> date | None:
    days = days_meant(int(match[1]), match[2], int(match[3]), int(match[4]))
    if len(days) == 2 and day_first is not None:  # noqa: PLR2004 - other values of the column decide
        return days[0] if day_first else days[1]
    return days[0] if len(days) == 1 else None


def _month_named(match: re.Match[str], _: bool | None) -> date | None:
    day = match[1] or match[3]
    return date(int(match[4]), MONTH_NUMBERS[match[2]], int(day)) if day else None

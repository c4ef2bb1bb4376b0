"""Values that are named by the words beside them, without a colon: "Room B17", "4 places left".

Only the order of the words says which is the label, so such names count only where they match exactly.
"""

import re
from collections.abc import Iterator

from pagehand.page.extraction.values import CURRENCY
from pagehand.page.phrases.plurals import singular
from pagehand.workflow.dates import MONTH_NUMBERS

_LONGEST = 400
_SEPARATOR = re.compile(r" [·•|] ")
_WORDS = r"[^\W\d_]+(?: [^\W\d_]+){0,3}"
_MONTH = rf"(?:{'|'.join(MONTH_NUMBERS)})\b\.?"
_YEAR = r"(?:,? \d{4})?"
_DATE = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )?"
    r"(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)? {_MONTH}{_YEAR}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?{_YEAR})"
)
_COUNTED = re.compile(rf"(?<![\d.,])(?P<value>\d[\d.,]*+) (?P<label>{_WORDS})")
_CODED = re.compile(rf"(?P<label>(?=[A-Z]){_WORDS})\.? #?(?P<value>[A-Z]{{0,4}}[-/]?\d[\w.:/-]*)")
_DATED = re.compile(rf"(?P<label>{_WORDS}?)(?: on)? (?P<value>{_DATE})(?![\w/])", re.IGNORECASE)
_STATED = re.compile(
    rf"(?:your |the |our |my )?(?P<label>{_WORDS}) (?:is|was|will be)(?: (?!not\b)[^\W\d_]+)?(?: on| at)? "
    rf"(?P<value>{_DATE}|{CURRENCY}? ?\d[\d.,]*\d)(?P<per> per [^\W\d_]+)?(?=[.,;]? |[.,;]?$)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_CALLED = re.compile(
    r"\b(?:call|phone|tel|telephone|ring|mobile|hotline)\b[^\d+(]{0,12}(?P<value>[+(]?\d[\d ()/.-]{5,18}\d)",
    re.IGNORECASE,
)


def named_values(text: str) -> Iterator[tuple[str, str]]:
    """Labels and values in a text."""
    if len(text) > _LONGEST or not any(letter.isdigit() for letter in text):
        return
    if called := _CALLED.search(text):
        yield "phone", called["value"]
    for sentence in _SENTENCE_END.split(text):
        if stated := _STATED.match(sentence):
            yield from _suffixes(stated["label"], stated["per"] or "", stated["value"])
    for part in _SEPARATOR.split(text):
        found = _DATED.match(part) or _COUNTED.fullmatch(part) or _CODED.fullmatch(part)
        if found:
            # "1 place left" in one card is "4 places left" in another
            yield " ".join(singular(word) for word in found["label"].split(" ")), found["value"]


def _suffixes(label: str, per: str, value: str) -> Iterator[tuple[str, str]]:
    """An "arranged overdraft limit" is an "overdraft limit" too; a single last word may be anything."""
    words = label.split(" ")
    for start in range(max(1, len(words) - 1)):
        yield " ".join(words[start:]) + per, value


def without_the_next(value: str) -> str:
    """The value of "Tutor: Ada · Room B17" up to where another label begins; a list of values stays whole."""
    first, *others = _SEPARATOR.split(value)
    return first if any(":" in other or _CODED.fullmatch(other) for other in others) else value

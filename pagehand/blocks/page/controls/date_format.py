"""How a field wants its date written: formats of YYYY MM DD tokens, and the signs that give one away."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from msgspec import Struct

from pagehand.blocks.dates import ParsedDate
from pagehand.workflow.dates import MONTHS, month_number

ISO: Final = "YYYY-MM-DD"

_TOKEN: Final = re.compile(r"YYYY|YY|MMMM|MMM|MM|M|DD|D|dddd|ddd|HH|H|hh|h|mm|m|ss|A|a")
_READS: Final = {
    "YYYY": r"(?P<year>\d{4})",
    "YY": r"(?P<short>\d{2})",
    "MMMM": r"(?P<name>[^\W\d_]+)",
    "MMM": r"(?P<name>[^\W\d_]+)\.?",
    "MM": r"(?P<month>\d{1,2})",
    "DD": r"(?P<day>\d{1,2})",
    "HH": r"(?P<hour>\d{1,2})",
    "mm": r"(?P<minute>\d{1,2})",
    "ss": r"(?P<second>\d{1,2})",
    "A": r"(?P<half>[AaPp])\.?[Mm]\.?",
    "dddd": r"[^\W\d_]+",
}
_READS_LIKE: Final = {
    "M": "MM",
    "D": "DD",
    "H": "HH",
    "hh": "HH",
    "h": "HH",
    "m": "mm",
    "a": "A",
    "ddd": "dddd",
}
_GAP: Final = r"\s{0,2}[\s./,-]\s{0,2}"
_RUN: Final = r"(?P<{0}>(?P<{0}1>[^\W\d_])(?P={0}1)*)"
_LONGEST: Final = 200
"""How much of a hint or value is looked at; the patterns are slow on long texts."""
_HINT: Final = re.compile(
    rf"(?<!\w){_RUN.format('a')}(?P<gap>{_GAP}){_RUN.format('b')}(?:(?P<gap2>{_GAP}){_RUN.format('c')})?(?!\w)",
    re.IGNORECASE,
)
_HINT_TIME: Final = re.compile(
    r"(?<!\w)(?P<h>h{1,2}|H{1,2}):(?:mm|MM)(?P<s>:ss|:SS)?(?P<half>\s*(?:aa?|AA?|tt|TT|am/pm|AM/PM)(?!\w))?"
)
_SAMPLE: Final = re.compile(r"(?<!\d)(\d{1,4})(\s?[./-]\s?)(\d{1,2})\2(\d{2,4})(?!\d)")
_NAMED_SAMPLE: Final = (
    (re.compile(r"(?<![^\W\d_])([^\W\d_]{3,}+)\.? \d{1,2}(,?) \d{4}"), "{month} D{comma} YYYY"),
    (re.compile(r"\d{1,2} ([^\W\d_]{3,})\.?(,?) \d{4}"), "D {month}{comma} YYYY"),
)
_SAMPLE_TIME: Final = re.compile(r"\d{1,2}:\d{2}(?P<s>:\d{2})?(?P<half>\s*[AaPp]\.?[Mm])?")
_BLANK_MASK: Final = re.compile(r"(?<!\w)([_#09X])\1(\s?[./-]\s?)\1\1\2(\1{2,4})(?!\w)")
_DIGITS_PATTERN: Final = re.compile(r"\(?(?:\\d|\[0-9\])\{(\d)(?:,\d)?\}\)?\\?([./-])")


def format_date(moment: ParsedDate, style: str) -> str:
    """The moment in a style such as `DD.MM.YYYY HH:mm`."""
    at = moment.at
    parts = {
        "YYYY": f"{at.year:04d}",
        "YY": f"{at.year % 100:02d}",
        "MMMM": MONTHS[at.month - 1],
        "MMM": MONTHS[at.month - 1][:3],
        "dddd": f"{at:%A}",
        "ddd": f"{at:%a}",
        "A": "PM" if at.hour >= 12 else "AM",  # noqa: PLR2004 - noon
        "a": "pm" if at.hour >= 12 else "am",  # noqa: PLR2004 - noon
    }
    numbers = {
        "M": at.month,
        "D": at.day,
        "H": at.hour,
        "h": at.hour % 12 or 12,
        "m": at.minute,
        "s": at.second,
    }

    def put(token: re.Match[str]) -> str:
        word = token[0]
        return parts[word] if word in parts else str(numbers[word[0]]).zfill(len(word))

    return _TOKEN.sub(put, style)


def parse_formatted(text: str, style: str) -> datetime | None:
    """The date that `text` shows in this style; None when it does not fit."""
    places, pattern, seen = 0, "", set[str]()
    for token in _TOKEN.finditer(style):
        known = _READS_LIKE.get(token[0], token[0])
        if known in seen:
            return None
        seen.add(known)
        pattern += re.escape(style[places : token.start()]) + _READS[known]
        places = token.end()
    found = re.fullmatch(pattern + re.escape(style[places:]), " ".join(text.split()))
    try:
        return _put_together(found.groupdict()) if found else None
    except ValueError:
        return None


def shows_date(text: str, moment: ParsedDate, style: str | None) -> bool:
    """True when a field that shows `text` holds this date, in `style` or in a style of the page."""
    if style is not None and (shown := parse_formatted(text, style)) is not None:
        return _same(shown, moment, style)
    guesses = (style_of_sample(text, day_first=first) for first in (True, False))
    return any(
        guess is not None
        and (shown := parse_formatted(text, guess)) is not None
        and _same(shown, moment, guess)
        for guess in guesses
    )


class DateField(Struct, rename="camel"):
    """What a field says about the dates it takes, as `date_field.js` reads it."""

    type: str
    """Of an input; empty for other elements."""
    typeable: bool
    value: str
    hints: list[str]
    pattern: str
    locale_style: str
    """How dates are written in the language of the page."""
    has_region: bool
    """True when that language says in which order a date is written."""
    inner: int
    """How many inputs are in it."""


def style_of_field(facts: DateField) -> str | None:
    """The style a field asks for: by its hints, its pattern, what stands in it, or its language."""
    day_first = not facts.locale_style.startswith("M")
    for hint in facts.hints:
        if style := style_of_hint(hint, day_first=day_first):
            return style
    if style := _style_of_pattern(facts.pattern, day_first=day_first):
        return style
    if style := style_of_sample(facts.value, day_first=day_first):
        return style
    return facts.locale_style if facts.has_region else None


def style_of_hint(text: str, *, day_first: bool) -> str | None:
    """The style in a placeholder or an attribute: `mm/dd/yyyy`, `TT.MM.JJJJ`, `__/__/____`, `31.12.2026`."""
    text = text[:_LONGEST]
    found = next(filter(None, map(_tokens, _HINT.finditer(text))), None)
    clock = _HINT_TIME.search(text)
    if found or clock:
        return " ".join(part for part in (found, _clock_tokens(clock)) if part)
    if mask := _BLANK_MASK.search(text):
        order = ("DD", "MM") if day_first else ("MM", "DD")
        return mask[2].join((*order, "Y" * len(mask[3])))
    return style_of_sample(text, day_first=day_first)


def style_of_sample(text: str, *, day_first: bool) -> str | None:
    """The style of a date that stands there; `day_first` settles 03/04/2026."""
    text = text[:_LONGEST]
    clock = _SAMPLE_TIME.search(text)
    time = (
        f" {'hh' if clock['half'] else 'HH'}:mm{':ss' if clock['s'] else ''}{' A' if clock['half'] else ''}"
        if clock
        else ""
    )
    if found := _SAMPLE.search(text):
        first, gap, second, last = found.groups()
        if len(first) == 4:  # noqa: PLR2004 - a year
            return gap.join(("YYYY", "MM", "DD")) + time
        day_first = int(first) > 12 or (day_first and int(second) <= 12)  # noqa: PLR2004 - months
        order = (
            (("D" * len(first)), "M" * len(second)) if day_first else ("M" * len(first), "D" * len(second))
        )
        return gap.join((*order, "YYYY" if len(last) == 4 else "YY")) + time  # noqa: PLR2004 - a year
    for pattern, style in _NAMED_SAMPLE:
        # a style is written with English names, so a sample in another language gives none away
        if (found := pattern.search(text)) and _is_english_month(found[1]):
            month = "MMMM" if len(found[1]) > 4 else "MMM"  # noqa: PLR2004 - Sept is short
            return style.format(month=month, comma=found[2]) + time
    return None


def _is_english_month(name: str) -> bool:
    return any(month.casefold().startswith(name.casefold()) for month in MONTHS)


def _same(shown: datetime, moment: ParsedDate, style: str) -> bool:
    """Compare by the tokens that matter: those of the clock only where a time was asked for."""
    clock = ("HH", "H", "hh", "h", "mm", "m", "A", "a") if moment.has_time else ()
    day = ("YYYY", "YY", "MMMM", "MMM", "MM", "M", "DD", "D")
    compared = " ".join(token for token in _TOKEN.findall(style) if token in day + clock)
    return format_date(ParsedDate(shown), compared) == format_date(moment, compared)


def _put_together(found: Mapping[str, str | None]) -> datetime | None:
    name = found.get("name")
    month = month_number(name) if name else int(found.get("month") or 1)
    if month is None:
        return None
    year = int(found.get("year") or 2000 + int(found.get("short") or 0))
    hour = int(found.get("hour") or 0)
    if half := found.get("half"):
        hour = hour % 12 + 12 * (half.lower() == "p")
    return datetime(  # noqa: DTZ001 - a calendar's day has no zone
        year,
        month,
        int(found.get("day") or 1),
        hour,
        int(found.get("minute") or 0),
        int(found.get("second") or 0),
    )


def _tokens(found: re.Match[str]) -> str | None:
    """A hint's letters in our tokens; None unless they are a day, a month and a year, or the latter two."""
    runs = [found[name] for name in "abc" if found[name]]
    tokens = [_token(run) for run in runs]
    if sorted(token[0] for token in tokens) not in (["D", "M", "Y"], ["M", "Y"]):
        return None
    return tokens[0] + found["gap"] + tokens[1] + (found["gap2"] + tokens[2] if found["c"] else "")


def _token(run: str) -> str:
    letter = run[0].lower()
    if letter in "m\u043c":  # Latin and Cyrillic
        return "M" * max(len(run), 2)
    if run == "Y" or len(run) == 4:  # noqa: PLR2004 - a year, whatever the language calls it
        return "YYYY"
    return "YY" if letter == "y" else "D" * max(len(run), 2)


def _clock_tokens(found: re.Match[str] | None) -> str:
    if found is None:
        return ""
    hours = "hh" if found["half"] else "HH"
    return f"{hours}:mm{':ss' if found['s'] else ''}{' A' if found['half'] else ''}"


def _style_of_pattern(pattern: str, *, day_first: bool) -> str | None:
    r"""The style behind a `pattern` attribute such as `\d{2}/\d{2}/\d{4}`."""
    found = _DIGITS_PATTERN.findall(pattern)
    if len(found) != 2:  # noqa: PLR2004 - the gaps between day, month and year
        return None
    if found[0][0] == "4":
        return found[0][1].join(("YYYY", "MM", "DD"))
    return found[0][1].join(("DD", "MM", "YYYY") if day_first else ("MM", "DD", "YYYY"))

"""Values that are named by their look, or by the words beside them: "Room B17", "4 places left".

Only the order of the words says which is the label, so such names count only where they match exactly.
"""

import re
from collections.abc import Iterator

from pagehand.page.extraction.label_matching import LOOKS_OF_WORDS
from pagehand.page.extraction.values import CURRENCY
from pagehand.page.phrases.plurals import singular
from pagehand.workflow.dates import MONTH_NUMBERS

_LONGEST = 400
_SEPARATOR = re.compile(r" [·•|\u2013\u2014] ")
_ENDS_VALUE = re.compile(r" [·•|] ")
_WORDS = r"[^\W\d_]+(?: [^\W\d_]+){0,3}"
_MONTH = rf"(?:{'|'.join(MONTH_NUMBERS)})\b\.?"
_YEAR = r"(?:,? \d{4})?"
_DATE = (
    r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,? )?"
    r"(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)? {_MONTH}{_YEAR}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?{_YEAR})"
)
_NUMBERED = re.compile(r"\b(?:no|nr|number|id|ref|reference|code)$", re.IGNORECASE)
_IBAN = re.compile(r"\b[A-Z]{2}\d\d(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b")
_AUTHOR_VERBS = frozenset(("published", "posted", "written", ""))
_DONE_BY = re.compile(
    rf"(?P<verb>[A-Z][a-z]+(?:ed|en))?(?P<before>(?: on)? (?i:{_DATE}))? ?[Bb]y "
    rf"(?P<who>[^\W\d_][\w.'-]*+(?: [^\W\d_a-z][\w.'-]*+){{0,3}})(?:,?(?: on)? (?P<after>(?i:{_DATE})))?"
    r"(?i: verified (?:purchase|buyer))?"
)
_COUNTED = re.compile(rf"(?<![\d.,])(?P<value>\d[\d.,]*+) (?P<label>{_WORDS})")
_CODED = re.compile(
    rf"(?P<label>(?=[A-Z]){_WORDS})\.? #?(?P<value>[A-Z]{{0,4}}[-/]?\d[\w.:/-]*(?: \d{{2,8}})*)"
)
_DATED = re.compile(
    rf"(?P<label>{_WORDS}?)(?: on| by)? (?P<value>{_DATE}(?: \((?:dd/mm|mm/dd)/yy(?:yy)?\)?)?)(?![\w/])",
    re.IGNORECASE,
)
_AGO = re.compile(
    rf"(?P<label>{_WORDS}?) (?P<value>(?:(?:\d{{1,3}}\+?|an?) (?:minute|hour|day|week|month|year)s? ago"
    r"|today|yesterday|just now))",
    re.IGNORECASE,
)
"""How long ago something was done: "Posted 3 days ago"."""
_STATED = re.compile(
    rf"(?:your |the |our |my )?(?P<label>{_WORDS}) (?:is|was|will be)(?: (?!not\b)[^\W\d_]+)?(?: on| at)? "
    rf"(?P<value>{_DATE}|{CURRENCY}? ?\d[\d.,]*\d)(?P<per> per [^\W\d_]+)?"
    rf"(?: as (?:of|at) (?P<day>{_DATE}))?(?=[.,;]? |[.,;]?$)",
    re.IGNORECASE,
)
_LOOKS = {
    "email": re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++"),
    "phone": re.compile(
        r"(?!\d\d?[./-]\d\d?[./-]\d+$)(?:(?:\+\d|\(\d|0\d)[\d ()/.-]{6,18}\d|\d{3}[-.]\d{3}[-.]\d{4})"
    ),
    "date": re.compile(_DATE, re.IGNORECASE),
    "sent at": re.compile(rf"{_DATE},? (?:at )?\d\d?:\d\d", re.IGNORECASE),
}
_RATED = re.compile(
    r"[★⭐☆✩✭]+ ?(?P<value>\d(?:[.,]\d+)?)(?: ?(?:/|out of) ?\d+)?|(?P<stars>\d(?:[.,]\d+)?) ?[★⭐☆✩✭]+"
)
_OUT_OF = re.compile(r"(?:rated )?(?P<value>\d(?:[.,]\d+)?) (?:out of|of) (?:5|10)(?: stars)?", re.IGNORECASE)
_REVIEWED = re.compile(
    r"(?:[★⭐☆✩✭]{1,5} ?)?(?P<value>\d(?:[.,]\d{1,3})?)(?: ?(?:/|out of) ?\d{1,3})? ?"
    r"\(?(?P<count>\d[\d.,]*+) (?P<what>review|rating)s?\)?",
    re.IGNORECASE,
)
_STARS = re.compile(r"★{0,5}☆{0,5}(?<=.{5})")
_STOCKED = re.compile(
    r"(?P<yes>in stock|available)|out of stock|not in stock|sold out|unavailable", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_RATE = re.compile(r"(?<![\d.,])(?P<rate>\d{1,2}(?:[.,]\d{1,3})?) ?%")
_DAY_OR_MONTH = re.compile(r"\d{1,2}[./-](?:\d{1,2}[./-])?\d{2,4}")
_SUBJECTS = ("subject", "headline")
HAVE_SUBJECT = frozenset(
    ("ticket", "issue", "case", "request", "incident", "bug", "task", "topic", "question")
)
_RATE_NAMES = ("rate", "percent", "percentage", "rate percent")
_HEADED = re.compile(
    rf"(?P<words>{_WORDS})(?: ?# ?|: ?| (?:no|nr)\. ?| )"
    r"(?P<code>(?!(?:19|20)\d\d\b)[A-Z]{0,4}[-/]?\d[\w./-]{2,20})"
    r"(?: ?[(\u2013\u2014:-] ?(?P<rest>[^\W\d_][^()]*)\)?)?"
)
_CALLED = re.compile(
    r"\b(?:call|phone|tel|telephone|ring|mobile|hotline)\b[^\d+(]{0,12}(?P<value>[+(]?\d[\d ()/.-]{5,18}\d)",
    re.IGNORECASE,
)


def named_values(text: str) -> Iterator[tuple[str, str]]:
    """Labels and values in a text."""
    yield from ((name, text) for name, look in _LOOKS.items() if look.fullmatch(text[:_LONGEST]))
    if len(text) > _LONGEST:
        return
    yield from _ways_to_reach(text)
    people = [done for part in _SEPARATOR.split(text) if (done := _DONE_BY.fullmatch(part))]
    yield from (named for done in people for named in _done_by(done))
    if people and people[0][0] == text:
        return
    yield from _judgements(text)
    if ago := _AGO.fullmatch(text):
        yield ago["label"], ago["value"]
        return
    if not any(letter.isdigit() for letter in text):
        return
    for sentence in _SENTENCE_END.split(text):
        if stated := _STATED.match(sentence):
            yield from _suffixes(stated["label"], stated["per"] or "", stated["value"])
            if stated["day"]:
                yield from _suffixes(stated["label"], " date", stated["day"])
    for part in _SEPARATOR.split(text.removeprefix("(").removesuffix(")")):
        if part != text and _LOOKS["date"].fullmatch(part):
            yield "date", part
        yield from _beside(part)


def _beside(part: str) -> Iterator[tuple[str, str]]:
    """A value and the words beside it."""
    found = _DATED.match(part) or _COUNTED.fullmatch(part) or _CODED.fullmatch(part)
    if found is None:
        return
    # "Policy HH-55120" has the number of a policy
    is_code = found.re is _CODED and not _DAY_OR_MONTH.fullmatch(found["value"])
    if is_code and not _NUMBERED.search(found["label"]):
        yield f"{found['label']} number", found["value"]
    # a `joinedDate` is "Joined 3 May 2026"
    if found.re is _DATED:
        yield f"{found['label']} date", found["value"]
    # "1 place left" in one card is "4 places left" in another
    yield " ".join(singular(word) for word in found["label"].split(" ")), found["value"]


def _done_by(done: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Who did it and when: "Opened by Lena Moor on 2 March 2026"."""
    verb = (done["verb"] or "").casefold()
    yield f"{verb} by".strip(), done["who"]
    if verb in _AUTHOR_VERBS:
        yield "author", done["who"]
    if when := done["before"] or done["after"]:
        yield f"{verb} date".strip(), when.strip().removeprefix("on ")


def _ways_to_reach(text: str) -> Iterator[tuple[str, str]]:
    """A phone number to call, and the only mail address or bank account of a sentence."""
    if len(accounts := _IBAN.findall(text)) == 1:
        yield "iban", accounts[0]
    if called := _CALLED.search(text):
        yield "phone", called["value"]
    if len(mailed := _LOOKS["email"].findall(text)) == 1:
        yield "contact email", mailed[0]


def _judgements(text: str) -> Iterator[tuple[str, str]]:
    """How many stars, and whether there is any."""
    if rated := _RATED.fullmatch(text):
        yield "rating", rated["value"] or rated["stars"]
    if reviewed := _REVIEWED.fullmatch(text):
        yield "rating", reviewed["value"]
        yield f"{reviewed['what']} count", reviewed["count"]
    if rated := _OUT_OF.fullmatch(text):
        yield "rating", rated["value"]
    if _STARS.fullmatch(text):
        yield "rating", str(sum(text.count(star) for star in "★⭐"))
    if stocked := _STOCKED.fullmatch(text):
        yield "in stock", "yes" if stocked["yes"] else "no"


def _suffixes(label: str, per: str, value: str) -> Iterator[tuple[str, str]]:
    """An "arranged overdraft limit" is an "overdraft limit" too; a single last word may be anything."""
    words = label.split(" ")
    for start in range(max(1, len(words) - 1)):
        yield " ".join(words[start:]) + per, value


def rate_in_label(label: str) -> Iterator[tuple[str, str]]:
    """The rate that stands in the label of an amount: "VAT 19 %"."""
    rates = _RATE.findall(label)
    words = re.findall(r"[^\W\d_]+", label)
    is_plain = not re.search(r"\d", _RATE.sub("", label))
    if len(rates) == 1 and is_plain:
        # "Sales tax (8.25%)" is a tax rate
        starts = range(len(words))
        yield from ((f"{' '.join(words[at:])} {name}", rates[0]) for at in starts for name in _RATE_NAMES)


def record_in_heading(heading: str) -> Iterator[tuple[str, str]]:
    """The number of a record, and its state or subject, in a heading: "Sales order SO-10482 (Draft)"."""
    found = _HEADED.fullmatch(heading[:_LONGEST])
    if found and not _DAY_OR_MONTH.fullmatch(found["code"]):
        words = found["words"].split(" ")
        yield from ((f"{' '.join(words[at:])} number", found["code"]) for at in range(len(words)))
        if found["rest"]:
            is_state = LOOKS_OF_WORDS["status"].fullmatch(found["rest"])
            # behind the number of an order or a customer may stand whose it is
            subject = _SUBJECTS if words[-1].casefold() in HAVE_SUBJECT else ()
            yield from ((name, found["rest"]) for name in (("status",) if is_state else subject))


def without_the_next(value: str) -> str:
    """The value of "Tutor: Ada · Room B17" up to where another label begins; a list of values stays whole."""
    first, *others = _ENDS_VALUE.split(value)
    return first if any(":" in other or _CODED.fullmatch(other) for other in others) else value

"""Names and labels as words, and how well a label names a property.

`unitPrice`, `unit_price` and "Price per unit" are the same words. A property fits a label when neither says
something that the other does not know: words left over on both sides mean two different things ("order
date", "delivery date"), words left over on one side have to be unimportant, explained by what stands around
("Date" under the heading "Orders"), or qualify the same noun ("price", "unit price").
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from pagehand.words.plurals import singular

_GROUPS = """
price cost amount total sum fee charge
name title heading
phone tel telephone mobile
email mail
date on when day
quantity qty count pcs units
url link href website homepage
image photo picture img thumbnail avatar
id number no nr num ref reference
description desc details summary about
status state
company employer organization organisation firm
salary pay wage compensation
rating stars score
zip postcode plz
location place where
category type kind
customer client buyer
vendor seller supplier merchant
stock availability available inventory
brand manufacturer maker
tax vat gst
address street
author writer
"""
_CANONICAL = {word: line.split()[0] for line in _GROUPS.strip().splitlines() for word in line.split()}

_PHRASES = (
    (re.compile(r"\be-mail\b"), "email"),
    (re.compile(r"\b(phone|telephone|tel|mobile)\.? (number|no)\b\.?"), "phone"),
    (re.compile(r"\b(postal|post|zip) code\b"), "zip"),
    (re.compile(r"\bweb ?site\b"), "website"),
    (re.compile(r"\b(?:number|no\.?|#) of (\w+)"), r"\1 count"),
    (re.compile(r"#"), " number "),
    (re.compile(r"%"), " percent "),
)
_UNIMPORTANT = frozenset(
    re.findall(
        r"\w+",
        """the a an your our my this of per in for by from to at and or incl including with all current unit
        each full due grand payable final eur usd gbp chf value text field label info is has item card
        product list js box wrapper wrap block col cell row data content""",
    )
)
_PREPOSITIONS = frozenset(("of", "per", "in", "for", "by", "from", "to", "at", "incl", "including", "with"))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BRACKETS = re.compile(r"\([^)]*\)|\[[^]]*\]")

TYPE_WORDS = frozenset(("name", "id", "date", "price"))
"""Words that say what kind of value it is: "Customer" may name a `customerName`, "Due" a `dueDate`."""

_SYNONYM, _WEAK, _EXPLAINED, _TYPE_DROPPED, _QUALIFIED = 0.85, 0.04, 0.1, 0.15, 0.2


@dataclass(frozen=True, slots=True)
class Words:
    """A name or label taken apart."""

    literal: tuple[str, ...]
    """Its words, in the singular."""
    meaning: tuple[str, ...]
    """The same with one word for all of a kind."""
    head: str
    """The meaning of the word that the others qualify."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How well a label names a property."""

    score: float
    dropped: frozenset[str] = frozenset()
    """Type words of the property that the label leaves out: the values have to make up for them."""


NO_LIKENESS = Likeness(0.0)


@lru_cache(maxsize=4096)
def words_of(text: str) -> Words:
    """`unit_price`, `unitPrice` or "Unit price (EUR):" as words."""
    plain = _BRACKETS.sub(" ", text) if _BRACKETS.sub("", text).strip() else text
    plain = _CAMEL.sub(" ", plain).replace("_", " ").casefold()
    plain = re.sub(r"(?<=\w)-(?=\w)", " ", plain.replace("e-mail", "email"))
    for pattern, words in _PHRASES:
        plain = pattern.sub(words, plain)
    literal = tuple(word if word in _CANONICAL else singular(word) for word in re.findall(r"[^\W_]+", plain))
    meaning = tuple(_CANONICAL.get(word, word) for word in literal)
    return Words(literal, meaning, _head(literal, meaning))


def meanings(*texts: str) -> frozenset[str]:
    """All that some texts speak of."""
    return frozenset(word for text in texts for word in words_of(text).meaning) - _UNIMPORTANT


def likeness(name: Words, label: Words, around: Collection[str]) -> Likeness:
    """How well `label` names what is called `name`, where `around` is spoken of."""
    shared = set(name.meaning) & set(label.meaning)
    important = set(name.meaning) - _UNIMPORTANT
    if not shared or (important and not shared - _UNIMPORTANT):
        return NO_LIKENESS
    score = sum(_closeness(word, name, label) for word in shared) / len(shared)
    unsaid = _left_over(name, shared)
    explained = {word for word in unsaid if word in around}
    dropped = (unsaid - explained) & TYPE_WORDS
    more = _left_over(label, shared)
    if unsaid - explained - dropped or (more - set(around) and unsaid):
        return NO_LIKENESS
    if more and label.head not in shared:
        return NO_LIKENESS
    score -= _WEAK * len((set(name.meaning) ^ set(label.meaning)) & _UNIMPORTANT)
    score -= _EXPLAINED * (len(explained) + len(more & set(around)))
    score -= _QUALIFIED * bool(more - set(around)) + _TYPE_DROPPED * len(dropped)
    return Likeness(score, frozenset(dropped))


def _closeness(meaning: str, name: Words, label: Words) -> float:
    literal = {word for word, one in zip(name.literal, name.meaning, strict=True) if one == meaning}
    return 1.0 if literal & set(label.literal) else _SYNONYM


def _left_over(words: Words, shared: Collection[str]) -> set[str]:
    return set(words.meaning) - set(shared) - _UNIMPORTANT


def _head(literal: tuple[str, ...], meaning: tuple[str, ...]) -> str:
    """The last word before a preposition: `date` in "date of birth" and in "birth date"."""
    for place, word in enumerate(literal):
        if word in _PREPOSITIONS and place:
            return meaning[place - 1]
    important = [one for one in meaning if one not in _UNIMPORTANT]
    return important[-1] if important else (meaning[-1] if meaning else "")

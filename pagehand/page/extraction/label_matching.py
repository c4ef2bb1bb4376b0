"""Names and labels as words, and how well a label names a property.

`unitPrice`, `unit_price` and "Price per unit" are the same words. Every word of a property must be explained
by the label, by what stands around it ("Date" under the heading "Orders"), or, for words that only say what
kind of value it is, by the values ("Customer" for a `customerName`). A label that says all of it and no more
is exact; one that says more ("Sale price" for `price`) is partial, and taken only where there is no other.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from pagehand.page.phrases.plurals import singular
from pagehand.page.phrases.tokens import split_words

_GROUPS = """
price cost
amount sum
fee charge
title heading
phone tel telephone mobile
email mail
date on at when day
quantity qty count pcs units
url link href
website homepage
image photo picture img thumbnail avatar
id number no nr num
ref reference
description desc details
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
author writer
"""
_CANONICAL = {word: line.split()[0] for line in _GROUPS.strip().splitlines() for word in line.split()}

_PHRASES = (
    (re.compile(r"#"), " number "),
    (re.compile(r"%"), " percent "),
    (re.compile(r"\be mail\b"), "email"),
    (re.compile(r"\bemail address\b"), "email"),
    (re.compile(r"\b(phone|telephone|tel|mobile)\.?\s+(number|no)\b\.?"), "phone"),
    (re.compile(r"\b(postal|post|zip) code\b"), "zip"),
    (re.compile(r"\bweb site\b"), "website"),
    (re.compile(r"\bin (eur|usd|gbp|chf)\b"), ""),
    (re.compile(r"\b(?:number|no\.?) of (\w+)"), r"\1 count"),
)
_WORD = re.compile(r"\w+")
_FUNCTION = frozenset(
    _WORD.findall("the a an your our my this of per and or incl including with is has eur usd gbp chf")
)
"""Words that say nothing about what is meant. `by`, `from` and `to` do: "Valid from" is not "Valid to"."""
MARKUP = frozenset(
    _WORD.findall(
        """value text field label info item card product list js box wrapper wrap block col cell row data
        content"""
    )
)
"""Words that class names are padded with."""
_QUALIFIERS = frozenset(
    _WORD.findall(
        """due start end begin first last middle full next previous new old net gross total unit min max
        expiry expiration valid until from to by created updated modified birth born"""
    )
)
"""Words that tell apart what stands side by side; a heading above never explains them."""
_PREPOSITIONS = frozenset(("of", "per", "in", "for", "by", "from", "to", "incl", "including", "with"))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)")
_BRACKETS = re.compile(r"\([^()]*+\)|\[[^][]*+\]")

TYPE_WORDS = frozenset(("name", "id", "date", "price", "amount", "quantity"))
"""Words that say what kind of value it is: "Customer" may name a `customerName`, "LOT #" a `lot`."""

_MOST_EXTRA = 2
_SYNONYM, _WEAK, _EXPLAINED, _TYPE_DROPPED, _TYPE_ADDED, _QUALIFIED = 0.85, 0.02, 0.1, 0.15, 0.12, 0.2


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
    added: frozenset[str] = frozenset()
    """Type words that only the label has: the values have to be of that kind."""
    is_exact: bool = False
    """True when the label says what the property says, and no more."""
    is_literal: bool = False
    """True when it says so in the same words."""


NO_LIKENESS = Likeness(0.0)


@lru_cache(maxsize=4096)
def words_of(text: str) -> Words:
    """`unit_price`, `unitPrice` or "Unit price (EUR):" as words."""
    plain = _BRACKETS.sub(" ", text) if _BRACKETS.sub("", text).strip() else text
    plain = _CAMEL.sub(" ", plain).replace("_", " ").casefold()
    plain = re.sub(r"(?<=\w)-(?=\w)", " ", plain)
    for pattern, words in _PHRASES:
        plain = pattern.sub(words, plain)
    literal = tuple(word if word in _CANONICAL else singular(word) for word in split_words(plain))
    meaning = tuple(_CANONICAL.get(word, word) for word in literal)
    return Words(literal, meaning, _head(literal, meaning))


def meanings(*texts: str) -> frozenset[str]:
    """All that some texts speak of."""
    return frozenset(word for text in texts for word in words_of(text).meaning) - _FUNCTION


def likeness(
    name: Words, label: Words, around: Collection[str], padding: frozenset[str] = frozenset()
) -> Likeness:
    """How well `label` names what is called `name`, where `around` is spoken of.

    `padding` are words of the label that count only where the name has them too.
    """
    named = set(name.meaning) - _FUNCTION
    labelled = set(label.meaning) - _FUNCTION - (padding - named)
    shared = named & labelled
    if not shared:
        return NO_LIKENESS
    unmatched, more = named - shared, labelled - shared
    # a heading explains `order` in `orderDate`, but never `due` or `start`: these distinguish neighbours
    explained = {word for word in unmatched if word in around} - _QUALIFIERS - TYPE_WORDS
    dropped = unmatched - explained
    known = {word for word in more if word in around}
    added = (more - known) & TYPE_WORDS
    extra = more - known - added
    if dropped - TYPE_WORDS or (unmatched and extra) or (dropped and added) or len(extra) > _MOST_EXTRA:
        return NO_LIKENESS
    # `Price list` is a list: the word that the others qualify has to be asked for
    if (extra or known) and label.head not in shared | added:
        return NO_LIKENESS
    return _likeness(name, label, shared, explained | known, dropped, added, extra)


def _likeness(
    name: Words,
    label: Words,
    shared: set[str],
    explained: set[str],
    dropped: set[str],
    added: set[str],
    extra: set[str],
) -> Likeness:
    closeness = [_closeness(word, name, label) for word in shared]
    score = sum(closeness) / len(closeness)
    score -= _WEAK * len((set(name.meaning) ^ set(label.meaning)) & _FUNCTION)
    score -= _EXPLAINED * len(explained) + _TYPE_DROPPED * len(dropped) + _TYPE_ADDED * len(added)
    score -= _QUALIFIED * bool(extra)
    is_exact = not (explained or dropped or added or extra)
    return Likeness(score, frozenset(dropped), frozenset(added), is_exact, min(closeness) == 1.0)


def _closeness(meaning: str, name: Words, label: Words) -> float:
    literal = {word for word, item in zip(name.literal, name.meaning, strict=True) if item == meaning}
    return 1.0 if literal & set(label.literal) else _SYNONYM


def _head(literal: tuple[str, ...], meaning: tuple[str, ...]) -> str:
    """The last word before a preposition: `date` in "date of birth" and in "birth date"."""
    for place, word in enumerate(literal):
        if word in _PREPOSITIONS and place:
            return meaning[place - 1]
    important = [item for item in meaning if item not in _FUNCTION]
    return important[-1] if important else (meaning[-1] if meaning else "")

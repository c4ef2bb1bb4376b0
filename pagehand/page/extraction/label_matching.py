"""How well a label on the page names a property of a schema.

`unitPrice`, `unit_price` and "Price per unit" have the same words. Every word of a property must be explained
by the label, by its context ("Date" under the heading "Orders"), or, for words that only say what kind of
value it is, by the values ("Customer" for a `customerName`). A label with exactly these words is exact; one
with more ("Sale price" for `price`) is partial, and used only where there is no other.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from pagehand.page.phrases.plurals import singular
from pagehand.page.phrases.tokens import split_words

_SYNONYMS = """
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
_CANONICAL = {word: line.split()[0] for line in _SYNONYMS.strip().splitlines() for word in line.split()}

_PHRASES = (
    (re.compile(r"#"), " number "),
    (re.compile(r"%"), " percent "),
    (re.compile(r"\be mail\b"), "email"),
    (re.compile(r"\bemail address\b"), "email"),
    (re.compile(r"\b(phone|telephone|tel|mobile)\.?\s+(number|no)\b\.?"), "phone"),
    (re.compile(r"\b(postal|post|zip) code\b"), "zip"),
    (re.compile(r"\bweb site\b"), "website"),
    (re.compile(r"\bin (eur|usd|gbp|chf)\b"), ""),
    (re.compile(r"/ ?\d+$"), ""),
    (re.compile(r"\b(?:number|no\.?) of (\w+)"), r"\1 count"),
)
_WORD = re.compile(r"\w+")
_STOP_WORDS = frozenset(
    _WORD.findall("the a an your our my this of per and or incl including with is has eur usd gbp chf")
)
"""`by`, `from` and `to` are not among them: "Valid from" is not "Valid to"."""
MARKUP_WORDS = frozenset(
    _WORD.findall(
        """value text field label info item card product list js box wrapper wrap block col cell row data
        content"""
    )
)
"""Words in class names that do not name the value."""
_QUALIFIERS = frozenset(
    _WORD.findall(
        """due start end begin first last middle full next previous new old net gross total unit min max
        expiry expiration valid until from to by created updated modified birth born"""
    )
)
"""Words that distinguish neighbouring values; a heading above never explains them."""
_PREPOSITIONS = frozenset(("of", "per", "in", "for", "by", "from", "to", "incl", "including", "with"))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)")
_BRACKETS = re.compile(r"\([^()]*+\)|\[[^][]*+\]")

TYPE_WORDS = frozenset(("name", "id", "date", "price", "amount", "quantity"))
"""Words for a kind of value: "Customer" may name a `customerName`, "LOT #" a `lot`."""

_MAX_EXTRA_WORDS = 2
_SYNONYM_SCORE = 0.85
_STOP_WORD_COST, _CONTEXT_COST, _MISSING_TYPE_COST, _EXTRA_TYPE_COST, _EXTRA_COST = 0.02, 0.1, 0.15, 0.12, 0.2


@dataclass(frozen=True, slots=True)
class LabelTokens:
    """The words of a name or a label."""

    literal: tuple[str, ...]
    """In the singular."""
    canonical: tuple[str, ...]
    """The same with one word for all synonyms."""
    head: str
    """The canonical word that the others qualify."""


@dataclass(frozen=True, slots=True)
class LabelMatch:
    """How well a label names a property."""

    score: float
    missing_type_words: frozenset[str] = frozenset()
    """Type words that only the property has: the values have to be of that type."""
    extra_type_words: frozenset[str] = frozenset()
    """Type words that only the label has: the values have to be of that type."""
    is_exact: bool = False
    """True when label and property have the same words, synonyms included."""
    is_literal: bool = False
    """True when no synonym is involved."""


NO_MATCH = LabelMatch(0.0)


@lru_cache(maxsize=4096)
def tokenize_label(text: str) -> LabelTokens:
    """`unit_price`, `unitPrice` or "Unit price (EUR):" as words."""
    plain = _BRACKETS.sub(" ", text) if _BRACKETS.sub("", text).strip() else text
    plain = _CAMEL.sub(" ", plain).replace("_", " ").casefold()
    plain = re.sub(r"(?<=\w)-(?=\w)", " ", plain)
    for pattern, words in _PHRASES:
        plain = pattern.sub(words, plain)
    literal = tuple(word if word in _CANONICAL else singular(word) for word in split_words(plain))
    canonical = tuple(_CANONICAL.get(word, word) for word in literal)
    return LabelTokens(literal, canonical, _head(literal, canonical))


def canonical_words(*texts: str) -> frozenset[str]:
    """The canonical words of some texts, without stop words."""
    return frozenset(word for text in texts for word in tokenize_label(text).canonical) - _STOP_WORDS


def match_label(
    name: LabelTokens, label: LabelTokens, context: Collection[str], ignored: frozenset[str] = frozenset()
) -> LabelMatch:
    """How well `label` names the property `name`, given the words of the context.

    `ignored` are words of the label that count only where the name has them too.
    """
    # `timeZone` is "Timezone"
    if name.literal != label.literal and "".join(name.literal) == "".join(label.literal):
        return LabelMatch(1.0, is_exact=True, is_literal=True)
    named = set(name.canonical) - _STOP_WORDS
    labelled = set(label.canonical) - _STOP_WORDS - (ignored - named)
    shared = named & labelled
    if not shared:
        return NO_MATCH
    unmatched, more = named - shared, labelled - shared
    # a heading explains `order` in `orderDate`, but never `due` or `start`: these distinguish neighbours
    explained = {word for word in unmatched if word in context} - _QUALIFIERS - TYPE_WORDS
    missing = unmatched - explained
    known = {word for word in more if word in context}
    extra_types = (more - known) & TYPE_WORDS
    extra = more - known - extra_types
    if (
        missing - TYPE_WORDS
        or (unmatched and extra)
        or (missing and extra_types)
        or len(extra) > _MAX_EXTRA_WORDS
    ):
        return NO_MATCH
    # `Price list` is a list: the head of the label has to be in the name
    if (extra or known) and label.head not in shared | extra_types:
        return NO_MATCH
    return _score_match(name, label, shared, explained | known, missing, extra_types, extra)


def _score_match(
    name: LabelTokens,
    label: LabelTokens,
    shared: set[str],
    explained: set[str],
    missing: set[str],
    extra_types: set[str],
    extra: set[str],
) -> LabelMatch:
    closeness = [_closeness(word, name, label) for word in shared]
    score = sum(closeness) / len(closeness)
    score -= _STOP_WORD_COST * len((set(name.canonical) ^ set(label.canonical)) & _STOP_WORDS)
    missing_cost, extra_cost = _MISSING_TYPE_COST * len(missing), _EXTRA_TYPE_COST * len(extra_types)
    score -= _CONTEXT_COST * len(explained) + missing_cost + extra_cost
    score -= _EXTRA_COST * bool(extra)
    is_exact = not (explained or missing or extra_types or extra)
    return LabelMatch(score, frozenset(missing), frozenset(extra_types), is_exact, min(closeness) == 1.0)


def _closeness(canonical: str, name: LabelTokens, label: LabelTokens) -> float:
    literal = {word for word, item in zip(name.literal, name.canonical, strict=True) if item == canonical}
    return 1.0 if literal & set(label.literal) else _SYNONYM_SCORE


def _head(literal: tuple[str, ...], canonical: tuple[str, ...]) -> str:
    """The last word before a preposition: `date` in "date of birth" and in "birth date"."""
    for at, word in enumerate(literal):
        if word in _PREPOSITIONS and at:
            return canonical[at - 1]
    important = [item for item in canonical if item not in _STOP_WORDS]
    return important[-1] if important else (canonical[-1] if canonical else "")

"""How well a label on the page names a property of a schema.

`unitPrice`, `unit_price` and "Price per unit" have the same words. Every word of a property must be explained
by the label, by its context ("Date" under the heading "Orders"), or, for words that only say what kind of
value it is, by the values ("Customer" for a `customerName`). A label with exactly these words is exact; one
with more ("Sale price" for `price`) is partial, and used only where there is no other.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, lru_cache

from pagehand.page.extraction.other_names import OTHER_NAMES, in_english
from pagehand.page.phrases.plurals import singular
from pagehand.page.phrases.tokens import split_words

_SYNONYMS = """
price cost
amount sum amt
average avg
reference ref
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
description desc details
account acct
address addr
department dept
manager mgr
balance bal
note remark comment
company employer organization organisation firm
salary pay wage compensation
rating stars score
extension ext
zip postcode plz
location place where
category type kind
customer client buyer
vendor seller supplier merchant
stock availability available inventory
brand manufacturer maker
tax vat gst
author writer
passenger traveller traveler
bedroom bed
bathroom bath
posted listed added published
recipient receiver consignee addressee
"""
_CANONICAL = {word: line.split()[0] for line in _SYNONYMS.strip().splitlines() for word in line.split()}

_PHRASES = (
    (re.compile(r"#"), " number "),
    (re.compile(r"(?<!\d)\d++(?:[.,]\d++)? ?%"), " "),
    (re.compile(r"%"), " percent "),
    (re.compile(r"\bdob\b"), "date of birth"),
    (re.compile(r"\b(?:family name|surname)\b"), "last name"),
    (re.compile(r"\b(?:given name|forename)\b"), "first name"),
    (re.compile(r"\be mail\b"), "email"),
    (re.compile(r"\b(pick|check) (up|in|out)\b"), r"\1\2"),
    (re.compile(r"\bdrop off\b"), "dropoff"),
    (re.compile(r"\badd ons?\b"), "addon"),
    (re.compile(r"\bemail address\b"), "email"),
    (re.compile(r"\b(phone|telephone|tel|mobile)\.?\s+(number|no)\b\.?"), "phone"),
    (re.compile(r"\b(postal|post|zip) code\b"), "zip"),
    (re.compile(r"\bweb site\b"), "website"),
    (re.compile(r"\bcontact (?:person|name)\b"), "contact"),
    (re.compile(r"^(?:order )?placed(?: on)?$"), "order date"),
    (re.compile(r"^from$"), "sender"),
    (re.compile(r"^to$"), "recipient"),
    (re.compile(r"\b(month|week)ly\b"), r"\1"),
    (re.compile(r"\b(?:annual|yearly)\b"), "year"),
    (re.compile(r"\b(?:pay|payable|due) by\b"), "due date"),
    (re.compile(r"\b(?:to pay|payable|payment due)\b"), "due"),
    (re.compile(r"\b(apply|reply|respond|register|book) by\b"), r"\1 deadline"),
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
UNITS = {
    "percent": r"%",
    "km": r"\bkm\b",
    "mile": r"\bmi(?:les?)?\b",
    "kg": r"\bkg\b",
    "lb": r"\blbs?\b",
    "gb": r"\bGB\b",
    "mb": r"\bMB\b",
    "hectare": r"\b(?:ha|hectares?)\b",
    "acre": r"\bacres?\b",
    "meter": r"\bm\b",
    "cm": r"\bcm\b",
    "kwh": r"\bkWh\b",
    "gram": r"\bg\b",
    "hour": r"\b(?:h|hrs?|hours?)\b",
    "minute": r"\bmin(?:ute)?s?\b",
    "second": r"\bs(?:ec(?:ond)?s?)?\b",
}
"""What says that a value is in a unit: a `distanceKm` is the "Distance" that is shown as "82 km"."""
_NAMED = frozenset(
    _WORD.findall(
        """employee person member student patient participant attendee guest candidate applicant player
        product article company hotel course project task event country"""
    )
)
"""What has a name: in a list of such things the column that is called so holds the names."""
_NAME = frozenset(("name",))
BESIDE_QUANTITY = "beside a quantity"
"""In the context of columns: a `price` beside a quantity is the price of one."""
_PREPOSITIONS = frozenset(("of", "per", "in", "for", "by", "from", "to", "incl", "including", "with"))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)")
_VERB_ENDING = re.compile(r"(?<=\w{3})(?:ed|ing|es|s|e|y|al|ure|ication|ation|ion)$")
_DOUBLED = re.compile(r"([bdgmnprt])\1$")
_OWN_CODE = re.compile(
    r"\b([Vv]oucher|[Cc]oupon|(?:[Dd]iscount|[Pp]romo) code) (?!(?:TOTAL|VALUE|NUMBER|CODE)$)[A-Z\d]{4,20}$"
)
"""A "Voucher SUMMER" is a voucher."""
_BRACKETS = re.compile(r"\([^()]*+\)|\[[^][]*+\]")

TYPE_WORDS = frozenset(("name", "title", "id", "date", "time", "price", "amount", "quantity", *UNITS))
"""Words for a kind of value: "Customer" may name a `customerName`, "LOT #" a `lot`."""
LOOKS_OF_WORDS = {
    "status": re.compile(
        r"(?:(?:not|un|in|partially|partly|fully|on|awaiting|being)[ -]?)?"
        r"(?:paid|fulfilled|shipped|delivered|refunded|cancell?ed|closed|completed?|approved|rejected|declined"
        r"|failed|expired|voided|received|returned|processed|authori[sz]ed|captured|settled|confirmed|accepted"
        r"|submitted|blocked|suspended|archived|resolved|scheduled|started|finished|invoiced|activated|disputed"
        r"|verified|dispatched|packed|sent|booked|open|draft|done|overdue|active|pending|progress|transit|hold"
        r"|delayed|on time)",
        re.IGNORECASE,
    ),
    "priority": re.compile(
        r"(?:highest|high|medium|normal|low|lowest|critical|urgent|major|minor|trivial|blocker)"
        r"(?: priority)?",
        re.IGNORECASE,
    ),
    "term": re.compile(
        r"(?!.*\b(?:overdue|late|ago|left|remaining|since|expected|paid|received|in \d))"
        r"(?=.{0,30}\b(?:\d{1,3} days?|net \d{1,3}|on receipt|prepaid)\b).{1,60}",
        re.IGNORECASE,
    ),
}
"""Words that a label may leave out where all values look so: below "Payment" may stand a `paymentStatus`,
`paymentTerms`, or the means of payment, which look otherwise."""
_LEFT_OUT = LOOKS_OF_WORDS.keys() | {"since"}
"""Words of a property that labels leave out; `employedSince` is the date below "Employed"."""

_MAYBE_SHORT = re.compile(r"(?<![^\W\d_])(?P<word>[^\W\d_]{2,10})(?![^\W\d_])(?P<stop>\.?)")
_ABBREVIATED = frozenset(_WORD.findall("pos disc descr cust deliv avail sched plat prio dest"))
"""Abbreviations that people write without a full stop; others may be words: port, part, form."""
_AMBIGUOUS = frozenset(
    _WORD.findall(
        """exp rec ref del inc comp est min max con cont res ser int sec dep man prom trans pro per pre sub
        gen prod org cat loc auth col char spec qual eff imp app ass inv cur curr temp term port
        part form post mod pass"""
    )
)
"""Abbreviations of several words that properties are called: expiry, expense and experience."""
_PAIR = 2
_MAX_EXTRA_WORDS = 2
_ACRONYM_LENGTH = 3
_SYNONYM_SCORE = 0.85
_OTHER_NAME_SCORE = 0.72
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
    is_explained: bool = False
    """True when the context has all words that only one of them has."""
    is_loose: bool = False
    """True when the label leaves out a part of the name, so that it may stand for another name as well."""


NO_MATCH = LabelMatch(0.0)


@lru_cache(maxsize=4096)
def tokenize_label(text: str) -> LabelTokens:
    """`unit_price`, `unitPrice` or "Unit price (EUR):" as words."""
    plain = _BRACKETS.sub(" ", text) if _BRACKETS.sub("", text).strip() else text
    plain = _CAMEL.sub(" ", _OWN_CODE.sub(r"\1", plain)).replace("_", " ").casefold()
    plain = re.sub(r"(?<=\w)-(?=\w)", " ", in_english(plain))
    for pattern, words in _PHRASES:
        plain = pattern.sub(words, plain)
    literal = tuple(word if word in _CANONICAL else singular(word) for word in split_words(plain))
    canonical = tuple(_CANONICAL.get(word, word) for word in literal)
    return LabelTokens(literal, canonical, _head(literal, canonical))


def canonical_words(*texts: str) -> frozenset[str]:
    """The canonical words of some texts, without stop words."""
    return frozenset(word for text in texts for word in tokenize_label(text).canonical) - _STOP_WORDS


def heading_names(heading: str) -> list[str]:
    """What the things below a heading may be called: an order, below "Open orders as of March 14"."""
    literal = tokenize_label(heading).literal
    end = next((at for at, word in enumerate(literal) if word in _PREPOSITIONS or word == "as"), len(literal))
    words = [word for word in literal[:end] if not any(map(str.isdigit, word))]
    return [" ".join(words[start:]) for start in range(len(words))]


def in_full(label: str, name: LabelTokens) -> str:
    """A label with its abbreviations in full, where each is that of one word of the name."""
    is_part = bool(set(name.literal) & set(tokenize_label(label).literal))

    def word_of(found: re.Match[str]) -> str:
        short = found["word"].casefold()
        words = {word for word in name.literal if word.startswith(short) and len(word) > len(short) + 1}
        # two letters say too little alone: "Unit pr."
        is_sure = found["stop"] and short not in _AMBIGUOUS and (len(short) > _PAIR or is_part)
        is_known = is_sure or short in _ABBREVIATED
        # three capitals are an acronym
        return f"{words.pop()} " if is_known and len(words) == 1 and not found["word"].isupper() else found[0]

    return _MAYBE_SHORT.sub(word_of, label)


def match_label(
    name: LabelTokens, label: LabelTokens, context: Collection[str], ignored: frozenset[str] = frozenset()
) -> LabelMatch:
    """How well `label` names the property `name`, given the words of the context.

    `ignored` are words of the label that count only where the name has them too.
    """
    found = _match_words(name, label, context, ignored)
    if found is NO_MATCH and _is_other_name(name, label, context):
        return LabelMatch(_OTHER_NAME_SCORE)
    return found


def _is_other_name(name: LabelTokens, label: LabelTokens, context: Collection[str]) -> bool:
    """True for another name of the same thing: a `hireDate` below "Joined"."""
    words = frozenset(name.canonical) - _STOP_WORDS
    # an `orderLineTotal` in an order is its line total
    bare = words - (frozenset(context) - _QUALIFIERS - TYPE_WORDS)
    labelled = frozenset(label.canonical) - _STOP_WORDS
    # an employee in a list of employees is called by a name
    if words == _NAME and labelled:
        return labelled <= _NAMED & frozenset(context)
    others = _other_names(beside_quantity=BESIDE_QUANTITY in context)
    return (
        _is_acronym(name, label)
        or _is_acronym(label, name)
        or any(labelled in others.get(one, ()) for one in (words, bare) if one)
    )


def _is_acronym(short: LabelTokens, long: LabelTokens) -> bool:
    """True for "DOS" as the `dateOfService`: two letters may stand for anything."""
    letters = "".join(word[:1] for word in long.literal)
    return len(short.literal) == 1 and len(letters) >= _ACRONYM_LENGTH and short.literal[0] == letters


def _match_words(
    name: LabelTokens, label: LabelTokens, context: Collection[str], ignored: frozenset[str]
) -> LabelMatch:
    # `timeZone` is "Timezone"
    if name.literal != label.literal and "".join(name.literal) == "".join(label.literal):
        return LabelMatch(1.0, is_exact=True, is_literal=True)
    named = set(name.canonical) - _STOP_WORDS
    # a unit stands behind what it measures: a "Second phone" is not measured in seconds
    units = UNITS.keys() & set(label.canonical[1:])
    labelled = set(label.canonical) - _STOP_WORDS - ((ignored | units) - named)
    if (named | labelled) & {"date", "time"}:
        labelled = _same_verbs(labelled, named)
    shared = named & labelled
    if not shared:
        return NO_MATCH
    unmatched, more = named - shared, labelled - shared
    # a heading explains `order` in `orderDate`, but never `due` or `start`: these distinguish neighbours
    explained = {word for word in unmatched if word in context} - _QUALIFIERS - TYPE_WORDS
    missing = unmatched - explained
    known = {word for word in more if word in context}
    extra_types = (more - known) & TYPE_WORDS - UNITS.keys()
    extra = more - known - extra_types
    if (
        missing - TYPE_WORDS - _LEFT_OUT
        or (unmatched and extra)
        or (missing and extra_types)
        or len(extra) > _MAX_EXTRA_WORDS
    ):
        return NO_MATCH
    # `Price list` is a list: the head of the label has to be in the name
    if (extra or known) and label.head not in shared | extra_types:
        return NO_MATCH
    return _score_match(name, label, shared, explained | known, missing, extra_types, extra)


@cache
def _other_names(*, beside_quantity: bool) -> dict[frozenset[str], frozenset[frozenset[str]]]:
    """What a property is called on pages, by its words."""
    found: dict[frozenset[str], frozenset[frozenset[str]]] = {}
    for line in OTHER_NAMES.strip().splitlines():
        if line.startswith("+") and not beside_quantity:
            continue
        properties, directed, labels = line.removeprefix("+").partition("<")
        sides = [_word_sets(properties), _word_sets(labels if directed else properties)]
        for words in sides[0]:
            found[words] = found.get(words, frozenset()) | sides[1]
    return found


def _word_sets(names: str) -> frozenset[frozenset[str]]:
    split = (
        frozenset(tokenize_label(name.strip()).canonical) - _STOP_WORDS for name in re.split("[,=]", names)
    )
    return frozenset(words for words in split if words)


def _same_verbs(labelled: set[str], named: set[str]) -> set[str]:
    """The words of a label, with those of the name for other forms of them: an `orderDate` is "Ordered"."""
    forms = {_stem(word): word for word in named}
    return {forms.get(_stem(word), word) for word in labelled}


def _stem(verb: str) -> str:
    return _DOUBLED.sub(r"\1", _VERB_ENDING.sub("", verb))


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
    is_explained = not (missing or extra_types or extra)
    is_exact, is_literal = is_explained and not explained, min(closeness) == 1.0
    is_loose = bool(missing & _LEFT_OUT)
    return LabelMatch(
        score, frozenset(missing), frozenset(extra_types), is_exact, is_literal, is_explained, is_loose
    )


def _closeness(canonical: str, name: LabelTokens, label: LabelTokens) -> float:
    literal = {word for word, item in zip(name.literal, name.canonical, strict=True) if item == canonical}
    return 1.0 if literal & set(label.literal) else _SYNONYM_SCORE


def _head(literal: tuple[str, ...], canonical: tuple[str, ...]) -> str:
    """The last word before a preposition: `date` in "date of birth" and in "birth date"."""
    for at, word in enumerate(literal):
        if word in _PREPOSITIONS and at:
            return canonical[at - 1]
    important = [item for item in canonical if item not in _STOP_WORDS and item not in UNITS]
    return important[-1] if important else (canonical[-1] if canonical else "")

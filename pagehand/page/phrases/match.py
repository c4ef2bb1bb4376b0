"""How well one element matches one interpretation: by its name, its role and its contexts."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Final

from pagehand.page.phrases.days import days_in
from pagehand.page.phrases.interpretation import Context, Interpretation
from pagehand.page.phrases.roles import PICTURED, RoleNoun
from pagehand.page.phrases.snapshot import Candidate, Name, Row
from pagehand.page.phrases.tokens import (
    Tokens,
    canonicalize,
    contains_tokens,
    covers_words,
    key_words,
    normalize,
    said_words,
    strip_stop_words,
    word_set,
)
from pagehand.workflow.effect_words import WHOLE_NAME_ONLY

_EXACT: Final = 2
_WITHIN: Final = 1
_PAIR: Final = 2
_PICTURES: Final = ("icon", "drawn")
_UNSAID: Final = ("attribute", "type", "drawn")
# what the name of a control may say beyond the phrase, when its effect cannot be undone
_HARMLESS: Final = word_set("item items entry row record this line selected")
_UNSPECIFIC: Final = word_set(
    "all any new more other some my your and or to of for from with by as at on in no"
)
# what makes a field another one: `Repeat password` is not the password
FIELD_MODIFIERS: Final = word_set(
    "repeat confirm confirmation retype reenter again new old current previous verify"
)
_LABEL_WORDS: Final = 4
_SHORT_NAME: Final = 3
_TICKED: Final = frozenset(("checkbox", "radio", "switch"))
_MIN_SHARE: Final = 2
"""Half of a label is enough to name a field, half of a heading to name a section."""
_MOST_DAY_WORDS: Final = 4
_PREPOSITIONS: Final = frozenset(("of", "for", "in", "on", "with", "at", "from"))
_OR: Final = "or"
_ASKING: Final = word_set(
    "what which who where when how why is are was were do does did have has had can could will would you we i"
)
_MOST_COMPARISONS: Final = 10_000
"""Usual phrases take hundreds; one with many relations would take millions on a page of equal rows."""
_MOST_PER_ELEMENT: Final = 10
_MENUS: Final = frozenset(("navigation", "menu", "sidebar", "toolbar", "tabs"))


class TooManyComparisons(Exception):
    """A phrase can be understood in so many ways that trying all of them would take too long."""


class Comparisons:
    """Counts how often an element is compared with a way to understand a phrase, up to a limit.

    Counted and not timed, so that a phrase means the same on a page however busy the machine is.
    """

    def __init__(self, elements: int) -> None:
        """The limit grows with the number of elements."""
        self._left = _MOST_COMPARISONS + _MOST_PER_ELEMENT * elements

    def count(self, comparisons: int) -> None:
        """Take note of comparisons that are about to be made; raises `TooManyComparisons` over the limit."""
        self._left -= comparisons
        if self._left < 0:
            raise TooManyComparisons


class MatchLevel(IntEnum):
    """How a name matches, worst first."""

    RIVAL_ONLY = 0
    """Within what is one word by meaning, as `name` in `First name`: never chosen, but it is a rival."""
    PARTIAL_HIDDEN = 1
    PARTIAL_PLACEHOLDER = 2
    REORDERED = 3
    """By its words in any order: `role filter` is `Filter by role`."""
    HIDDEN = 4
    PARTIAL = 5
    WITH_CONTEXT = 6
    PLACEHOLDER = 7
    SYNONYM = 8
    LITERAL = 9
    EXACT = 10


@dataclass(slots=True, frozen=True, eq=False)
class Match:
    """A candidate that matches an interpretation, and how well."""

    candidate: Candidate
    interpretation: Interpretation
    level: MatchLevel
    has_exact_role: bool
    """False when its role is only similar to the one in the phrase."""
    context_score: int
    rows: frozenset[int]
    """Rows that a context matched."""

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """To compare matches by."""
        return (self.level, int(self.has_exact_role), self.context_score, len(self.interpretation.name))


def match(candidate: Candidate, interpretation: Interpretation) -> Match | None:
    """The match; None when the candidate leaves a word of the interpretation unexplained."""
    has_exact_role = match_role(candidate, interpretation.role)
    if has_exact_role is None:
        return None
    level = match_level(candidate, interpretation)
    if level is None:
        return None
    # a cell is only called by the whole heading of its column: half of it would make every column with `date`
    # in its name the date
    is_whole = is_by_whole_name(candidate, level)
    if (candidate.role == "cell" or interpretation.has_negation) and not is_whole:
        return None
    context_score, rows = 0, frozenset[int]()
    for context in interpretation.contexts:
        if context.kind in ("near", "left", "right", "above"):
            continue
        if context.kind == "below":
            # a heading above is a section; everything else is measured
            context_score += max(_section_score(candidate, context.words), 0)
            continue
        score = _context_score(candidate, context)
        if not score:
            return None
        context_score += score
        if candidate.row is not None and _row_score(candidate, context):
            rows |= {candidate.row.id}
    return Match(candidate, interpretation, level, has_exact_role, context_score, rows)


def is_such(candidate: Candidate, interpretation: Interpretation) -> bool:
    """Whether it has the kind and the name of an interpretation, wherever it is."""
    has_role = match_role(candidate, interpretation.role) is True
    return has_role and match_level(candidate, interpretation) is not None


def names_row(row: Row, context: Context) -> bool:
    """Whether a context that says no place names a row."""
    return context.position is None and bool(row_score(row, canonicalize(context.words)))


def is_by_whole_name(candidate: Candidate, level: MatchLevel) -> bool:
    """True where no part of a name was left out."""
    # the kind of a value, such as `price`, ranks like a placeholder: below all that the page says itself
    return level >= MatchLevel.SYNONYM or (candidate.role == "cell" and level >= MatchLevel.WITH_CONTEXT)


def match_role(candidate: Candidate, role: RoleNoun | None) -> bool | None:
    """True for the role of the phrase, False for one that is similar to it, None for any other."""
    if role is None:
        # a cell matches where no control goes by the name of its column
        return candidate.is_control or (False if candidate.role == "cell" else None)
    roles = {candidate.role, *candidate.extra_roles}
    if roles & role.roles:
        return True
    return False if roles & role.similar_roles else None


def match_level(candidate: Candidate, interpretation: Interpretation) -> MatchLevel | None:
    """How the candidate's names match the one in the phrase; without one, the role alone matches."""
    if not interpretation.name:
        return MatchLevel.SYNONYM
    best: MatchLevel | None = None
    role = interpretation.role
    names_icon = role is not None and (
        "img" in role.roles or canonicalize(interpretation.name)[0] in PICTURED
    )
    for name in candidate.names:
        if name.source == "drawn" and not names_icon:
            continue
        level = _name_level(name, interpretation, candidate)
        if level is not None and (best is None or level > best):
            best = level
    if best is None and _has_words_in_any_order(candidate, interpretation):
        best = MatchLevel.REORDERED
    is_weak = best is not None and best < MatchLevel.PLACEHOLDER
    return None if is_weak and _is_other_field(candidate, interpretation) else best


def _has_words_in_any_order(candidate: Candidate, interpretation: Interpretation) -> bool:
    """True when one of its names, or all that is said of an icon, has the words and says little else."""
    wanted = key_words(interpretation.name)
    numbers = {word for word in interpretation.name if word.isdecimal()}
    # `status of claim 5840` is not the field `Claim status`
    if len(wanted) < _PAIR or not all(numbers <= {*name.words} for name in candidate.names):
        return False
    pictured = tuple(word for name in candidate.names if name.source in _PICTURES for word in name.words)
    for name in candidate.names:
        if name.source in _UNSAID or not set(wanted) & set(key_words(name.words)):
            continue
        if covers_words((*pictured, *name.words), wanted) and _is_most_of(candidate, name, wanted):
            return True
    return False


def _is_most_of(candidate: Candidate, name: Name, wanted: Tokens) -> bool:
    words = key_words(name.words)
    if covers_words(wanted, words):
        return True
    if candidate.is_field:
        return len(wanted) * _MIN_SHARE >= len(words)
    is_safe = not WHOLE_NAME_ONLY & {*name.normalized, *name.canonical}
    return is_safe and len(wanted) * _MIN_SHARE > len(words)


def _is_other_field(candidate: Candidate, interpretation: Interpretation) -> bool:
    """True when a visible name has a word that makes it another field than the one in the phrase."""
    # in a sentence such as `Play a sound for new chats` they say nothing of the kind
    short = (name for name in candidate.names if not name.is_hidden and len(name.words) <= _LABEL_WORDS)
    visible = {word for name in short for word in name.words}
    return candidate.is_field and bool(visible & FIELD_MODIFIERS - set(interpretation.name))


def _name_level(name: Name, interpretation: Interpretation, candidate: Candidate) -> MatchLevel | None:
    words = strip_stop_words(interpretation.name)
    normalized, canonical = normalize(interpretation.name), canonicalize(interpretation.name)
    # `time zone` is `Timezone`
    is_literal = "".join(name.words) == "".join(words)
    if is_literal or name.canonical == canonical or _includes_context(name, interpretation, canonical):
        level = MatchLevel.LITERAL if is_literal else MatchLevel.SYNONYM
        level = MatchLevel.EXACT if name.words == words else level
        return _by_source(name, level, MatchLevel.PLACEHOLDER, MatchLevel.HIDDEN)
    is_literal_part = contains_tokens(name.normalized, normalized)
    if is_literal_part or contains_tokens(name.canonical, canonical):
        # what is ticked has a sentence for a label: `Submit` is not `Send me news`
        if not is_literal_part and candidate.role in _TICKED:
            return MatchLevel.RIVAL_ONLY
        # nothing happens by filling in a field: `note field` may be `Order note`
        is_safe = candidate.is_field or _is_safe_part(name, canonical)
        if not is_safe or not _is_distinctive_part(candidate, name, interpretation):
            return None
        placeholder = MatchLevel.RIVAL_ONLY if _is_labelled(candidate) else MatchLevel.PARTIAL_PLACEHOLDER
        return _by_source(name, MatchLevel.PARTIAL, placeholder, MatchLevel.PARTIAL_HIDDEN)
    if name.source not in _UNSAID and _context_explains_rest(candidate, name, canonical):
        return _by_source(name, MatchLevel.WITH_CONTEXT, MatchLevel.WITH_CONTEXT, MatchLevel.HIDDEN)
    is_rival = candidate.is_field and not name.is_hidden and contains_tokens(name.words, words)
    return MatchLevel.RIVAL_ONLY if is_rival else None


def _by_source(name: Name, visible: MatchLevel, placeholder: MatchLevel, hidden: MatchLevel) -> MatchLevel:
    if name.is_hidden:
        return hidden
    return placeholder if name.is_placeholder or name.source == "kind" else visible


def _includes_context(name: Name, interpretation: Interpretation, canonical: Tokens) -> bool:
    """True for `Delete ACME-17` when the phrase is Delete in the row of ACME-17."""
    for context in interpretation.contexts:
        words = canonicalize(context.words)
        if words and name.canonical in ((*canonical, *words), (*words, *canonical)):
            return True
    return False


def _is_distinctive_part(candidate: Candidate, name: Name, interpretation: Interpretation) -> bool:
    """True when a part of a name is enough.

    A control is called by how its name begins: `password` is not the link `Change password`. The label of a
    field may be long; where the phrase has no role, the part has to be half of it.
    """
    words, canonical = strip_stop_words(interpretation.name), canonicalize(interpretation.name)
    # `all` is part of too many names to mean one of them
    if set(words) <= _UNSPECIFIC:
        return False
    # a counter before the name is no part of it: `37 Automations`
    start = next((at for at, word in enumerate(name.words) if not word.isdecimal()), 0)
    if words in (name.words[: len(words)], name.words[start : start + len(words)]):
        return True
    if name.canonical[: len(canonical)] == canonical:
        return True
    if not candidate.is_field:
        # `the search button` is the only button with that word, such as `Start search`
        role = interpretation.role
        return role is not None and candidate.role in role.roles and len(name.words) <= _SHORT_NAME
    return interpretation.role is not None or len(words) * _MIN_SHARE >= len(name.words)


def _is_labelled(candidate: Candidate) -> bool:
    return any(name.source in ("aria", "label", "near") for name in candidate.names)


def _is_safe_part(name: Name, canonical: Tokens) -> bool:
    """True unless the control has an effect that cannot be undone."""
    # `Delete` must not press `Delete account`: that needs the whole name
    if not WHOLE_NAME_ONLY & {*name.normalized, *name.canonical, *canonical}:
        return True
    return set(name.canonical) - set(canonical) <= _HARMLESS


def _context_explains_rest(candidate: Candidate, name: Name, canonical: Tokens) -> bool:
    """`billing street` is the Street under the heading Billing address; every word must be explained."""
    size = len(name.canonical)
    if size >= len(canonical):
        return False
    if canonical[-size:] == name.canonical:
        rest = canonical[:-size]
    elif canonical[:size] == name.canonical:
        rest = canonical[size:]
    else:
        return False
    if any(contains_tokens(text, rest) for text in candidate.sections):
        return True
    return candidate.row is not None and any(
        words in candidate.row.parts for words in (rest, *_without_kind(candidate, rest))
    )


def _without_kind(candidate: Candidate, words: Tokens) -> Iterator[Tokens]:
    """`the Warehouse key` without `key`, where the heading above the rows says that they are keys."""
    kinds = {word for text in candidate.sections for word in key_words(text)}
    if words[1:] and words[-1] in kinds:
        yield words[:-1]
    if words[1:] and words[0] in kinds:
        yield words[1:]


def _context_score(candidate: Candidate, context: Context) -> int:
    match context.kind:
        case "row":
            return _row_score(candidate, context) or _nearby_score(candidate, context)
        case "column":
            # the columns of a board are boxes with a heading
            return _text_score(candidate.column, canonicalize(context.words)) or _heading_score(
                candidate, context.words
            )
        case "landmark":
            return _EXACT if {*context.words} <= {*candidate.landmarks, "page"} else 0
        case "section":
            return _section_score(candidate, context.words)
        case "card":
            return _card_score(candidate, context)
        case _:
            return (
                _heading_score(candidate, context.words)
                or _row_score(candidate, context)
                or _text_score(candidate.column, canonicalize(context.words))
                or _nearby_score(candidate, context)
            )


def _card_score(candidate: Candidate, context: Context) -> int:
    """Entries of a menu are not counted as cards."""
    if context.position is not None:
        return 0 if candidate.landmarks & _MENUS else _row_score(candidate, context)
    return (
        _heading_score(candidate, context.words)
        or _row_score(candidate, context)
        or _nearby_score(candidate, context)
    )


def _row_score(candidate: Candidate, context: Context) -> int:
    row, words = candidate.row, canonicalize(context.words)
    if row is None:
        return 0
    position = context.position
    # only the nearest heading says what the rows below it are
    if context.counted and not any(
        {*said_words(context.counted)} <= {*said_words(text)} for text in candidate.sections[:1]
    ):
        return 0
    if position is not None and row.index >= 0:
        index = position if position >= 0 else row.count + position
        if row.index == index:
            return _EXACT
    return row_score(row, words) if position is None else _EXACT if words in row.parts else 0


def row_score(row: Row, words: Tokens) -> int:
    """How well words name a row: by a whole text, else by a part of one, its words in any order."""
    if words in row.parts or any((day,) in row.parts for day in whole_day(words)):
        return _EXACT
    if contains_tokens(row.text, words):
        return _WITHIN
    # `Marta Oyelaran` is `Oyelaran, Marta`
    wanted = set(words)
    is_reordered = len(wanted) > 1 and any(words[0] in part and wanted <= set(part) for part in row.parts)
    return _WITHIN if is_reordered else 0


@lru_cache(maxsize=64)
def whole_day(words: Tokens) -> Tokens:
    """The day that the words are, written as the parts of rows have it; empty for other words."""
    if not 1 < len(words) < _MOST_DAY_WORDS:
        return ()
    has_year = len(words) == _MOST_DAY_WORDS - 1
    return tuple(day for day in days_in(words) if day.startswith("--") != has_year)


def _nearby_score(candidate: Candidate, context: Context) -> int:
    """By a text in the largest box around it that holds no other element of its name."""
    is_nearby = context.position is None and canonicalize(context.words) in candidate.nearby_texts
    return _EXACT if is_nearby else 0


def _heading_score(candidate: Candidate, words: Tokens) -> int:
    """A heading counts more than the same words in a row; half of it is enough."""
    canonical = canonicalize(words)
    # a word from the middle of a long heading does not name the section
    headings = [text for text in candidate.sections if names_heading(canonical, text)]
    score = max((_text_score(text, canonical) for text in headings), default=0)
    return score + 1 if score else 0


def names_heading(words: Tokens, text: Tokens) -> bool:
    """Half of a heading names it, or what stands before its first preposition: `Contact at the buyer`.

    Of a question the words that only ask do not count: `Do you hold a Blue Badge?`
    """
    asked = next((at for at, word in enumerate(text) if word not in _ASKING), 0)
    size, text = len(words), text[asked:]
    is_head = size < len(text) and text[:size] == words and text[size] in _PREPOSITIONS
    # `Mother or first guardian` is called by either
    if _OR in text:
        at = text.index(_OR)
        is_head |= any(part[-size:] == words or part[:size] == words for part in (text[:at], text[at + 1 :]))
    return size * _MIN_SHARE >= len(text) or is_head


def _section_score(candidate: Candidate, words: Tokens) -> int:
    canonical = canonicalize(words)
    return max((_text_score(text, canonical) for text in candidate.sections), default=0)


def _text_score(text: Tokens, words: Tokens) -> int:
    if text == words:
        return _EXACT
    return _WITHIN if contains_tokens(text, words) else 0

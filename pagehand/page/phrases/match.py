"""How well one element matches one interpretation: by its name, its role and its contexts."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from pagehand.page.phrases.interpretation import Context, Interpretation
from pagehand.page.phrases.roles import RoleNoun
from pagehand.page.phrases.snapshot import Candidate, Name
from pagehand.page.phrases.tokens import (
    Tokens,
    canonicalize,
    contains_tokens,
    covers_words,
    key_words,
    normalize,
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
_FIELD_MODIFIERS: Final = word_set(
    "repeat confirm confirmation retype reenter again new old current previous verify"
)
_MIN_SHARE: Final = 2
"""Half of a label is enough to name a field, half of a heading to name a section."""
_MENUS: Final = frozenset(("navigation", "menu", "sidebar", "toolbar", "tabs"))


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
    has_exact_role = _match_role(candidate, interpretation.role)
    if has_exact_role is None:
        return None
    level = match_level(candidate, interpretation)
    if level is None:
        return None
    # a cell is only called by the whole heading of its column: half of it would make every column with `date`
    # in its name the date
    is_whole = level >= MatchLevel.SYNONYM or (candidate.role == "cell" and level == MatchLevel.WITH_CONTEXT)
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


def _match_role(candidate: Candidate, role: RoleNoun | None) -> bool | None:
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
    names_icon = interpretation.role is not None and interpretation.role.noun == "icon"
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
    if len(wanted) < _PAIR:
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
    is_safe = candidate.is_field or not WHOLE_NAME_ONLY & {*name.normalized, *name.canonical}
    return is_safe and len(wanted) * _MIN_SHARE > len(words)


def _is_other_field(candidate: Candidate, interpretation: Interpretation) -> bool:
    """True when a visible name has a word that makes it another field than the one in the phrase."""
    visible = {word for name in candidate.names if not name.is_hidden for word in name.words}
    return candidate.is_field and bool(visible & _FIELD_MODIFIERS - set(interpretation.name))


def _name_level(name: Name, interpretation: Interpretation, candidate: Candidate) -> MatchLevel | None:
    words = strip_stop_words(interpretation.name)
    normalized, canonical = normalize(interpretation.name), canonicalize(interpretation.name)
    # `time zone` is `Timezone`
    is_literal = "".join(name.words) == "".join(words)
    if is_literal or name.canonical == canonical or _includes_context(name, interpretation, canonical):
        level = MatchLevel.LITERAL if is_literal else MatchLevel.SYNONYM
        level = MatchLevel.EXACT if name.words == words else level
        return _by_source(name, level, MatchLevel.PLACEHOLDER, MatchLevel.HIDDEN)
    if contains_tokens(name.normalized, normalized) or contains_tokens(name.canonical, canonical):
        # nothing happens by filling in a field: `note field` may be `Order note`
        is_safe = candidate.is_field or _is_safe_part(name, canonical)
        if not is_safe or not _is_distinctive_part(candidate, name, interpretation):
            return None
        placeholder = MatchLevel.RIVAL_ONLY if _is_labelled(candidate) else MatchLevel.PARTIAL_PLACEHOLDER
        return _by_source(name, MatchLevel.PARTIAL, placeholder, MatchLevel.PARTIAL_HIDDEN)
    if not name.is_hidden and _context_explains_rest(candidate, name, canonical):
        return MatchLevel.WITH_CONTEXT
    is_rival = candidate.is_field and not name.is_hidden and contains_tokens(name.words, words)
    return MatchLevel.RIVAL_ONLY if is_rival else None


def _by_source(name: Name, visible: MatchLevel, placeholder: MatchLevel, hidden: MatchLevel) -> MatchLevel:
    if name.is_hidden:
        return hidden
    return placeholder if name.is_placeholder else visible


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
    is_large = interpretation.role is not None or len(words) * _MIN_SHARE >= len(name.words)
    return candidate.is_field and is_large


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
    row_parts = candidate.row.parts if candidate.row is not None else ()
    return any(contains_tokens(text, rest) for text in candidate.sections) or rest in row_parts


def _context_score(candidate: Candidate, context: Context) -> int:
    match context.kind:
        case "row":
            return _row_score(candidate, context) or _nearby_score(candidate, context)
        case "column":
            return _text_score(candidate.column, canonicalize(context.words))
        case "landmark":
            return _EXACT if context.words[0] in candidate.landmarks else 0
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
    if position is not None and row.index >= 0:
        index = position if position >= 0 else row.count + position
        if row.index == index:
            return _EXACT
    if words in row.parts:
        return _EXACT
    return _WITHIN if position is None and contains_tokens(row.text, words) else 0


def _nearby_score(candidate: Candidate, context: Context) -> int:
    """By a text in the largest box around it that holds no other element of its name."""
    is_nearby = context.position is None and canonicalize(context.words) in candidate.nearby_texts
    return _EXACT if is_nearby else 0


def _heading_score(candidate: Candidate, words: Tokens) -> int:
    """A heading counts more than the same words in a row; half of it is enough."""
    canonical = canonicalize(words)
    # a word from the middle of a long heading does not name the section
    headings = [text for text in candidate.sections if len(canonical) * _MIN_SHARE >= len(text)]
    score = max((_text_score(text, canonical) for text in headings), default=0)
    return score + 1 if score else 0


def _section_score(candidate: Candidate, words: Tokens) -> int:
    canonical = canonicalize(words)
    return max((_text_score(text, canonical) for text in candidate.sections), default=0)


def _text_score(text: Tokens, words: Tokens) -> int:
    if text == words:
        return _EXACT
    return _WITHIN if contains_tokens(text, words) else 0

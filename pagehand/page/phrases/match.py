"""How well one element fits one reading: by its name, its kind and where it stands."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from pagehand.page.phrases.phrase import Context, Reading
from pagehand.page.phrases.roles import RoleWord
from pagehand.page.phrases.snapshot import Candidate, Name
from pagehand.page.phrases.tokens import Tokens, holds, meant, plain, spelled, word_set
from pagehand.workflow.effect_words import WHOLE_NAME_ONLY

_EXACT: Final = 2
_WITHIN: Final = 1
# what a control's name may say beyond what was asked for, when the control cannot be undone
_IDLE: Final = word_set("item items entry row record this line selected")


_SAYS_LITTLE: Final = word_set(
    "all any new more other some my your and or to of for from with by as at on in no"
)
# what turns a field into another one: `Repeat password` is not the password
_TURNING: Final = word_set("repeat confirm confirmation retype reenter again new old current previous verify")
_GOOD_DEAL: Final = 2
"""A field may be called by half of its label, a section by half of its heading."""
_ASIDE: Final = frozenset(("navigation", "menu", "sidebar", "toolbar", "tabs"))


class Fit(IntEnum):
    """How a name was met, worst first."""

    SWALLOWED = 0
    """Within what is one word by meaning, as `name` in `First name`: never taken, yet never passed over."""
    PART_UNSEEN = 1
    PART_HINT = 2
    UNSEEN = 3
    PART = 4
    WITH_SURROUNDINGS = 5
    HINT = 6
    SYNONYM = 7
    LITERAL = 8
    EXACT = 9


@dataclass(slots=True, frozen=True, eq=False)
class Match:
    """A candidate that fits a reading, and how well."""

    candidate: Candidate
    reading: Reading
    fit: Fit
    is_kind: bool
    """False when its role only passes for the one named."""
    place: int
    rows: frozenset[int]
    """Rows it was recognised by."""

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """To compare matches by."""
        return (self.fit, int(self.is_kind), self.place, len(self.reading.name))


def match(candidate: Candidate, reading: Reading) -> Match | None:
    """The match, or None when a word of the reading is not explained by this candidate."""
    is_kind = _kind_fits(candidate, reading.role)
    if is_kind is None:
        return None
    fit = fit_of(candidate, reading)
    # half a heading would make every column with `date` in its name the date
    if fit is not None and fit < Fit.SYNONYM and candidate.role == "cell":
        # a cell is only called by the whole heading of its column
        return None
    if fit is None or (reading.has_negation and fit < Fit.SYNONYM):
        return None
    place, rows = 0, frozenset[int]()
    for context in reading.contexts:
        if context.kind in ("near", "left", "right", "above"):
            continue
        if context.kind == "below":
            # a heading above is a section; everything else is measured
            place += max(_in_section(candidate, context.words), 0)
            continue
        strength = _stands_in(candidate, context)
        if not strength:
            return None
        place += strength
        if candidate.row is not None and _in_row(candidate, context):
            rows |= {candidate.row.id}
    return Match(candidate, reading, fit, is_kind, place, rows)


def _kind_fits(candidate: Candidate, role: RoleWord | None) -> bool | None:
    if role is None:
        # a cell is meant where nothing that can be pressed or filled in goes by the name of its column
        return candidate.is_control or (False if candidate.role == "cell" else None)
    roles = {candidate.role, *candidate.also}
    if roles & role.roles:
        return True
    return False if roles & role.passing else None


def fit_of(candidate: Candidate, reading: Reading) -> Fit | None:
    """How the candidate's names meet the reading's; a reading without one is met by kind alone."""
    if not reading.name:
        return Fit.SYNONYM
    best: Fit | None = None
    for name in candidate.names:
        fit = _name_fit(name, reading, candidate)
        if fit is not None and (best is None or fit > best):
            best = fit
    return None if best is not None and best < Fit.HINT and _is_turned(candidate, reading) else best


def _is_turned(candidate: Candidate, reading: Reading) -> bool:
    """True when a reader sees a word in its name that makes it another field than the one asked for."""
    seen = {word for name in candidate.names if not name.is_weak for word in name.plain}
    return candidate.is_field and bool(seen & _TURNING - set(reading.name))


def _name_fit(name: Name, reading: Reading, candidate: Candidate) -> Fit | None:
    words, wanted, sense = plain(reading.name), spelled(reading.name), meant(reading.name)
    if name.meant == sense or _is_completed(name, reading, sense):
        seen = Fit.LITERAL if "".join(name.plain) == "".join(words) else Fit.SYNONYM
        return _as_seen(name, Fit.EXACT if name.plain == words else seen, Fit.HINT, Fit.UNSEEN)
    if holds(name.spelled, wanted) or holds(name.meant, sense):
        if not _is_safe(name, sense) or not _is_named(candidate, name, reading):
            return None
        hint = Fit.SWALLOWED if _is_labelled(candidate) else Fit.PART_HINT
        return _as_seen(name, Fit.PART, hint, Fit.PART_UNSEEN)
    if not name.is_weak and _rest_is_around(candidate, name, sense):
        return Fit.WITH_SURROUNDINGS
    return Fit.SWALLOWED if candidate.is_field and not name.is_weak and holds(name.plain, words) else None


def _as_seen(name: Name, seen: Fit, hint: Fit, unseen: Fit) -> Fit:
    if name.is_weak:
        return unseen
    return hint if name.is_hint else seen


def _is_completed(name: Name, reading: Reading, sense: Tokens) -> bool:
    """True for `Delete ACME-17` when Delete is asked for in the row of ACME-17."""
    for context in reading.contexts:
        context_sense = meant(context.words)
        if context_sense and name.meant in ((*sense, *context_sense), (*context_sense, *sense)):
            return True
    return False


def _is_named(candidate: Candidate, name: Name, reading: Reading) -> bool:
    """True when a part of a name says enough.

    What does something is called by how its name begins: `password` is not the link `Change password`. The
    label of a field may be long; where the phrase names no kind, the part has to be a good deal of it.
    """
    words, sense = plain(reading.name), meant(reading.name)
    # `all` is part of too many names to mean one of them
    if set(words) <= _SAYS_LITTLE:
        return False
    if name.plain[: len(words)] == words or name.meant[: len(sense)] == sense:
        return True
    is_much = reading.role is not None or len(words) * _GOOD_DEAL >= len(name.plain)
    return candidate.is_field and is_much


def _is_labelled(candidate: Candidate) -> bool:
    return any(name.source in ("aria", "label", "near") for name in candidate.names)


def _is_safe(name: Name, sense: Tokens) -> bool:
    """Part of a name is enough, unless the control does what nothing brings back."""
    # `Delete` must not press `Delete account`: what cannot be undone is asked for by its whole name
    if not WHOLE_NAME_ONLY & {*name.spelled, *name.meant, *sense}:
        return True
    return set(name.meant) - set(sense) <= _IDLE


def _rest_is_around(candidate: Candidate, name: Name, sense: Tokens) -> bool:
    """`billing street` is the Street under the heading Billing address; every word must be explained."""
    size = len(name.meant)
    if size >= len(sense):
        return False
    if sense[-size:] == name.meant:
        rest = sense[:-size]
    elif sense[:size] == name.meant:
        rest = sense[size:]
    else:
        return False
    row = candidate.row.parts if candidate.row is not None else ()
    return any(holds(text, rest) for text in candidate.sections) or rest in row


def _stands_in(candidate: Candidate, context: Context) -> int:
    match context.kind:
        case "row":
            return _in_row(candidate, context) or _in_box(candidate, context)
        case "column":
            return _in_text(candidate.column, meant(context.words))
        case "place":
            return _EXACT if context.words[0] in candidate.places else 0
        case "section":
            return _in_section(candidate, context.words)
        case "card":
            return _in_card(candidate, context)
        case _:
            return (
                _headed(candidate, context.words)
                or _in_row(candidate, context)
                or _in_text(candidate.column, meant(context.words))
                or _in_box(candidate, context)
            )


def _in_card(candidate: Candidate, context: Context) -> int:
    """Entries of a menu are not cards, whatever is counted."""
    if context.position is not None:
        return 0 if candidate.places & _ASIDE else _in_row(candidate, context)
    return _headed(candidate, context.words) or _in_row(candidate, context) or _in_box(candidate, context)


def _in_row(candidate: Candidate, context: Context) -> int:
    row, words = candidate.row, meant(context.words)
    if row is None:
        return 0
    position = context.position
    if position is not None and row.index >= 0:
        place = position if position >= 0 else row.count + position
        if row.index == place:
            return _EXACT
    if words in row.parts:
        return _EXACT
    return _WITHIN if position is None and holds(row.text, words) else 0


def _in_box(candidate: Candidate, context: Context) -> int:
    """In the largest part of the page that holds none of its namesakes, by one of the texts there."""
    return _WITHIN if context.position is None and meant(context.words) in candidate.around else 0


def _headed(candidate: Candidate, words: Tokens) -> int:
    """By a heading, which says more than the same words in a row; without a noun, half of it is enough."""
    wanted = meant(words)
    # a word from the middle of a long heading does not name the section
    named = [name for name in candidate.sections if len(wanted) * _GOOD_DEAL >= len(name)]
    strength = max((_in_text(name, wanted) for name in named), default=0)
    return strength + 1 if strength else 0


def _in_section(candidate: Candidate, words: Tokens) -> int:
    wanted = meant(words)
    return max((_in_text(name, wanted) for name in candidate.sections), default=0)


def _in_text(text: Tokens, wanted: Tokens) -> int:
    if text == wanted:
        return _EXACT
    return _WITHIN if holds(text, wanted) else 0

"""The element that has a reason for every word of a phrase, where the phrase fits nothing as it is written.

`delete scan.pdf` is Delete beside `scan.pdf (120 KB)`, `ticket INC-5840` the one in that row where the page
speaks of tickets. Each word has to be in a name of the element, say its kind, or be in a text that names its
row, its section, its column or its box and no other; and one of its names has to be said whole.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pagehand.page.phrases.contexts import CONTAINERS, relation_at, texts_of
from pagehand.page.phrases.days import days_in
from pagehand.page.phrases.interpretation import Context, Interpretation, Word
from pagehand.page.phrases.match import FIELD_MODIFIERS, Comparisons, Match, MatchLevel, match_role, whole_day
from pagehand.page.phrases.parsing import POLITE, after_verb, split_role
from pagehand.page.phrases.places import KIND_NOUNS, POSITION, UNSAID, Places
from pagehand.page.phrases.plurals import singular
from pagehand.page.phrases.roles import RoleNoun
from pagehand.page.phrases.snapshot import Candidate, Name, Snapshot
from pagehand.page.phrases.tokens import Tokens, contains_tokens, content_words, said_words, word_set
from pagehand.workflow.effect_words import WHOLE_NAME_ONLY
from pagehand.workflow.words import position_of

_QUESTIONS: Final = word_set("what when where who which how")
_ASKING: Final = _QUESTIONS | word_set("it much many long is are was were has have been did does do")
_VALUE_NOUNS: Final = word_set("figure amount value quantity number date time balance sum share percentage")
_FIGURE_NOUNS: Final = word_set("figure amount value number")
_TOTALS: Final = (("total",), ("sum",), ("balance",), ("subtotal",), ("grand", "total"), ("sub", "total"))
# what the page shows just now says nothing of where on it a value is
_SHOWN_NOW: Final = word_set("open opened current selected displayed shown")
_MOST_OF_ENTRY: Final = 3
_ENTRIES: Final = frozenset(("listitem", "row", "article", "treeitem"))
_SIZES: Final = word_set("little small tiny big large")
_EXTENSION: Final = re.compile(r"\.\w{2,8}$")
_SHORTENED: Final = re.compile(r"(?<!\w)([^\W\d_]{3,12})\.(?!\w)")
_ABBREVIATED: Final = dict(
    pair.split("=")
    for pair in word_set(
        "disc=discount desc=description amt=amount dept=department addr=address acct=account ref=reference "
        "cust=customer inv=invoice pos=position cat=category est=estimate avg=average exp=expiry wt=weight "
        "vol=volume mgr=manager emp=employee bal=balance curr=currency doc=document temp=temperature"
    )
)
_IN_FULL: Final = frozenset(_ABBREVIATED.values())
_MEASURED: Final = frozenset(("left", "right", "above"))
_TO: Final = Word("to")
_PICTURES: Final = ("icon", "drawn")
_MIN_SHARE: Final = 2


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is looked for, and where."""

    head: Tokens
    tails: tuple[Tokens, ...]
    role: RoleNoun | None
    is_question: bool
    is_second_choice: bool = False
    """Whether an ordinal begins a place (`Pause, second order`), or a place is what is shown now."""


def find_explained(
    words: list[Word], candidates: list[Candidate], page: Snapshot, comparisons: Comparisons
) -> list[Match]:
    """Matches of all candidates that explain all of the words; none of what is measured on the page."""
    keys = {candidate.key for candidate in candidates}
    found: list[Match] = []
    places = Places(page)
    for reading in _readings(words, page):
        if reading.is_second_choice and found:
            break
        texts = (reading.head, *(tail for tail in reading.tails if not whole_day(tail)))
        unknown = frozenset(word for text in texts for word in said_words(text)) - page.said_words
        # `amount` may be left out where the page has nothing of that name
        ordinals = {tail[0] for tail in reading.tails if position_of(tail[0]) is not None}
        left = unknown - ordinals - _VALUE_NOUNS - CONTAINERS - KIND_NOUNS - {POSITION}
        if not left <= _IN_FULL or (left and not left <= _shortened_on(page)):
            continue
        heads = dict.fromkeys(form for word in reading.head for form in (word, singular(word)))
        if reading.head and not unknown:
            # entries of lists, and figures below a heading, need not have the word in their name
            entries = [one for one in candidates if _is_entry(one, reading, page)]
            figures = [one for word in said_words(reading.head) for one in places.figures_below(word)]
            named = (one for word in heads for one in page.by_token.get(word, ()))
            with_words = {one.key: one for one in (*named, *entries, *figures)}
            possible = [one for key, one in with_words.items() if key in keys]
        else:
            possible = candidates
        comparisons.count(len(possible))
        explained = (_explained(candidate, reading, places, unknown) for candidate in possible)
        found += [match for match in explained if match is not None]
    return found


def _readings(words: list[Word], page: Snapshot) -> Iterator[_Reading]:
    is_question = not words[0].is_quoted and words[0].text in _QUESTIONS
    dropped = POLITE | _ASKING if is_question else POLITE
    # `the little x` is an x, where the page has no other of that size
    dropped |= _SIZES - page.said_words
    for counts in (False, True):
        for start in {0, after_verb(words)}:
            kept = [word for word in words[start:] if word.is_quoted or word.text not in dropped]
            groups = _split(kept, counts=counts)
            if not groups or (counts and groups == _split(kept)):
                continue
            tails = tuple(part for group in groups[1:] if (part := content_words(texts_of(group))))
            for role, name in ((None, texts_of(groups[0])), *split_role(groups[0])):
                head = content_words(name)
                if head or (role is not None and tails):
                    yield _Reading(head, tails, role, is_question, is_second_choice=counts)
            if any(map(_is_shown_now, tails)):
                # only a value is read from what is shown; what is pressed has to be named
                placed = tuple(tail for tail in tails if not _is_shown_now(tail))
                head = content_words(texts_of(groups[0]))
                yield _Reading(head, placed, None, is_question=True, is_second_choice=True)


def _is_shown_now(words: Tokens) -> bool:
    """`the open mail`, `the current order`."""
    kinds = {singular(word) for word in words if word not in _SHOWN_NOW}
    return len(words) > len(kinds) > 0 and kinds <= KIND_NOUNS | CONTAINERS


def _split(words: list[Word], *, counts: bool = False) -> list[list[Word]]:
    """The words between relations; none where something is measured, or nothing is before the first."""
    groups: list[list[Word]] = [[]]
    at = 0
    while at < len(words):
        size, kinds = relation_at(words, at)
        if _MEASURED & {*kinds}:
            return []
        # `from date` is the date called `from`
        is_name = at == 0 and size == 1 and bool(content_words((words[0].text,)))
        # `the time the bus leaves at`: nothing follows
        is_last = at + max(1, size) == len(words)
        if (size or words[at] == _TO) and not is_name and not is_last:
            groups.append([])
        elif counts and _begins_count(words[at]) and content_words(texts_of(groups[-1])):
            groups.append([words[at]])
        else:
            groups[-1].append(words[at])
        at += max(1, size)
    return [group for group in groups if group] if groups[0] else []


def _begins_count(word: Word) -> bool:
    return not word.is_quoted and position_of(word.text) is not None


def _explained(
    candidate: Candidate, reading: _Reading, places: Places, unknown: frozenset[str]
) -> Match | None:
    has_role = match_role(candidate, reading.role)
    if has_role is None or (reading.is_question and not _is_value(candidate)):
        return None
    if _is_entry(candidate, reading, places.page):
        names = iter([((), (), (), MatchLevel.WITH_CONTEXT)])
    elif reading.head:
        names = _names_said(candidate, reading, unknown, places)
    else:
        # without a name the kind has to be right
        names = iter([((), (), reading.tails, MatchLevel.WITH_CONTEXT)] if has_role else [])
    found: list[Match] = []
    rows = frozenset((candidate.row.id,)) if candidate.row is not None else frozenset[int]()
    for called, rest, tails, level in names:
        score = places.score(candidate, rest, tails)
        if score is not None:
            contexts = tuple(Context("any", part) for part in (rest, *tails) if part)
            interpretation = Interpretation(called, reading.role, None, contexts, has_negation=False)
            found.append(Match(candidate, interpretation, level, has_role, score, rows))
    return max(found, key=lambda match: match.rank, default=None)


def _is_entry(candidate: Candidate, reading: _Reading, page: Snapshot) -> bool:
    """`the mail from Fergus Daly`: an entry of a list that can be pressed, and says so itself."""
    kinds = {singular(word) for word in reading.head}
    if candidate.role not in _ENTRIES or not (candidate.is_control and kinds and kinds <= KIND_NOUNS):
        return False
    # an entry below Mail is no order where another heading speaks of orders
    above = {word for text in candidate.sections[:1] for word in said_words(text)}
    if (
        reading.role is not None
        or not reading.tails
        or not kinds <= above | (KIND_NOUNS - page.heading_words)
    ):
        return False
    text = candidate.names[0].canonical if candidate.names else ()
    is_long = len(text) > _MOST_OF_ENTRY * sum(map(len, reading.tails)) - 1
    return is_long and all(contains_tokens(text, tail) for tail in reading.tails)


def _is_value(candidate: Candidate) -> bool:
    return candidate.is_field or candidate.role == "cell"


def _names_said(
    candidate: Candidate, reading: _Reading, unknown: frozenset[str], places: Places
) -> Iterator[tuple[Tokens, Tokens, tuple[Tokens, ...], MatchLevel]]:
    """For each name that the phrase says: its words there, the other words of the head, and the tails."""
    is_value = _is_value(candidate)
    hidden = {word for name in candidate.names if name.is_hidden for word in name.canonical}
    head, tails = reading.head, reading.tails
    shortened = dict[str, str]()
    if is_value:
        for name in candidate.names if unknown else ():
            shortened |= {word: short for word, short in _shortened(name).items() if word in unknown}
        head = tuple(shortened.get(word, word) for word in head)
        head = tuple(word for word in head if word not in unknown)
        head, tails = (head, tails) if head or not tails else (tails[0], tails[1:])
    shown = _said_by_value(candidate)
    for name in (*candidate.names, *places.heading_of_figure(candidate)):
        start, end = _called(name.canonical, has_number=any(map(str.isdecimal, head)))
        words = content_words(name.canonical[start:end])
        # `Author` is not the link `Authors` and `Active` not `By active`, but they may be fields
        shown -= {*name.canonical}
        own = {*words, *hidden, *shown} | ({singular(word) for word in words} if is_value else set[str]())
        words = words if is_value else tuple(dict.fromkeys((*name.canonical[start : start + 1], *words)))
        if words[1:] and _EXTENSION.search(name.text):
            # `delete scan` is `Delete scan.pdf`
            words = words if words[-1] in {*head, *(word for tail in tails for word in tail)} else words[:-1]
        elsewhere = tuple(tail for tail in tails if not own.issuperset(tail))
        said = {word for part in (head, *tails) if part not in elsewhere for word in part}
        if (
            reading.tails == elsewhere
            and name.canonical in _TOTALS
            and places.is_of_page(candidate, elsewhere)
        ):
            elsewhere = ()
        is_unsaid = name.source in UNSAID and not (name.source in _PICTURES and _is_picture(reading.role))
        level = None if is_unsaid or not (own - shown) & {*head} else _level(words, said, candidate)
        # with nothing but a name, the name has to be whole
        if level is None or (level is MatchLevel.PARTIAL and reading.role is None and not reading.tails):
            continue
        rest = tuple(word for word in head if word not in own)
        yield tuple(word for word in head if word in own), rest, elsewhere, level


def _said_by_value(candidate: Candidate) -> set[str]:
    """The words of a figure beside it, as in `15.5 days`, and what a value like this is called."""
    words = candidate.shows
    figures = [word for word in words if any(map(str.isdigit, word))]
    if not _is_value(candidate) or not figures:
        return set()
    found = {word for word in words if word.isalpha()} if len(words) - len(figures) <= 1 else set[str]()
    return found | ({"date"} if any(days_in(words)) else {*_FIGURE_NOUNS})


def _called(name: Tokens, *, has_number: bool) -> tuple[int, int]:
    """Where the name is without the time or counter at its edges, unless the phrase has a number as well."""
    if has_number:
        return 0, len(name)
    start = next((at for at, word in enumerate(name) if not word.isdecimal()), 0)
    is_counted = len(name) - start > 1 and name[-1].isdecimal() and not WHOLE_NAME_ONLY & {*name}
    return start, len(name) - is_counted


def _is_picture(role: RoleNoun | None) -> bool:
    return role is not None and "img" in role.roles


def _shortened(name: Name) -> dict[str, str]:
    """`disc` for `discount`, where the name is `Disc. %`."""
    found = _SHORTENED.findall(name.text.lower())
    return {_ABBREVIATED[short]: short for short in found if short in _ABBREVIATED}


def _shortened_on(page: Snapshot) -> frozenset[str]:
    """What the names of fields and cells abbreviate."""
    names = (name for one in page.candidates if _is_value(one) for name in one.names)
    return frozenset(word for name in names for word in _shortened(name))


def _level(name: Tokens, said: set[str], candidate: Candidate) -> MatchLevel | None:
    """Nothing is pressed by half of its name; half of a label is enough to name a field."""
    if name and said.issuperset(name):
        return MatchLevel.WITH_CONTEXT
    if not candidate.is_field or FIELD_MODIFIERS & {*name} - said:
        return None
    count = sum(word in said or singular(word) in said for word in name)
    return MatchLevel.PARTIAL if count and count * _MIN_SHARE >= len(name) else None

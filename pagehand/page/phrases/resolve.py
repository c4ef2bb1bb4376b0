"""From a phrase to the one element it refers to, or to a refusal that says why not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pagehand.errors import BlockFailed, Diagnosis, NotPresent
from pagehand.page.phrases.explaining import find_explained
from pagehand.page.phrases.interpretation import Interpretation, Word
from pagehand.page.phrases.match import (
    Comparisons,
    Match,
    MatchLevel,
    TooManyComparisons,
    is_such,
    match,
    names_row,
)
from pagehand.page.phrases.nearby import Ambiguity, keep_nearest
from pagehand.page.phrases.parsing import (
    as_on_page,
    drop_polite_words,
    interpret,
    negations_in,
    reworded,
    tokenize_phrase,
)
from pagehand.page.phrases.refusal import explain_ambiguity, explain_no_match, explain_refusal
from pagehand.page.phrases.results import find_counted_result
from pagehand.page.phrases.row_locator import row_guard, row_locator
from pagehand.page.phrases.snapshot import MAX_CANDIDATES, Candidate, CandidateKey, Snapshot
from pagehand.page.phrases.tokens import Tokens, canonicalize, key_words, said_words, strip_stop_words
from pagehand.page.phrases.typos import correct_typo
from pagehand.workflow.locator import Locator

TargetKind = Literal["control", "field", "anything", "shown"]
"""What a phrase may refer to: something to act on, a form's field, or also headings, pictures, rows, cells.

Cells go by the heading of their column only where something is `shown`, not where something is done.
"""

LONGEST_PHRASE: Final = 500
"""In characters."""
# a match of this level is chosen only if no other element matches at least at that one
_MIN_RIVAL: Final = {
    MatchLevel.EXACT: MatchLevel.EXACT,
    MatchLevel.LITERAL: MatchLevel.LITERAL,
    MatchLevel.SYNONYM: MatchLevel.PARTIAL,
    # a placeholder never wins over labels, including a label that only contains the words
    MatchLevel.PLACEHOLDER: MatchLevel.PARTIAL,
    MatchLevel.REORDERED: MatchLevel.RIVAL_ONLY,
    MatchLevel.HIDDEN: MatchLevel.RIVAL_ONLY,
    MatchLevel.WITH_CONTEXT: MatchLevel.PARTIAL,
    MatchLevel.PARTIAL: MatchLevel.RIVAL_ONLY,
    MatchLevel.PARTIAL_PLACEHOLDER: MatchLevel.RIVAL_ONLY,
    MatchLevel.PARTIAL_HIDDEN: MatchLevel.RIVAL_ONLY,
}
_MIN_MISSPELLED: Final = 6
_MAX_COUNTED: Final = 8
"""Nobody counts more elements that have nothing in common but their role."""
_CHOOSING: Final = frozenset(("select", "choose", "pick", "tick", "check", "mark", "toggle", "include"))
_BOXES: Final = frozenset(("checkbox", "checkboxes", "tickbox", "box", "boxes", "selector"))
_MEASURED: Final = ("near", "left", "right", "below", "above")


class NotClear(BlockFailed):
    """The words could mean several elements, or say what is not meant."""

    code = "NotClear"


@dataclass(frozen=True, slots=True)
class ResolvedElement:
    """The element that a phrase refers to."""

    candidate: Candidate
    locator: Locator
    understood: str
    """How the phrase was understood."""
    is_sure: bool
    """False when only a part of its name, or a name that nobody sees, matched."""
    by_row: Locator | None = None
    """By the words of its row, where the phrase names it so; to be tried on the page before it is used."""
    guard: str | None = None
    """An XPath that matches it as long as it is in the row that the phrase names."""


def resolve(
    phrase: str,
    snapshot: Snapshot,
    target: TargetKind = "control",
    only: frozenset[CandidateKey] | None = None,
) -> ResolvedElement:
    """The element; NotPresent when a word is not explained, NotClear when it could be several.

    `only` limits the candidates of the snapshot.
    """
    return resolve_all(phrase, snapshot, target, only, one=True)[0]


def resolve_all(
    phrase: str, snapshot: Snapshot, target: TargetKind, only: frozenset[CandidateKey] | None, *, one: bool
) -> list[ResolvedElement]:
    """Every element that matches equally well, in document order; with `one`, NotClear for several."""
    if len(phrase) > LONGEST_PHRASE:
        raise NotClear(
            f"`{phrase[:80]}…` has {len(phrase)} characters; at most {LONGEST_PHRASE} are looked up.",
            Diagnosis(advice="Say what it is called in fewer words."),
        )
    words = tokenize_phrase(phrase)
    if not words:
        raise NotClear(
            "There are no words to find an element by.", Diagnosis(advice="Say what it is called.")
        )
    _demand_whole(snapshot, phrase)
    candidates = [
        candidate
        for candidate in snapshot.candidates
        if _is_target(candidate, target)
        and (only is None or candidate.key in only)
        and not (target != "field" and _only_chooses(candidate, phrase))
    ]
    targets = _Targets(candidates, snapshot)
    comparisons = Comparisons(len(candidates))
    try:
        matches, ambiguities = _match_phrase(phrase, targets, comparisons)
    except TooManyComparisons:
        raise NotClear(
            f"`{phrase}` can be understood in too many ways on this page.",
            Diagnosis(expected=phrase, advice="Say it in fewer words, or give the block a locator."),
        ) from None
    if (
        not matches
        and target != "field"
        and (result := _find_result(phrase, snapshot, candidates)) is not None
    ):
        return [result]
    if not matches and (negations := negations_in(words)):
        raise NotClear(
            *explain_refusal(phrase, f"`{negations[0]}` says what is not meant", candidates, words)
        )
    if not matches and ambiguities:
        raise NotClear(*explain_refusal(phrase, ambiguities[0], candidates, words))
    if not _has_choice(matches):
        raise NotPresent(*explain_no_match(phrase, words, candidates, _visible_texts(snapshot)))
    best, rivals = _choose(matches)
    # a wrong click is worse than a failure: of several elements none is guessed
    if rivals and one:
        raise NotClear(*explain_ambiguity(phrase, [best, *rivals]))
    chosen = sorted((best, *rivals), key=lambda match: match.candidate.key)
    return [_resolved(match, snapshot) for match in chosen]


def _demand_whole(snapshot: Snapshot, phrase: str) -> None:
    """Refuse a page of which a part was not listed: it may have what is meant, or a rival of what was."""
    if snapshot.is_cut:
        raise NotClear(
            f"The page has more than {MAX_CANDIDATES:,} elements that words could mean.",
            Diagnosis(expected=phrase, advice="Give the block a locator without words, such as `css`."),
        )


class _Targets:
    """The candidates that a phrase may refer to."""

    def __init__(self, candidates: list[Candidate], snapshot: Snapshot) -> None:
        self.candidates = candidates
        self.snapshot = snapshot
        self._keys = {candidate.key for candidate in candidates}

    def with_token(self, token: str) -> list[Candidate]:
        """Those with the word in one of their names."""
        return [item for item in self.snapshot.by_token.get(token, ()) if item.key in self._keys]

    def __contains__(self, token: object) -> bool:
        """Whether the name of one of them has the word."""
        return isinstance(token, str) and bool(self.with_token(token))


def _match_phrase(phrase: str, targets: _Targets, comparisons: Comparisons) -> tuple[list[Match], list[str]]:
    """Matches of the phrase as it is written, else in plainer words."""
    matches, ambiguities = _match_words(tokenize_phrase(phrase), targets, comparisons)
    for plain in reworded(phrase):
        if _has_choice(matches):
            break
        matches, ambiguities = _match_words(tokenize_phrase(plain), targets, comparisons)
    return matches, ambiguities


def _match_words(
    words: list[Word], targets: _Targets, comparisons: Comparisons
) -> tuple[list[Match], list[str]]:
    """Matches of the words; without `please` and the like only where the whole phrase has none."""

    def find(possible: list[Interpretation]) -> tuple[list[Match], list[str]]:
        return _find_matches(possible, targets, comparisons)

    matches, ambiguities = find(interpret(words))
    # only now: `shipping` in a heading is not the `ship` of a field's attribute
    if not _has_choice(matches) and (stemmed := as_on_page(words, targets)) != words:
        words = stemmed
        matches, ambiguities = find(interpret(words))
    for variants in drop_polite_words(words):
        if _has_choice(matches):
            break
        # only now, so that `Pay now` never presses `Pay` where there is a `Pay now` beside it
        possible = dict.fromkeys(item for variant in variants for item in interpret(variant))
        matches, ambiguities = find(list(possible))
    if not _has_choice(matches) and not ambiguities and not negations_in(words):
        matches += find_explained(words, targets.candidates, targets.snapshot, comparisons)
    if not _has_choice(matches) and (spelled := _spelled_as_on_page(words, targets.snapshot)) != words:
        return _match_words(spelled, targets, comparisons)
    return matches, ambiguities


def _spelled_as_on_page(words: list[Word], snapshot: Snapshot) -> list[Word]:
    """The words with `depature` as `departure` and `Hartigans` as `Hartigan`, if the page has only that."""
    known, found = snapshot.said_words, list[Word]()
    for at, word in enumerate(words):
        one = word.text.removesuffix("s")
        is_family = [other.text for other in words[max(at - 2, 0) : at]] == ["of", "the"]
        if not word.is_quoted and is_family and one != word.text and one in snapshot.row_words:
            found.append(Word(word.text if word.text in snapshot.row_words else one))
        else:
            found.append(word if word.is_quoted else Word(_spelled(word.text, known)))
    return found


def _spelled(word: str, known: frozenset[str]) -> str:
    if len(word) < _MIN_MISSPELLED or word in known or not {*said_words((word,))}.isdisjoint(known):
        return word
    meant = correct_typo(word, known)
    # `report` is no misspelt `reports`
    return meant if meant is not None and not meant.startswith(word) else word


def _find_result(phrase: str, snapshot: Snapshot, candidates: Sequence[Candidate]) -> ResolvedElement | None:
    """An item of a list of links by its number, such as "the second result"."""
    try:
        result = find_counted_result(phrase, snapshot)
    except Ambiguity as error:
        raise NotClear(*explain_refusal(phrase, str(error), candidates, tokenize_phrase(phrase))) from error
    if result is None or result not in candidates:
        return None
    return ResolvedElement(result, snapshot.locator_of(result), phrase, is_sure=True)


def _resolved(chosen: Match, snapshot: Snapshot) -> ResolvedElement:
    contexts = chosen.interpretation.contexts
    return ResolvedElement(
        chosen.candidate,
        snapshot.locator_of(chosen.candidate),
        str(chosen.interpretation),
        chosen.level >= MatchLevel.SYNONYM,
        row_locator(chosen.candidate, contexts),
        row_guard(chosen.candidate, contexts),
    )


def _find_matches(
    interpretations: list[Interpretation], targets: _Targets, comparisons: Comparisons
) -> tuple[list[Match], list[str]]:
    """Matches of all interpretations, and ambiguities that prevented others.

    A guessed role is tried only where nothing has the whole name.
    """
    matches: list[Match] = []
    ambiguities: list[str] = []
    for guesses_role in (False, True):
        if _has_choice(matches):
            break
        for item in interpretations:
            is_name = guesses_role and canonicalize(item.full_name) in targets.snapshot.whole_names
            if item.guesses_role != guesses_role or is_name:
                continue
            candidates = _with_a_token(item, targets)
            comparisons.count(len(candidates))
            try:
                found = _match_all(item, candidates, targets.snapshot)
            except Ambiguity as error:
                ambiguities.append(str(error))
                continue
            is_generic = item.role is not None and bool(item.name) and item.role.is_generic
            accepts_similar = not guesses_role or is_generic
            matches += [match for match in found if match.has_exact_role or accepts_similar]
    return matches, ambiguities


def _has_choice(matches: list[Match]) -> bool:
    return any(item.level > MatchLevel.RIVAL_ONLY for item in matches)


def _visible_texts(snapshot: Snapshot) -> list[Tokens]:
    return [text.text for frame in snapshot.frames for text in frame.texts]


def _with_a_token(interpretation: Interpretation, targets: _Targets) -> list[Candidate]:
    name = interpretation.name
    if not name:
        return targets.candidates
    words = strip_stop_words(name)
    joined = ("".join(words[at : at + 2]) for at in range(len(words)))
    tokens = {*words, *canonicalize(name), *key_words(name), "".join(words), *joined}
    found = {candidate.key: candidate for token in tokens for candidate in targets.with_token(token)}
    return sorted(found.values(), key=lambda candidate: candidate.key)


def _is_target(candidate: Candidate, target: TargetKind) -> bool:
    if target == "field":
        return candidate.is_field
    if candidate.role == "cell" and not candidate.is_control and target != "shown":
        return False
    return candidate.role != "frame" and (target in ("anything", "shown") or candidate.is_control)


def _only_chooses(candidate: Candidate, phrase: str) -> bool:
    """True for `Select message` in a list: it ticks an entry, and `the message from Anna` is the entry."""
    names = [name.words for name in candidate.names if not name.is_hidden and name.words]
    is_choice = candidate.role == "checkbox" and candidate.row is not None and bool(names)
    if not is_choice or not all(words[1:] and words[0] in _CHOOSING for words in names):
        return False
    return not (_CHOOSING | _BOXES) & {*phrase.casefold().split()}


def _match_all(
    interpretation: Interpretation, candidates: Sequence[Candidate], snapshot: Snapshot
) -> list[Match]:
    found = [item for candidate in candidates if (item := match(candidate, interpretation)) is not None]
    found = _without_named_inside(_innermost(found), interpretation, candidates)
    for context in interpretation.contexts:
        if context.kind in _MEASURED and found:
            found = keep_nearest(_best(found), context, snapshot)
    if interpretation.ordinal is None or not found:
        return found
    counted = _best(found)
    if not interpretation.name and len(counted) > _MAX_COUNTED:
        raise Ambiguity(f"there are {len(counted)} of that kind to count; say what it is called")
    return _nth(counted, interpretation.ordinal)


def _innermost(found: list[Match]) -> list[Match]:
    """Of nested rows only the innermost."""
    rows = {row.id: row for item in found if (row := item.candidate.row) is not None and item.rows}
    ancestors = {ancestor for row in rows.values() for ancestor in row.ancestors}
    return [item for item in found if not item.rows or not item.rows <= ancestors]


def _without_named_inside(
    found: list[Match], interpretation: Interpretation, candidates: Sequence[Candidate]
) -> list[Match]:
    """Without those in a row of rows, one of which has such an element and is what a context names.

    The checkbox above a list of mails is not `the checkbox of the mail of 25 December`.
    """
    if not any(item.rows for item in found):
        return found
    inner = [
        row
        for candidate in candidates
        if (row := candidate.row) is not None and row.ancestors and is_such(candidate, interpretation)
    ]
    around = frozenset[int]().union(
        *(row.ancestors for row in inner if any(names_row(row, item) for item in interpretation.contexts))
    )
    return [item for item in found if not item.rows or not item.rows <= around]


def _best(found: list[Match]) -> list[Match]:
    best = max((item.level, item.has_exact_role) for item in found)
    kept = [item for item in found if (item.level, item.has_exact_role) == best]
    context_score = max(item.context_score for item in kept)
    return [item for item in kept if item.context_score == context_score]


def _nth(found: list[Match], ordinal: int) -> list[Match]:
    """Only several elements are counted: `the first` of one is not what the phrase means."""
    if len(found) < 2 or not -len(found) <= ordinal < len(found):  # noqa: PLR2004 - several
        return []
    return [found[ordinal]]


def _choose(matches: list[Match]) -> tuple[Match, list[Match]]:
    """The best match, and matches of other elements that are too good to be ignored."""
    best = max(matches, key=lambda item: (item.rank, item.candidate.is_control))
    others = {
        id(item.candidate): item
        for item in sorted(matches, key=lambda item: item.rank)
        if item.candidate is not best.candidate
    }
    return best, [other for other in others.values() if _is_rival(other, best)]


def _is_rival(other: Match, best: Match) -> bool:
    # the picture in a link is that link
    if not other.candidate.is_control and other.candidate.is_inside(best.candidate):
        return False
    # an ordinal has chosen among equal matches
    if best.interpretation.ordinal is not None and other.interpretation == best.interpretation:
        return False
    if other.level == best.level:
        return other.rank >= best.rank
    is_other_role = best.has_exact_role and not other.has_exact_role
    return other.level >= _MIN_RIVAL[best.level] and not is_other_role

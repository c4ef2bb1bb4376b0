"""Why a phrase does not lead to one element, in words that help to write a better one."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from pagehand.errors import Diagnosis
from pagehand.page.phrases.interpretation import Word
from pagehand.page.phrases.match import Match
from pagehand.page.phrases.parsing import interpret
from pagehand.page.phrases.roles import ROLE_NOUNS
from pagehand.page.phrases.snapshot import Candidate
from pagehand.page.phrases.tokens import ARTICLES, Tokens, canonicalize, contains_tokens, word_set
from pagehand.workflow.words import position_of

_MAX_SIMILAR: Final = 3
_MAX_LISTED: Final = 4
_MAX_COMPARED: Final = 1000
_MAX_RANKED: Final = 100
_ROLE_BONUS: Final = 0.2
_ADVICE: Final = "Use the words that stand on the page, name its row or section, or give the block a locator."
_PHRASE_WORDS: Final = word_set(
    "in on of for from to with next row line section column under below above beside near right left "
    "click press type enter fill please labelled called named area part heading"
)


def explain_no_match(
    phrase: str, words: Sequence[Word], candidates: Sequence[Candidate], texts: Sequence[Tokens]
) -> tuple[str, Diagnosis]:
    """No element matches all words; `texts` are the other texts of the page."""
    unexplained = _unexplained(words, candidates, texts)
    if unexplained:
        listed = ", ".join(f"`{word}`" for word in unexplained)
        why = f"nothing on the page explains {listed}"
    else:
        why = "no single element fits all of its words"
    return explain_refusal(phrase, why, candidates, words)


def explain_refusal(
    phrase: str, why: str, candidates: Sequence[Candidate], words: Sequence[Word]
) -> tuple[str, Diagnosis]:
    """How the phrase was understood, why no element was chosen, and the most similar elements."""
    possible = interpret(list(words))
    best = max(possible, key=lambda item: (item.role is not None, len(item.contexts)), default=None)
    understood = phrase if best is None else str(best)
    similar = similar_elements(words, candidates)
    found = f"nearest: {', '.join(similar)}" if similar else "there is nothing to choose from"
    return (
        f"`{phrase}` was read as {understood}, but {why}; {found}.",
        Diagnosis(expected=understood, found=found, cause=f"{why[0].upper()}{why[1:]}.", advice=_ADVICE),
    )


def explain_ambiguity(phrase: str, matches: Sequence[Match]) -> tuple[str, Diagnosis]:
    """Several elements match equally well."""
    shown = ", ".join(_describe(match.candidate) for match in matches[:_MAX_LISTED])
    more = f" and {len(matches) - _MAX_LISTED} more" if len(matches) > _MAX_LISTED else ""
    return (
        f"`{phrase}` could mean {len(matches)} elements: {shown}{more}.",
        Diagnosis(
            expected=str(matches[0].interpretation),
            found=f"{len(matches)} that fit: {shown}{more}",
            cause="Nothing in the words says which of them is meant.",
            advice="Say which: `the second …`, `… in the row of …`, `… in the … section`; or give a locator.",
        ),
    )


def similar_elements(words: Sequence[Word], candidates: Sequence[Candidate]) -> list[str]:
    """The three elements whose names are most similar to the words."""
    name = " ".join(canonicalize(tuple(word.text for word in words if (word.text,) not in ROLE_NOUNS)))
    roles = [ROLE_NOUNS[(word.text,)].roles for word in words if (word.text,) in ROLE_NOUNS]

    def similarity(candidate: Candidate) -> float:
        ratios = (SequenceMatcher(None, name, " ".join(item.canonical)).ratio() for item in candidate.names)
        return max(ratios, default=0) + _ROLE_BONUS * any(candidate.role in some for some in roles)

    def quick(candidate: Candidate) -> float:
        """Never below the true similarity of its names, and much faster."""
        pairs = (SequenceMatcher(None, name, " ".join(item.canonical)) for item in candidate.names)
        return max(pair.quick_ratio() for pair in pairs)

    named = [candidate for candidate in candidates if candidate.names][:_MAX_COMPARED]
    if len(named) > _MAX_RANKED:
        named = sorted(named, key=quick, reverse=True)[:_MAX_RANKED]
    ranked = sorted(named, key=similarity, reverse=True)
    return list(dict.fromkeys(map(str, ranked)))[:_MAX_SIMILAR]


def _unexplained(
    words: Sequence[Word], candidates: Sequence[Candidate], texts: Sequence[Tokens]
) -> list[str]:
    """Words that are in no name or text of the page, and have no meaning in a phrase."""
    known = [*(text for candidate in candidates for text in _texts(candidate)), *texts]
    found: list[str] = []
    for word in words:
        token = (word.text,)
        has_meaning = not word.is_quoted and (token in ROLE_NOUNS or _is_phrase_word(word.text))
        if not has_meaning and not any(contains_tokens(text, canonicalize(token)) for text in known):
            found.append(word.text)
    return found


def _is_phrase_word(word: str) -> bool:
    return word in ARTICLES or word in _PHRASE_WORDS or position_of(word) is not None


def _texts(candidate: Candidate) -> list[Tokens]:
    row = [candidate.row.text] if candidate.row is not None else []
    return [
        *(name.canonical for name in candidate.names),
        *(name.normalized for name in candidate.names),
        *candidate.sections,
        *row,
        *candidate.nearby_texts,
    ]


def _describe(candidate: Candidate) -> str:
    """With what distinguishes it from elements of the same name."""
    if candidate.row is not None and candidate.row.parts:
        return f"{candidate} in the row of `{' '.join(candidate.row.parts[0])[:40]}`"
    if candidate.sections:
        return f"{candidate} in `{' '.join(candidate.sections[0])[:40]}`"
    return str(candidate)

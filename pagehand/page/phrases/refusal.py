"""Why a phrase did not lead to one element, in words that help to say it better."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from pagehand.errors import Diagnosis
from pagehand.page.phrases.match import Match
from pagehand.page.phrases.phrase import Word, readings
from pagehand.page.phrases.roles import ROLE_WORDS
from pagehand.page.phrases.snapshot import Candidate
from pagehand.page.phrases.tokens import ARTICLES, Tokens, holds, meant, word_set
from pagehand.workflow.ordinals import position_of

_NEAREST: Final = 3
_SHOWN: Final = 4
_ADVICE: Final = "Use the words that stand on the page, name its row or section, or give the block a locator."


def explain(
    phrase: str, words: Sequence[Word], candidates: Sequence[Candidate], texts: Sequence[Tokens]
) -> tuple[str, Diagnosis]:
    """Nothing fits all of the words; `texts` is what else the page shows."""
    left = _unexplained(words, candidates, texts)
    if left:
        counted = ", ".join(f"`{word}`" for word in left)
        why = f"nothing on the page explains {counted}"
    else:
        why = "no single element fits all of its words"
    return _sentence(phrase, why, candidates, words)


def unclear(
    phrase: str, why: str, candidates: Sequence[Candidate], words: Sequence[Word]
) -> tuple[str, Diagnosis]:
    """The words are understood, but they do not choose."""
    return _sentence(phrase, why, candidates, words)


def ambiguous(phrase: str, matches: Sequence[Match]) -> tuple[str, Diagnosis]:
    """Several elements are meant equally well."""
    shown = ", ".join(_placed(match.candidate) for match in matches[:_SHOWN])
    more = f" and {len(matches) - _SHOWN} more" if len(matches) > _SHOWN else ""
    return (
        f"`{phrase}` could mean {len(matches)} elements: {shown}{more}.",
        Diagnosis(
            expected=str(matches[0].reading),
            found=f"{len(matches)} that fit: {shown}{more}",
            cause="Nothing in the words says which of them is meant.",
            advice="Say which: `the second …`, `… in the row of …`, `… in the … section`; or give a locator.",
        ),
    )


def nearest(words: Sequence[Word], candidates: Sequence[Candidate]) -> list[str]:
    """The three elements whose names are most like the words."""
    wanted = " ".join(meant(tuple(word.text for word in words if (word.text,) not in ROLE_WORDS)))
    kinds = [ROLE_WORDS[(word.text,)].roles for word in words if (word.text,) in ROLE_WORDS]

    def likeness(one: Candidate) -> float:
        alike = max(
            (SequenceMatcher(None, wanted, " ".join(name.meant)).ratio() for name in one.names), default=0
        )
        return alike + (0.2 if any(one.role in roles for roles in kinds) else 0)

    ranked = sorted((candidate for candidate in candidates if candidate.names), key=likeness, reverse=True)
    return list(dict.fromkeys(str(match) for match in ranked))[:_NEAREST]


def _sentence(
    phrase: str, why: str, candidates: Sequence[Candidate], words: Sequence[Word]
) -> tuple[str, Diagnosis]:
    read = readings(list(words))
    understood = str(max(read, key=lambda one: (one.role is not None, len(one.contexts)))) if read else phrase
    near = nearest(words, candidates)
    found = f"nearest: {', '.join(near)}" if near else "there is nothing to choose from"
    return (
        f"`{phrase}` was read as {understood}, but {why}; {found}.",
        Diagnosis(expected=understood, found=found, cause=f"{why[0].upper()}{why[1:]}.", advice=_ADVICE),
    )


def _unexplained(
    words: Sequence[Word], candidates: Sequence[Candidate], texts: Sequence[Tokens]
) -> list[str]:
    """Words that neither a name nor a text on the page has, nor our own vocabulary."""
    known = [*(text for candidate in candidates for text in _texts(candidate)), *texts]
    left: list[str] = []
    for word in words:
        single = (word.text,)
        is_ours = not word.is_quoted and (single in ROLE_WORDS or _is_ours(word.text))
        if not is_ours and not any(holds(text, meant(single)) for text in known):
            left.append(word.text)
    return left


def _is_ours(word: str) -> bool:
    return word in ARTICLES or word in _OURS or position_of(word) is not None


_OURS: Final = word_set(
    "in on of for from to with next row line section column under below above beside near right left "
    "click press type enter fill please labelled called named area part heading"
)


def _texts(one: Candidate) -> list[tuple[str, ...]]:
    row = [one.row.text] if one.row is not None else []
    return [
        *(name.meant for name in one.names),
        *(name.spelled for name in one.names),
        *one.sections,
        *row,
        *one.around,
    ]


def _placed(one: Candidate) -> str:
    """With what tells it from its namesakes."""
    if one.row is not None and one.row.parts:
        return f"{one} in the row of `{' '.join(one.row.parts[0])[:40]}`"
    if one.sections:
        return f"{one} in `{' '.join(one.sections[0])[:40]}`"
    return str(one)

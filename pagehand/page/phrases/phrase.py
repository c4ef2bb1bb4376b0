"""The ways a phrase can be read: which words name the element, which say its kind, place and position."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final, Literal

from pagehand.page.phrases.roles import LONGEST, ROLE_WORDS, TELLING, RoleWord
from pagehand.page.phrases.tokens import ARTICLES, Tokens, word_set, words_in
from pagehand.workflow.ordinals import position_of

ContextKind = Literal[
    "row", "card", "section", "column", "place", "any", "near", "left", "right", "below", "above"
]

NEGATIONS: Final = word_set(
    "not no except without but never don dont isn isnt neither nor non instead excluding other than "
    "nicht kein keine ohne außer pas sans sauf sin excepto"
)
_VERBS: Final = word_set(
    "click press tap hit push open follow choose select pick tick check uncheck untick fill enter type write "
    "put set use find locate go hover activate toggle upload clear focus"
)
_AFTER_VERBS: Final = frozenset(("on", "in", "into", "to", "at", "for", "up", "out"))
_POLITE: Final = frozenset(("please", "just", "now"))
_MOST_COURTESY: Final = 4
_MOST_DIGITS: Final = 4
"""Digits in the number of a row; Python refuses to convert texts of thousands of digits."""
# `first name` is a name, not the first of several
_NO_ORDINAL: Final = frozenset(("name", "names"))
_NAMING: Final = (
    ("with", "label"),
    ("with", "text"),
    ("with", "name"),
    ("with", "placeholder"),
    ("that", "says"),
    ("which", "says"),
    ("labelled",),
    ("labeled",),
    ("called",),
    ("named",),
    ("titled",),
    ("marked",),
    ("saying",),
    ("for",),
)
_RELATIONS: Final[dict[Tokens, ContextKind]] = {
    ("to", "right", "of"): "right",
    ("right", "of"): "right",
    ("to", "left", "of"): "left",
    ("left", "of"): "left",
    ("next", "to"): "near",
    ("close", "to"): "near",
    ("beside",): "near",
    ("near",): "near",
    ("by",): "near",
    ("below",): "below",
    ("under",): "below",
    ("underneath",): "below",
    ("beneath",): "below",
    ("above",): "above",
    ("in",): "any",
    ("on",): "any",
    ("of",): "any",
    ("for",): "any",
    ("from",): "any",
    ("within",): "any",
    ("inside",): "any",
    ("at",): "any",
    ("with",): "any",
    ("containing",): "any",
}
_NOUNS: Final[dict[str, ContextKind]] = {
    **dict.fromkeys(("row", "line", "record", "entry", "item"), "row"),
    **dict.fromkeys(("card", "tile", "box", "panel"), "card"),
    **dict.fromkeys(
        word_set(
            "section area part block group fieldset heading title region form dialog popup modal "
            "window table list tab menu toolbar sidebar frame iframe page"
        ),
        "section",
    ),
    "column": "column",
}
_LINKS: Final = frozenset(
    ("of", "for", "with", "containing", "called", "named", "titled", "labelled", "labeled", "saying")
)
_PLACES: Final = {
    **{word: word for word in ("header", "footer", "navigation", "sidebar", "toolbar", "dialog", "form")},
    "nav": "navigation",
    "popup": "dialog",
    "modal": "dialog",
    "table": "table",
    "list": "list",
    "menu": "menu",
}
_MOST_SPLITS: Final = 6
"""Readings double with every relation word; a phrase of 200 of them would never be done."""
# an apostrophe is a quote only at the edge of a word: `don't` has none
_QUOTES: Final = re.compile(r"[\"“”„«»`]|(?<!\w)['\u2018\u2019]|['\u2018\u2019](?!\w)")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as written; quoted ones are names and nothing else."""

    text: str
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """Where the phrase places the element."""

    kind: ContextKind
    words: Tokens
    position: int | None = None
    """Which row, counted from 0; -1 is the last."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand the phrase."""

    name: Tokens
    role: RoleWord | None
    ordinal: int | None
    contexts: tuple[Context, ...]
    has_negation: bool
    whole: Tokens = ()
    """Name and kind as one name, where nothing says that the last or first word is a kind: `Add row`."""

    @property
    def guesses_kind(self) -> bool:
        """True when the kind may as well be part of the name."""
        return bool(self.whole)

    def __str__(self) -> str:
        """For a refusal: a button called `Save`, in the row of `acme 17`."""
        kind = self.role.word if self.role else "element"
        called = f" called `{' '.join(self.name)}`" if self.name else ""
        where = "".join(
            f", {_SPOKEN[context.kind]} `{' '.join(context.words)}`"
            for context in self.contexts
            if context.words
        )
        return f"{kind}{called}{where}"


_SPOKEN: Final[dict[ContextKind, str]] = {
    "row": "in the row of",
    "card": "in the card",
    "section": "in the section",
    "column": "in the column",
    "place": "in the",
    "any": "in",
    "near": "next to",
    "left": "left of",
    "right": "right of",
    "below": "below",
    "above": "above",
}


def words_of(phrase: str) -> list[Word]:
    """The phrase's words; what stands in quotes is marked."""
    words: list[Word] = []
    for at, part in enumerate(_QUOTES.split(phrase)):
        words.extend(Word(word, at % 2 == 1) for word in words_in(part))
    return words


def negated(words: list[Word]) -> list[str]:
    """The words that turn the phrase into its opposite, unless they are part of a name."""
    return [word.text for word in words if not word.is_quoted and word.text in NEGATIONS]


def without_courtesy(words: list[Word]) -> Iterator[list[list[Word]]]:
    """The words without some of `please`, `just` and `now`: first without one of them, then without two.

    Each of them may be part of a name, as in `Pay now`, so the fewest that can be left out are.
    """
    polite = [at for at, word in enumerate(words) if not word.is_quoted and word.text in _POLITE]
    for size in range(1, len(polite[:_MOST_COURTESY]) + 1):
        yield [
            [word for at, word in enumerate(words) if at not in left_out]
            for left_out in combinations(polite[:_MOST_COURTESY], size)
        ]


def readings(words: list[Word]) -> list[Reading]:
    """Every way to read the words, without repeats."""
    found: dict[Reading, None] = {}
    for start in {0, _after_verb(words)}:
        rest = words[start:]
        splits = _splits(rest)
        for size in range(len(splits) + 1):
            for chosen in combinations(splits, size):
                for reading in _read(rest, chosen):
                    found[reading] = None
    return list(found)


def _after_verb(words: list[Word]) -> int:
    if len(words) < 2 or words[0].is_quoted or words[0].text not in _VERBS:  # noqa: PLR2004 - a verb and what it is about
        return 0
    # `click on Save`, but `check out` is a name: both readings are tried
    is_linked = not words[1].is_quoted and words[1].text in _AFTER_VERBS and len(words) > 2  # noqa: PLR2004 - and a link between
    return 2 if is_linked else 1


@dataclass(frozen=True, slots=True)
class _Split:
    at: int
    size: int
    kinds: tuple[ContextKind | Literal["name"], ...]


def _splits(words: list[Word]) -> list[_Split]:
    """Where a context could begin: at a relation word with something after it."""
    found: list[_Split] = []
    at = 0
    while at < len(words):
        size, kinds = _relation(words, at)
        if size and at + size < len(words):
            found.append(_Split(at, size, kinds))
        at += max(1, size)
    return found[:_MOST_SPLITS]


def _relation(words: list[Word], at: int) -> tuple[int, tuple[ContextKind | Literal["name"], ...]]:
    for size in (4, 3, 2, 1):
        part = words[at : at + size]
        if len(part) < size or any(word.is_quoted for word in part):
            continue
        texts = tuple(word.text for word in part if word.text not in ARTICLES or word.text == "that")
        # an article within, such as `to the right of`
        if part[-1].text in ARTICLES or (len(texts) != size and part[0].text in ARTICLES):
            continue
        kinds: list[ContextKind | Literal["name"]] = []
        if texts in _NAMING:
            kinds.append("name")
        if texts in _RELATIONS:
            kinds.append(_RELATIONS[texts])
        if kinds:
            return size, tuple(kinds)
    return 0, ()


def _read(words: list[Word], chosen: tuple[_Split, ...]) -> Iterator[Reading]:
    ends = [*(split.at for split in chosen[1:]), len(words)][: len(chosen)]
    head = words[: chosen[0].at] if chosen else words
    tails = [words[split.at + split.size : end] for split, end in zip(chosen, ends, strict=True)]
    if any(not tail for tail in tails):
        return
    for kinds in product(*(split.kinds for split in chosen)):
        pairs = list(zip(kinds, tails, strict=True))
        named = [tail for kind, tail in pairs if kind == "name"]
        if len(named) > 1:
            continue
        for contexts in product(*(_places(kind, tail) for kind, tail in pairs if kind != "name")):
            yield from _read_head(words, head, named, contexts)


def _read_head(
    words: list[Word], head: list[Word], named: list[list[Word]], contexts: tuple[Context, ...]
) -> Iterator[Reading]:
    # kept with the reading: a name that holds `not`, such as `Do not disturb`, is still met as a whole
    negation = any(not word.is_quoted and word.text in NEGATIONS for word in words)
    for name, role, ordinal in _heads(head):
        if named and name:
            continue
        full = name or (_bare(named[0]) if named else ())
        if full or role is not None:
            whole = _bare(head) if role is not None and head and not _announces_kind(head) else ()
            yield Reading(full, role, ordinal, contexts, negation, whole)


def _announces_kind(head: list[Word]) -> bool:
    """True for `the Save button`, `second Save button`, `"Save" button`, `search box`."""
    if head[0].is_quoted or head[-1].is_quoted or head[0].text in ARTICLES:
        return True
    if position_of(head[0].text) is not None:
        return True
    return any(tuple(word.text for word in head[-size:]) in TELLING for size in (1, 2))


def _heads(words: list[Word]) -> Iterator[tuple[Tokens, RoleWord | None, int | None]]:
    """Name, kind and position as the words before any context may say them."""
    kept = [word for word in words if word.is_quoted or word.text not in ARTICLES]
    bare = words
    for start, ordinal in ((0, None), *_ordinals(kept)):
        rest = kept[start:] if ordinal is not None else kept
        yield _bare(bare if ordinal is None else rest), None, ordinal
        for role, name in _roles(rest):
            yield name, role, ordinal


def _ordinals(words: list[Word]) -> Iterator[tuple[int, int]]:
    if len(words) < 2 or words[0].is_quoted:  # noqa: PLR2004 - the position and what is counted
        return
    if not words[1].is_quoted and words[1].text in _NO_ORDINAL:
        return
    position = position_of(words[0].text)
    if position is not None:
        yield 1, position


def _roles(words: list[Word]) -> Iterator[tuple[RoleWord, Tokens]]:
    for size in range(min(LONGEST, len(words)), 0, -1):
        for part, rest in ((words[-size:], words[:-size]), (words[:size], words[size:])):
            texts = tuple(word.text for word in part)
            if any(word.is_quoted for word in part) or texts not in ROLE_WORDS:
                continue
            name = _bare(rest)
            # `password field` says both: a field, and one called password
            if texts in TELLING:
                yield ROLE_WORDS[texts], (*name, *TELLING[texts])
            else:
                yield ROLE_WORDS[texts], name


def _places(kind: ContextKind, tail: list[Word]) -> list[Context]:
    """The contexts that words after a relation may describe: with a noun for the place, and without."""
    words = [word for word in tail if word.is_quoted or word.text not in ARTICLES]
    if not words:
        return []
    # `next to the row` is measured on the page; only within and below can a noun name a place
    if kind not in ("any", "below"):
        return [Context(kind, _without_kind(words))]
    first, last = words[0], words[-1]
    if len(words) == 1 and not first.is_quoted and first.text in _PLACES:
        return [Context("place", (_PLACES[first.text],)), Context(kind, _bare(words))]
    found: list[Context] = []
    if words[1:] and not last.is_quoted and last.text in _NOUNS:
        found.append(_noun(last.text, words[:-1], kind))
    if words[1:] and not first.is_quoted and first.text in _NOUNS:
        if words[2:] and words[1].text in _LINKS and not words[1].is_quoted:
            # `row 2` is a position, but `the row of 2` says what the row holds
            found.append(_noun(first.text, words[2:], kind, is_counted=False))
        else:
            found.append(_noun(first.text, words[1:], kind))
    return [*found, Context(kind, _bare(words))]


def _noun(noun: str, words: list[Word], kind: ContextKind, *, is_counted: bool = True) -> Context:
    found = _NOUNS[noun]
    if kind == "below" and found not in ("section", "card"):
        return Context("below", _bare(words))
    if is_counted and found in ("row", "card") and len(words) == 1 and not words[0].is_quoted:
        return Context(found, _bare(words), _position(noun, words[0].text))
    return Context(found, _bare(words))


def _position(noun: str, word: str) -> int | None:
    # `isdecimal`: there are digits, such as Ethiopic ones, that `int` does not convert
    if noun == "row" and word.isdecimal() and len(word) <= _MOST_DIGITS and int(word) > 0:
        return int(word) - 1
    return position_of(word)


def _without_kind(words: list[Word]) -> Tokens:
    """`the Search field` beside which something stands is found by `Search`."""
    if words[1:] and not words[-1].is_quoted and (words[-1].text,) in ROLE_WORDS:
        return _bare(words[:-1])
    if words[1:] and not words[0].is_quoted and words[0].text in ("text", "label", "heading"):
        return _bare(words[1:])
    return _bare(words)


def _bare(words: list[Word]) -> Tokens:
    return tuple(word.text for word in words)

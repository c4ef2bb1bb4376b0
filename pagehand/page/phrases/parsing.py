"""Parsing a phrase into every way it can be understood."""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

from pagehand.page.phrases.contexts import CONTAINERS, RelationKind, read_contexts, relation_at, texts_of
from pagehand.page.phrases.interpretation import Context, Interpretation, Word
from pagehand.page.phrases.roles import MAX_NOUN_WORDS, NAMED_ROLES, NUMBERED, ROLE_NOUNS, RoleNoun
from pagehand.page.phrases.tokens import ARTICLES, Tokens, tokenize, word_set
from pagehand.workflow.words import position_of

_NEGATIONS: Final = word_set(
    "not no except without but never don dont isn isnt neither nor non instead excluding other than "
    "nicht kein keine ohne außer pas sans sauf sin excepto"
)
_VERBS: Final = word_set(
    "click press tap hit push open follow choose select pick tick check uncheck untick fill enter type write "
    "put set use find locate go hover activate toggle upload clear focus expand collapse unfold"
)
_AFTER_VERBS: Final = frozenset(("on", "in", "into", "to", "at", "for", "up", "out"))
POLITE: Final = frozenset(("please", "just", "now"))
_MAX_POLITE: Final = 4
_GERUND: Final = re.compile(r"(?P<stem>\w{2,}?)(?P<last>[^\W\daeiou])?(?P=last)?ing")
# `first name` is a name, not the first of several
_NOT_COUNTED: Final = frozenset(("name", "names"))
_MAX_RELATIONS: Final = 6
"""Interpretations double with every relation; a phrase with 200 of them would take forever."""
_WHERE: Final = r"where (?:i|you|we|one|they|people) (?:can |should |have to )?"
_TYPED: Final = (
    rf"^(?:the )?(?:(?:box|field|place|spot) )?{_WHERE}"
    r"(?:type in|type|enter|write|fill in|put in|put|search by|search for) (?:the )?(.+)$"
)
_CHOSEN: Final = rf"^(?:the )?(?:(?:list|dropdown|place) )?{_WHERE}(?:choose|select|pick) (?:the )?(.+)$"
_REWORDINGS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), plain)
    for pattern, plain in (
        (_TYPED, r"\1 field"),
        (_CHOSEN, r"\1 list"),
        (r" (?:that|which) closes (?=(?:the|this) )", " of "),
        (r"^(yes|no) (?:to|for|on|under) (?:the )?(?:question )?(.+?)(?: question)?$", r'"\1" of \2'),
    )
)
_OPENING: Final = re.compile(r"(?<!\w)['\u2018\u2019](?=\w)")
_OWNER: Final = re.compile(r"(?<=s)['\u2019](?=\s)")
# an apostrophe is a quote only at the edge of a word: `don't` has none
_QUOTES: Final = re.compile(r"[\"“”„«»`]|(?<!\w)['\u2018\u2019]|['\u2018\u2019](?!\w)")


def tokenize_phrase(phrase: str) -> list[Word]:
    """The words of the phrase; quoted ones are marked."""
    words: list[Word] = []
    for number, part in enumerate(_QUOTES.split(_with_owners(phrase))):
        is_quoted = number % 2 == 1
        texts = tokenize(part) if is_quoted else _join_compounds(tokenize(part))
        words.extend(Word(word, is_quoted) for word in texts)
    return words


def _join_compounds(words: Tokens) -> Iterator[str]:
    """`pop-up` and `side bar` in one word, as the nouns for places are."""
    at = 0
    while at < len(words):
        joined = "".join(words[at : at + 2])
        is_compound = joined in CONTAINERS and joined != words[at]
        yield joined if is_compound else words[at]
        at += 2 if is_compound else 1


def _with_owners(phrase: str) -> str:
    """With `Tools's` for `Tools'`, unless the apostrophe ends what one before it begins to quote."""
    return phrase if _OPENING.search(phrase) else _OWNER.sub("'s", phrase)


def reworded(phrase: str) -> Iterator[str]:
    """Plainer words for what a phrase describes: `the total field` for `the box where I enter the total`."""
    owner, mark, owned = re.sub("\u2019", "'", _with_owners(phrase)).partition("'s ")
    # `the Seats card's More info link`
    if mark and "'s " not in owned:
        yield f"{owned} of {owner}"
    for pattern, plain in _REWORDINGS:
        if (changed := pattern.sub(plain, phrase.strip())) != phrase.strip():
            yield changed


def negations_in(words: list[Word]) -> list[str]:
    """The words that negate the phrase, unless they are quoted."""
    return [word.text for word in words if _is_negation(word)]


def drop_polite_words(words: list[Word]) -> Iterator[list[list[Word]]]:
    """The words without some of `please`, `just` and `now`: first without one of them, then without two.

    Each of them may be part of a name, as in `Pay now`, so as few as possible are dropped.
    """
    polite = [at for at, word in enumerate(words) if not word.is_quoted and word.text in POLITE]
    for size in range(1, len(polite[:_MAX_POLITE]) + 1):
        yield [
            [word for at, word in enumerate(words) if at not in dropped]
            for dropped in combinations(polite[:_MAX_POLITE], size)
        ]


def as_on_page(words: list[Word], said_on_page: Container[str]) -> list[Word]:
    """The words with `playing` as `play`, where the page has only that."""
    return [word if word.is_quoted else Word(_stem_on_page(word.text, said_on_page)) for word in words]


def _stem_on_page(word: str, said_on_page: Container[str]) -> str:
    found = _GERUND.fullmatch(word)
    if found is None or word in said_on_page:
        return word
    stem = f"{found['stem']}{found['last'] or ''}"
    return next((form for form in (word.removesuffix("ing"), stem, f"{stem}e") if form in said_on_page), word)


def interpret(words: list[Word]) -> list[Interpretation]:
    """Every way to understand the words, without repeats."""
    found: dict[Interpretation, None] = {}
    for start in {0, after_verb(words)}:
        rest = words[start:]
        relations = _relations(rest)
        for size in range(len(relations) + 1):
            for chosen in combinations(relations, size):
                for interpretation in _interpret_split(rest, chosen):
                    found[interpretation] = None
    return list(found)


def _is_negation(word: Word) -> bool:
    return not word.is_quoted and word.text in _NEGATIONS


def after_verb(words: list[Word]) -> int:
    """How many words say what to do with the element: 2 for `click on Save`."""
    if len(words) < 2 or words[0].is_quoted or words[0].text not in _VERBS:  # noqa: PLR2004 - a verb and its object
        return 0
    # `click on Save`, but `check out` is a name: both are tried
    has_preposition = not words[1].is_quoted and words[1].text in _AFTER_VERBS and len(words) > 2  # noqa: PLR2004 - and a preposition between
    return 2 if has_preposition else 1


@dataclass(frozen=True, slots=True)
class _Relation:
    start: int
    size: int
    kinds: tuple[RelationKind, ...]


def _relations(words: list[Word]) -> list[_Relation]:
    """Where a context could begin: at a relation with something after it."""
    found: list[_Relation] = []
    at = 0
    while at < len(words):
        size, kinds = relation_at(words, at)
        if size and at + size < len(words):
            found.append(_Relation(at, size, kinds))
        at += max(1, size)
    return found[:_MAX_RELATIONS]


def _interpret_split(words: list[Word], relations: tuple[_Relation, ...]) -> Iterator[Interpretation]:
    """The words split at these relations: a head, and a tail after each relation."""
    ends = [*(relation.start for relation in relations[1:]), len(words)][: len(relations)]
    head = words[: relations[0].start] if relations else words
    tails = [
        words[relation.start + relation.size : end] for relation, end in zip(relations, ends, strict=True)
    ]
    if any(not tail for tail in tails):
        return
    for kinds in product(*(relation.kinds for relation in relations)):
        pairs = list(zip(kinds, tails, strict=True))
        names = [tail for kind, tail in pairs if kind == "name"]
        if len(names) > 1:
            continue
        for contexts in product(*(read_contexts(kind, tail) for kind, tail in pairs if kind != "name")):
            yield from _interpret_head(words, head, names, contexts)


def _interpret_head(
    words: list[Word], head: list[Word], names: list[list[Word]], contexts: tuple[Context, ...]
) -> Iterator[Interpretation]:
    # kept for matching: a name that contains `not`, such as `Do not disturb`, still matches as a whole
    has_negation = any(map(_is_negation, words))
    for head_name, role, ordinal in _split_head(head):
        if names and head_name:
            continue
        name = head_name or (texts_of(names[0]) if names else ())
        if name or role is not None:
            full_name = texts_of(head) if role is not None and head and not _announces_role(head) else ()
            yield Interpretation(name, role, ordinal, contexts, has_negation, full_name)


def _announces_role(head: list[Word]) -> bool:
    """True for `the Save button`, `second Save button`, `"Save" button`, `search box`."""
    if head[0].is_quoted or head[-1].is_quoted or head[0].text in ARTICLES:
        return True
    if position_of(head[0].text) is not None:
        return True
    return any(tuple(word.text for word in head[-size:]) in NAMED_ROLES for size in (1, 2))


def _split_head(words: list[Word]) -> Iterator[tuple[Tokens, RoleNoun | None, int | None]]:
    """Name, role and ordinal in the words before any context."""
    kept = [word for word in words if word.is_quoted or word.text not in ARTICLES]
    for start, ordinal in ((0, None), *_ordinals(kept)):
        rest = kept[start:] if ordinal is not None else kept
        yield texts_of(words if ordinal is None else rest), None, ordinal
        for role, name in split_role(rest):
            yield name, role, ordinal


def _ordinals(words: list[Word]) -> Iterator[tuple[int, int]]:
    if len(words) < 2 or words[0].is_quoted:  # noqa: PLR2004 - the ordinal and what is counted
        return
    if not words[1].is_quoted and words[1].text in _NOT_COUNTED:
        return
    position = position_of(words[0].text)
    if position is not None:
        yield 1, position


def split_role(words: list[Word]) -> Iterator[tuple[RoleNoun, Tokens]]:
    """The kinds of element that the words may begin or end with, each with the rest of them."""
    for size in range(min(MAX_NOUN_WORDS, len(words)), 0, -1):
        for part, rest in ((words[-size:], words[:-size]), (words[:size], words[size:])):
            texts = tuple(word.text for word in part)
            if any(word.is_quoted for word in part) or texts not in ROLE_NOUNS:
                continue
            name = texts_of(rest)
            if ROLE_NOUNS[texts].noun in NUMBERED and not (len(name) == 1 and name[0].isdecimal()):
                continue
            # `password field` says both: a field, and one called password
            if texts in NAMED_ROLES:
                yield ROLE_NOUNS[texts], (*name, *NAMED_ROLES[texts])
            else:
                yield ROLE_NOUNS[texts], name

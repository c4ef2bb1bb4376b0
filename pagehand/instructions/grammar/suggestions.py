"""Other ways to say a clause that was not understood; only those that are understood are offered."""

import difflib
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from pagehand.instructions.grammar.frames import tokenize
from pagehand.instructions.grammar.literals import TOKEN
from pagehand.instructions.grammar.names import refuse_negation, refuse_vague_words
from pagehand.instructions.grammar.refusal import NotUnderstood
from pagehand.instructions.grammar.vocabulary import Vocabulary

_OFFERED: Final = 2
_TRIED: Final = 24
_ALIKE: Final = 0.6
"""From this on a first word may be a mistyped verb."""
_NAME: Final = re.compile(
    r"(?: the)? (?P<name>.+?)(?: (?P<noun>button|link|tab|menu|field|box|checkbox|dropdown|list))?",
    re.IGNORECASE,
)

_SMALL_WORDS: Final = frozenset(("a", "an", "and", "for", "from", "in", "into", "of", "on", "the", "to"))
_PRESSED: Final = re.compile(r" (?:button|link|tab)$", re.IGNORECASE)


def suggest(text: str, vocabulary: Vocabulary, is_understood: Callable[[str], bool]) -> list[str]:
    """The two nearest; none for what must not be done, because no step says that."""
    try:
        refuse_negation(text)
    except NotUnderstood:
        return []
    candidates = dict.fromkeys((*_repairs(text, vocabulary), *_examples(text, vocabulary)))
    fitting = (way for way in islice(candidates, _TRIED) if way != text and is_understood(way))
    return list(islice(fitting, _OFFERED))


def _repairs(text: str, vocabulary: Vocabulary) -> Iterator[str]:
    """The clause itself with its name in quotes, its steps apart, or its verb spelled right."""
    words = tokenize(text)
    if length := vocabulary.starts_step(words):
        end = words[length - 1].end
        yield from _quoted(text[:end], text[end:])
        first, _, second = text.partition(" and ")
        if second:
            yield f"{first}. {second[:1].upper()}{second[1:]}"
    else:
        first, _, rest = text.partition(" ")
        if _PRESSED.search(rest):
            yield f"Click {rest}"
        for meant in difflib.get_close_matches(first.lower(), vocabulary.first_words, _OFFERED, _ALIKE):
            yield f"{meant.capitalize()} {rest}"


def _quoted(verb: str, rest: str) -> Iterator[str]:
    found = _NAME.fullmatch(rest)
    if found is None or re.search(rf"{TOKEN}|[\"“”«»]", rest):
        return
    try:
        refuse_vague_words(found["name"])
    except NotUnderstood:
        return  # quotes would make a name of "it" or "the other one"
    noun = f" {found['noun']}" if found["noun"] else ""
    yield f'{verb} {"the " if noun else ""}"{found["name"]}"{noun}'


def _examples(text: str, vocabulary: Vocabulary) -> list[str]:
    """The examples of all steps, those most like the clause first."""
    words = _words(text)

    def likeness(example: str) -> float:
        shared = len(words & _words(example)) / max(1, len(words))
        return shared + difflib.SequenceMatcher(None, text.lower(), example.lower()).quick_ratio() / 10

    examples = (example for listed in vocabulary.examples.values() for example in listed)
    return sorted(examples, key=likeness, reverse=True)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower())) - _SMALL_WORDS

"""Words with a fixed meaning: yes and no, first and last."""

import re
from collections.abc import Mapping
from typing import Final, TypeVar

_Meaning = TypeVar("_Meaning")


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def by_word(groups: Mapping[_Meaning, str]) -> dict[str, _Meaning]:
    """Each of the words, which `|` separates, with what it means."""
    return {word: meaning for meaning, words in groups.items() for word in words.split("|")}


ORDINAL_WORDS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip
ORDINAL: Final = rf"(?:{'|'.join(ORDINAL_WORDS)}|last|\d{{1,3}}(?:st|nd|rd|th))"
"""A pattern for a position among several."""
_FROM_END: Final = frozenset(("last", "final"))
_FOREIGN: Final = {
    "erst": 0, "zweit": 1, "dritt": 2, "viert": 3, "fünft": 4, "letzt": -1,
    "premier": 0, "premièr": 0, "deuxièm": 1,
    "troisièm": 2, "quatrièm": 3, "cinquièm": 4, "dernier": -1, "dernièr": -1,
}  # fmt: skip
_DECLINED: Final = re.compile(rf"(?P<stem>{'|'.join(_FOREIGN)})(?:e[mnrs]?)?")
_NUMBERED: Final = re.compile(r"(\d{1,4})(?:st|nd|rd|th)")
_YES: Final = word_set("true yes y on 1 checked ticked ja oui si sí sì sim ✓ ✔")
_NO: Final = word_set("false no n off 0 unchecked unticked nein non nee não ✗ ✘")


def position_of(word: str) -> int | None:
    """0 for `first`, 2 for `3rd`, -1 for `last`; None for words that count nothing."""
    if word in ORDINAL_WORDS:
        return ORDINAL_WORDS.index(word)
    if word in _FROM_END:
        return -1
    if (stem := _DECLINED.fullmatch(word)) is not None:
        return _FOREIGN[stem["stem"]]
    numbered = _NUMBERED.fullmatch(word)
    return int(numbered[1]) - 1 if numbered and int(numbered[1]) > 0 else None


def read_yes_no(text: str) -> bool | None:
    """What the text says; None when it is neither, as an empty one is."""
    word = text.strip().casefold()
    return True if word in _YES else False if word in _NO else None

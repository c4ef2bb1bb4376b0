"""Positions as people say them: `first`, `3rd`, `last`."""

import re
from typing import Final

ORDINAL_WORDS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip
ORDINAL: Final = rf"(?:{'|'.join(ORDINAL_WORDS)}|last|\d{{1,3}}(?:st|nd|rd|th))"
"""A pattern for a position among several."""
_FROM_END: Final = frozenset(("last", "final"))
_NUMBERED: Final = re.compile(r"(\d{1,4})(?:st|nd|rd|th)")


def position_of(word: str) -> int | None:
    """0 for `first`, 2 for `3rd`, -1 for `last`; None for words that count nothing."""
    if word in ORDINAL_WORDS:
        return ORDINAL_WORDS.index(word)
    if word in _FROM_END:
        return -1
    numbered = _NUMBERED.fullmatch(word)
    return int(numbered[1]) - 1 if numbered and int(numbered[1]) > 0 else None

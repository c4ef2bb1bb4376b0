"""Why a field is refused, in the same words everywhere: missing, unknown, or not what was expected."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

WHOLE_NUMBER: Final = "a whole number"
NUMBER: Final = "a number"
STRING: Final = "a string"
BOOLEAN: Final = "true or false"
ARRAY: Final = "an array"
OBJECT: Final = "an object"
_SEPARATORS: Final = re.compile(r"[\s_-]+")
_ENDINGS: Final = ("id", "ids", "s", "es", "name", "ms", "seconds", "text", "value", "filter", "filters")
_LONGEST: Final = 100
"""Names longer than any of ours are not compared: comparing takes time with their length."""


def missing(where: str) -> str:
    """What to say of a field that is needed and was not given."""
    return f"`{where}` is missing"


def unknown_key(key: str, known: Iterable[str]) -> str:
    """What to say of a key that the object does not have, and which was probably meant."""
    names = tuple(known)
    if (meant := nearest(key, names)) is not None:
        return f"unknown key; did you mean `{meant}`?"
    return f"unknown key; known are {listed(names)}" if names else "unknown key; none is expected here"


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.75) -> str | None:
    """The known name that differs in case, separators, an ending or a few letters; None when none does."""
    if len(name) > _LONGEST:
        return None
    by_folded = {_folded(item): item for item in known}
    folded = _folded(name)
    if folded in by_folded:
        return by_folded[folded]
    # `login` for `loginId`: too short for a comparison of letters to find
    for ending in _ENDINGS:
        longer, shorter = folded + ending, folded.removesuffix(ending)
        for candidate in (longer, shorter):
            if candidate in by_folded:
                return by_folded[candidate]
    # last, as it may find a name that only looks alike
    close = get_close_matches(folded, by_folded, n=1, cutoff=cutoff)
    return by_folded[close[0]] if close else None


def listed(names: Iterable[str]) -> str:
    """Names in backticks, separated by commas."""
    return ", ".join(f"`{name}`" for name in names)


def _folded(name: str) -> str:
    return _SEPARATORS.sub("", name).lower()

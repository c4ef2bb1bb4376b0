"""Typos: words that are one key press away from a word the grammar knows."""

from collections.abc import Collection
from itertools import pairwise
from typing import Final

_MIN_LENGTH: Final = 4
_LONG_WORD: Final = 6
"""From this length a wrong letter is recognised too; shorter words have too many neighbours."""
_KEYBOARD_ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def _neighbouring_keys() -> frozenset[str]:
    """Pairs of letters that lie side by side on a keyboard."""
    within = {first + second for row in _KEYBOARD_ROWS for first, second in pairwise(row)}
    across = {
        upper[at] + lower[near]
        for upper, lower in pairwise(_KEYBOARD_ROWS)
        for at in range(len(upper))
        for near in (at - 1, at)
        if 0 <= near < len(lower)
    }
    return frozenset(pair for item in within | across for pair in (item, item[::-1]))


_NEIGHBOURING_KEYS: Final = _neighbouring_keys()


def correct_typo(word: str, known: Collection[str]) -> str | None:
    """The known word that this is a typo of; None when it is known itself, or could be several."""
    folded = word.lower()
    if len(folded) < _MIN_LENGTH or folded in known:
        return None
    found = [item for item in known if len(item) >= _MIN_LENGTH and _is_typo(folded, item)]
    return found[0] if len(found) == 1 else None


def _is_typo(written: str, intended: str) -> bool:
    """One letter missing, doubled or added, swapped with the next, or hit beside; the first is right."""
    if {written[0], intended[0]} == {"c", "k"} and written[1:] == intended[1:]:
        return True
    if written[0] != intended[0]:
        return False
    if len(written) == len(intended):
        wrong = [(item, other) for item, other in zip(written, intended, strict=True) if item != other]
        if len(wrong) == 1:
            return len(intended) >= _LONG_WORD and "".join(wrong[0]) in _NEIGHBOURING_KEYS
        return any(
            written == intended[:at] + intended[at + 1] + intended[at] + intended[at + 2 :]
            for at in range(len(intended) - 1)
        )
    # a letter at the end makes another word of many: `links`, `tablet`
    return _lacks_one_letter(written, intended) or (
        written[:-1] != intended and _lacks_one_letter(intended, written)
    )


def _lacks_one_letter(shorter: str, longer: str) -> bool:
    return len(shorter) == len(longer) - 1 and any(
        shorter == longer[:at] + longer[at + 1 :] for at in range(len(longer))
    )

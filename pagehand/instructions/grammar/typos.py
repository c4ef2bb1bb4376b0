"""Words that are one slip of the finger away from a word the grammar knows."""

from collections.abc import Collection
from itertools import pairwise
from typing import Final

_SHORTEST: Final = 4
_LONG: Final = 6
"""From here on a wrong letter is recognised too; shorter words have too many neighbours."""
_ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def _neighbours() -> frozenset[str]:
    """Pairs of letters that lie side by side on a keyboard."""
    within = {first + second for row in _ROWS for first, second in pairwise(row)}
    across = {
        upper[at] + lower[near]
        for upper, lower in pairwise(_ROWS)
        for at in range(len(upper))
        for near in (at - 1, at)
        if 0 <= near < len(lower)
    }
    return frozenset(pair for item in within | across for pair in (item, item[::-1]))


_NEIGHBOURS: Final = _neighbours()


def meant_word(word: str, known: Collection[str]) -> str | None:
    """The one known word that this is a slip of; None when it is known itself, or could be several."""
    folded = word.lower()
    if len(folded) < _SHORTEST or folded in known:
        return None
    found = [item for item in known if len(item) >= _SHORTEST and _is_slip(folded, item)]
    return found[0] if len(found) == 1 else None


def _is_slip(written: str, meant: str) -> bool:
    """One letter missing, doubled or added, swapped with the next, or hit beside; the first is right."""
    if written[0] != meant[0]:
        return False
    if len(written) == len(meant):
        return _is_swap(written, meant) or (len(meant) >= _LONG and _is_beside(written, meant))
    if len(written) == len(meant) - 1:
        return _is_without_one(written, meant)
    # a letter at the end makes another word of many: `links`, `tablet`
    return len(written) == len(meant) + 1 and written[:-1] != meant and _is_without_one(meant, written)


def _is_swap(written: str, meant: str) -> bool:
    return any(
        written == meant[:at] + meant[at + 1] + meant[at] + meant[at + 2 :] for at in range(len(meant) - 1)
    )


def _is_beside(written: str, meant: str) -> bool:
    wrong = [(item, other) for item, other in zip(written, meant, strict=True) if item != other]
    return len(wrong) == 1 and "".join(wrong[0]) in _NEIGHBOURS


def _is_without_one(shorter: str, longer: str) -> bool:
    return any(shorter == longer[:at] + longer[at + 1 :] for at in range(len(longer)))

"""Page ranges such as "1,3-5,-1": counted from 1, and from the end with a minus."""

import re
from collections.abc import Iterator
from typing import Final

from pagehand.errors import BlockFailed

_PIECE: Final = re.compile(r"(-?\d{1,9})(?:\s*-\s*(-?\d{1,9}))?")


def find_mistake(pages: str) -> str | None:
    """What is wrong with a range's syntax; None if nothing is."""
    for piece in pages.split(","):
        match = _PIECE.fullmatch(piece.strip())
        if match is None or "0" in (match[1].lstrip("-0") or "0", (match[2] or "1").lstrip("-0") or "0"):
            return f"`{piece.strip()[:40]}` is not a page or range such as `1`, `3-5` or `-1`"
    return None


def page_positions(pages: str | None, count: int) -> list[int]:
    """Positions from 0, in the order of the document; all of them for None."""
    if pages is None:
        return list(range(count))
    if (mistake := find_mistake(pages)) is not None:
        raise BlockFailed(f"`pages`: {mistake}.")
    # sorted and unique: a page that is named twice is read or removed once
    return sorted({at for piece in pages.split(",") for at in _range(piece.strip(), count)})


def _range(piece: str, count: int) -> Iterator[int]:
    match = _PIECE.fullmatch(piece)
    if match is None:
        return
    first = _position(match[1], count)
    last = first if match[2] is None else _position(match[2], count)
    if first > last:
        raise BlockFailed(f"`pages`: `{piece}` runs backwards; write the smaller page first.")
    yield from range(first, last + 1)


def _position(written: str, count: int) -> int:
    number = int(written)
    at = number - 1 if number > 0 else count + number
    if not 0 <= at < count:
        raise BlockFailed(f"`pages`: there is no page {written}; the document has {count}.")
    return at

"""Where the words of a PDF page stand, and the lines they make."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from pagehand.documents.pdfium import raw

_WORD: Final = re.compile(r"[^\s\x00]+")
_GAP: Final = 0.8
"""Between two words of a line, in heights of the letters: more is a gap between columns."""
_SAME_LINE: Final = 0.5
_FIRST_HALF, _LAST_HALF, _LAST_CODE = 0xD800, 0xDFFF, 0x10FFFF


@dataclass(slots=True)
class Word:
    """A word, and the box around it; y grows upwards."""

    text: str
    left: float
    bottom: float
    right: float
    top: float

    @property
    def middle(self) -> float:
        """Half way up."""
        return (self.bottom + self.top) / 2

    @property
    def height(self) -> float:
        """Of the letters."""
        return self.top - self.bottom


@dataclass(slots=True)
class Line:
    """Words side by side, in pieces with wide gaps between them."""

    pieces: list[list[Word]]

    @property
    def texts(self) -> list[str]:
        """What the pieces say."""
        return [" ".join(word.text for word in piece) for piece in self.pieces]

    @property
    def top(self) -> float:
        """Of its highest word."""
        return max(word.top for piece in self.pieces for word in piece)

    @property
    def bottom(self) -> float:
        """Of its lowest word."""
        return min(word.bottom for piece in self.pieces for word in piece)


def read_words(characters: Any) -> tuple[str, list[Word]]:
    """The page's text in its own order, and its words with their boxes."""
    count = characters.count_chars()
    text: str = characters.get_text_range() if count else ""
    aligned = text
    if len(text) != count:  # the library leaves some out or puts some in
        aligned = "".join(_letter(raw.FPDFText_GetUnicode(characters, at)) for at in range(count))
    return text.replace("\r\n", "\n").replace("\x00", ""), list(_boxed(characters, aligned))


def _letter(code: int) -> str:
    """One place for one letter; half of a pair is not a letter."""
    return chr(code) if code < _FIRST_HALF or _LAST_HALF < code <= _LAST_CODE else "\ufffd"


def _boxed(characters: Any, text: str) -> Iterator[Word]:
    """Two questions per word, not one per letter: the first and the last say where it stands."""
    first, last = raw.FS_RECTF(), raw.FS_RECTF()
    handle, box = characters.raw, raw.FPDFText_GetLooseCharBox
    for match in _WORD.finditer(text):
        if box(handle, match.start(), first) and box(handle, match.end() - 1, last):
            bottom, top = min(first.bottom, last.bottom), max(first.top, last.top)
            yield Word(match[0], first.left, bottom, last.right, top)


def lines_of_words(words: Sequence[Word]) -> list[Line]:
    """The lines of a page or a part of it, from top to bottom."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda one: -one.middle):
        anchor = rows[-1][0] if rows else None
        if anchor is not None and abs(anchor.middle - word.middle) < _SAME_LINE * max(
            anchor.height, word.height, 1
        ):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [Line(_pieces(row)) for row in rows]


def _pieces(row: list[Word]) -> list[list[Word]]:
    row.sort(key=lambda one: one.left)
    pieces = [[row[0]]]
    for before, word in pairwise(row):
        if word.left - before.right > _GAP * max(before.height, word.height):
            pieces.append([word])
        else:
            pieces[-1].append(word)
    return pieces

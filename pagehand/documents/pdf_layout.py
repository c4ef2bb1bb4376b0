"""The words of a PDF page with their positions, and the lines they form."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, cast

import pypdfium2  # pyright: ignore[reportMissingTypeStubs] - see above
import pypdfium2.raw  # pyright: ignore[reportMissingTypeStubs] - as above

_WORD: Final = re.compile(r"[^\s\x00]+")
_GAP: Final = 0.8
"""A wider space between two words, in heights of the letters, separates columns."""
_SAME_LINE: Final = 0.5
_FIRST_SURROGATE, _LAST_SURROGATE, _LAST_CODE_POINT = 0xD800, 0xDFFF, 0x10FFFF
pdfium: Final = cast("Any", pypdfium2)
"""Documents and pages."""
raw: Final = cast("Any", pypdfium2.raw)
"""The C functions."""


@dataclass(slots=True)
class Word:
    """A word and its bounding box; y grows upwards."""

    text: str
    left: float
    bottom: float
    right: float
    top: float

    @property
    def middle(self) -> float:
        """The vertical middle."""
        return (self.bottom + self.top) / 2

    @property
    def height(self) -> float:
        """The height of the letters."""
        return self.top - self.bottom


@dataclass(slots=True)
class Line:
    """Words side by side, in pieces separated by wide gaps."""

    pieces: list[list[Word]]

    @property
    def texts(self) -> list[str]:
        """The texts of the pieces."""
        return [" ".join(word.text for word in piece) for piece in self.pieces]

    @property
    def top(self) -> float:
        """The top of its highest word."""
        return max(word.top for piece in self.pieces for word in piece)

    @property
    def bottom(self) -> float:
        """The bottom of its lowest word."""
        return min(word.bottom for piece in self.pieces for word in piece)


def read_words(characters: Any) -> tuple[str, list[Word]]:
    """The page's text in the order of the file, and its words with their boxes."""
    count = characters.count_chars()
    text: str = characters.get_text_range() if count else ""
    aligned = text
    if len(text) != count:  # the library omits or adds characters
        aligned = "".join(_character(raw.FPDFText_GetUnicode(characters, at)) for at in range(count))
    return text.replace("\r\n", "\n").replace("\x00", ""), list(_boxes(characters, aligned))


def _character(code: int) -> str:
    """The character of a code; surrogates are replaced, so that positions stay aligned."""
    return chr(code) if code < _FIRST_SURROGATE or _LAST_SURROGATE < code <= _LAST_CODE_POINT else "\ufffd"


def _boxes(characters: Any, text: str) -> Iterator[Word]:
    """Words with boxes: from their first and last characters, because asking for each is slow."""
    first, last = raw.FS_RECTF(), raw.FS_RECTF()
    handle, box = characters.raw, raw.FPDFText_GetLooseCharBox
    for match in _WORD.finditer(text):
        if box(handle, match.start(), first) and box(handle, match.end() - 1, last):
            bottom, top = min(first.bottom, last.bottom), max(first.top, last.top)
            yield Word(match[0], first.left, bottom, last.right, top)


def lines_of_words(words: Sequence[Word]) -> list[Line]:
    """The lines that words form, from top to bottom."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: -word.middle):
        anchor = rows[-1][0] if rows else None
        if anchor is not None and abs(anchor.middle - word.middle) < _SAME_LINE * max(
            anchor.height, word.height, 1
        ):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [Line(_pieces(row)) for row in rows]


def _pieces(row: list[Word]) -> list[list[Word]]:
    row.sort(key=lambda word: word.left)
    pieces = [[row[0]]]
    for before, word in pairwise(row):
        if word.left - before.right > _GAP * max(before.height, word.height):
            pieces.append([word])
        else:
            pieces[-1].append(word)
    return pieces

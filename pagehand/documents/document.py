"""The content of a document of any format: pages with text, tables and lines; what all formats check."""

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from pagehand.errors import BlockFailed
from pagehand.records import Json

Row = list[Any]
_PIECE: Final = re.compile(r"(-?\d{1,9})(?:\s*-\s*(-?\d{1,9}))?")


@dataclass(slots=True)
class Table:
    """Rows of cells, and the caption if the document has one."""

    rows: list[Row]
    caption: str = ""


@dataclass(slots=True)
class Page:
    """One page, sheet or message."""

    text: str = ""
    tables: list[Table] = field(default_factory=list[Table])
    lines: list[list[str]] = field(default_factory=list[list[str]])
    """Lines outside tables, split into pieces at wide gaps."""


@dataclass(slots=True)
class Document:
    """The selected pages, and how many the document has in all."""

    pages: list[Page]
    count: int = 1
    title: str = ""
    more: Json = field(default_factory=Json)
    """Values that only this format has, such as attachments."""
    notes: list[str] = field(default_factory=list[str])
    """Notes for the user, such as pages without text."""

    def to_json(self, options: Mapping[str, Any]) -> Json:
        """The document for the service; lines only if the options ask for them."""
        plain = asdict(self)
        if not options.get("lines"):
            for page in plain["pages"]:
                del page["lines"]
        return plain


def split_lines(text: str) -> list[list[str]]:
    """Lines of a text, split into pieces at tabs and runs of spaces."""
    return [
        [piece.strip() for piece in line.replace("\t", "    ").split("   ") if piece.strip()]
        for line in text.splitlines()
        if line.strip()
    ]


def select_pages(pages: Sequence[Page], options: Mapping[str, Any]) -> list[Page]:
    """The pages that the options select."""
    return [pages[at] for at in page_positions(options.get("pages"), len(pages))]


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


_LARGEST_UNPACKED: Final = 300 * 1024 * 1024
_MOST_PARTS: Final = 20_000
_OLD_OR_ENCRYPTED: Final = b"\xd0\xcf\x11\xe0"


def check_package(content: bytes, wanted: str, part: str) -> set[str]:
    """The names of its parts; `BlockFailed` if it is not a `wanted` file with that `part`, or a zip bomb."""
    if content.startswith(_OLD_OR_ENCRYPTED):
        raise BlockFailed(f"It is encrypted, or of an old format; save it as {wanted} without a password.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise BlockFailed(f"It is not a {wanted} file, or it is damaged.") from error
    if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > _LARGEST_UNPACKED:
        raise BlockFailed(
            f"It unpacks to more than {_LARGEST_UNPACKED // 1024 // 1024} MB or {_MOST_PARTS} parts, "
            f"which no honest {wanted} file does."
        )
    names = {part.filename for part in parts}
    if part not in names:
        raise BlockFailed(f"It is not a {wanted} file: it has no `{part}`.")
    return names

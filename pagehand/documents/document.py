"""What a document holds, whatever its format: pages of text, tables and lines."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pagehand.documents.page_ranges import positions
from pagehand.records import Json

Row = list[Any]


@dataclass(slots=True)
class Table:
    """Rows of cells, and what the table is called, as far as the document says."""

    rows: list[Row]
    caption: str = ""


@dataclass(slots=True)
class Page:
    """One page, sheet or message."""

    text: str = ""
    tables: list[Table] = field(default_factory=list[Table])
    lines: list[list[str]] = field(default_factory=list[list[str]])
    """Lines outside tables; several pieces where there are wide gaps between them."""


@dataclass(slots=True)
class Document:
    """The pages that were asked for, and how many there are in all."""

    pages: list[Page]
    count: int = 1
    title: str = ""
    more: Json = field(default_factory=Json)
    """What only this format has, such as attachments."""
    notes: list[str] = field(default_factory=list[str])
    """What a user should know, such as pages that are pictures."""

    def to_json(self, options: Mapping[str, Any]) -> Json:
        """For the service; lines only where somebody wants to find values in them."""
        plain = asdict(self)
        if not options.get("lines"):
            for page in plain["pages"]:
                del page["lines"]
        return plain


def lines_of(text: str) -> list[list[str]]:
    """Lines of a text without positions; tabs and runs of spaces are gaps."""
    return [
        [piece.strip() for piece in line.replace("\t", "    ").split("   ") if piece.strip()]
        for line in text.splitlines()
        if line.strip()
    ]


def chosen(pages: Sequence[Page], options: Mapping[str, Any]) -> list[Page]:
    """Those of the pages that the order asks for."""
    return [pages[at] for at in positions(options.get("pages"), len(pages))]

"""The content of a document of any format: pages with text, tables and lines."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pagehand.documents.page_ranges import page_positions
from pagehand.records import Json

Row = list[Any]


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

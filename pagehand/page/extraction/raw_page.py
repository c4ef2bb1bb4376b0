"""What the reader in the page answers: lines of JSON, decoded here and nowhere else."""

from typing import Any

import orjson
from msgspec import Struct, convert, field

from pagehand.errors import OurFault
from pagehand.page.extraction.snapshot import Cell


class TableLine(Struct):
    """A row of a table; a cell that spans several columns or rows stands in each of them."""

    cells: list[Cell]
    heads: list[bool]
    """Which cells are marked as headers."""
    repeated: list[bool]
    """Which cells stand there only because another one spans their place."""
    whole: bool
    """One cell across all columns: a title, and no data."""
    wide: bool
    foot: bool


class ReadTable(Struct, kw_only=True):
    """A table, or boxes laid out like one."""

    caption: str
    header: list[str] | None
    rows: list[TableLine]
    around: bool = False
    """True in navigation and the like."""
    marks: list[list[str]] = []
    """For each column the names that the markup gives to its cells."""
    bold: bool = False
    """True when the first row looks like a header without being marked as one."""


class ReadPair(Struct):
    """A label and what it names."""

    label: str
    group: str
    cells: list[Cell]


class ReadPart(Struct, kw_only=True):
    """A piece of text, a picture or a field, with the names that the markup gives it."""

    cell: Cell
    marks: list[str]
    tags: list[str]
    acts: bool = False
    grouped: bool = False
    around: bool = False


class ReadItem(Struct):
    """One of several siblings that look alike; parts and pairs by their numbers."""

    cell: Cell
    parts: list[int]
    pairs: list[int]


class ReadGroup(Struct, kw_only=True, rename="camel"):
    """Siblings that look alike."""

    caption: str
    mark: str
    is_list: bool
    around: bool
    items: list[ReadItem]
    label: str = ""
    is_marked: bool = True
    inside: list[int] = []
    """The groups around it."""


class ReadPage(Struct, kw_only=True):
    """All of one page."""

    url: str
    title: str
    headings: list[str]
    metas: list[tuple[str, str]]
    linked: list[Any]
    """JSON-LD: whatever the site put there."""
    items: list[Any]
    """Microdata and RDFa, in the shape of JSON-LD."""
    tables: list[ReadTable] = field(default_factory=list[ReadTable])
    groups: list[ReadGroup] = field(default_factory=list[ReadGroup])
    pairs: list[ReadPair] = field(default_factory=list[ReadPair])
    parts: list[ReadPart] = field(default_factory=list[ReadPart])


def read_answer(answer: str) -> ReadPage:
    """The first line has all but long lists; each other line has the next items of one of them."""
    # line by line, because a page can be large and nothing else runs while one piece of JSON is decoded
    first, *others = answer.split("\n")
    page = convert(orjson.loads(first), ReadPage)
    for line in others:
        path, items = orjson.loads(line)
        match path:
            case ["pairs"]:
                page.pairs += convert(items, list[ReadPair])
            case ["parts"]:
                page.parts += convert(items, list[ReadPart])
            case ["tables", int(at), "rows"]:
                page.tables[at].rows += convert(items, list[TableLine])
            case ["groups", int(at), "items"]:
                page.groups[at].items += convert(items, list[ReadItem])
            case _:
                raise OurFault(f"The page's reader answered with a list `{path}` that nobody reads.")
    return page

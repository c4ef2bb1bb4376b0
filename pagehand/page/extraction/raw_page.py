"""The answer of the script in the page: lines of JSON, decoded here and nowhere else."""

from typing import Any

import orjson
from msgspec import Struct, convert, field

from pagehand.errors import OurFault
from pagehand.page.extraction.snapshot import Cell


class RawRow(Struct, rename="camel"):
    """A row of a table; a cell that spans several columns or rows is in each of them."""

    cells: list[Cell]
    header_cells: list[bool] = []
    """Which cells are marked as headers; the script in the page leaves out what no cell is."""
    spanned_cells: list[bool] = []
    """Which cells only repeat one that spans their place."""
    is_title: bool = False
    """One cell across all columns, which holds no data."""
    has_wide_cell: bool = False
    is_footer: bool = False

    def __post_init__(self) -> None:
        """Say of every cell that it is not what none of them is."""
        self.header_cells = self.header_cells or [False] * len(self.cells)
        self.spanned_cells = self.spanned_cells or [False] * len(self.cells)


class RawTable(Struct, kw_only=True, rename="camel"):
    """A table, or boxes laid out like one."""

    caption: str
    header: list[str] | None
    rows: list[RawRow]
    is_navigation: bool = False
    markup_names: list[list[str]] = []
    """For each column the names that the markup gives to its cells."""
    alternates: bool = False
    """True when labels and values take turns in each row."""
    has_bold_header: bool = False
    """True when the header is in bold without being marked as one."""


class RawPair(Struct):
    """A label and its values."""

    label: str
    group: str
    cells: list[Cell]


class RawPart(Struct, kw_only=True, rename="camel"):
    """A piece of text, a picture or a field, with the names that the markup gives it."""

    cell: Cell
    markup_names: list[str]
    tag_names: list[str]
    is_action: bool = False
    is_grouped: bool = False
    is_in_table: bool = False
    is_navigation: bool = False


class RawItem(Struct):
    """One of several similar siblings; parts and pairs by their numbers."""

    cell: Cell
    parts: list[int]
    pairs: list[int]
    near: list[int] = []
    """Texts beside one another, by their numbers."""
    first: int = -1
    """The part that is its first text."""


class RawGroup(Struct, kw_only=True, rename="camel"):
    """Similar siblings."""

    caption: str
    markup_name: str
    is_list: bool
    is_navigation: bool
    items: list[RawItem]
    label: str = ""
    is_list_element: bool = True
    is_container: bool = False
    """True when each of them holds several records, as the columns of a board do."""
    outer_groups: list[int] = []
    """The groups that contain it."""


class RawPage(Struct, kw_only=True):
    """All of one page."""

    url: str
    title: str
    headings: list[str]
    metas: list[tuple[str, str]]
    linked: list[Any]
    """JSON-LD: free-form."""
    items: list[Any]
    """Microdata and RDFa, in the shape of JSON-LD."""
    tables: list[RawTable] = field(default_factory=list[RawTable])
    groups: list[RawGroup] = field(default_factory=list[RawGroup])
    pairs: list[RawPair] = field(default_factory=list[RawPair])
    near: list[RawPair] = field(default_factory=list[RawPair])
    """Texts beside one another, of which the first may be the label of the other."""
    parts: list[RawPart] = field(default_factory=list[RawPart])


def decode_answer(answer: str) -> RawPage:
    """The first line has all but long lists; each other line has the next items of one of them."""
    # line by line: a page can be large, and nothing else runs while one text is decoded
    first, *others = answer.split("\n")
    page = convert(orjson.loads(first), RawPage)
    for line in others:
        path, items = orjson.loads(line)
        match path:
            case ["pairs"]:
                page.pairs += convert(items, list[RawPair])
            case ["near"]:
                page.near += convert(items, list[RawPair])
            case ["parts"]:
                page.parts += convert(items, list[RawPart])
            case ["tables", int(at), "rows"]:
                page.tables[at].rows += convert(items, list[RawRow])
            case ["groups", int(at), "items"]:
                page.groups[at].items += convert(items, list[RawItem])
            case _:
                raise OurFault(f"The script in the page answered with an unknown list `{path}`.")
    return page

"""The content of a page as tables of named columns, whatever the markup was."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from msgspec import Struct

from pagehand.javascript import join_scripts
from pagehand.page.dom import on_dom

SCRIPT = on_dom(join_scripts(__file__, "reader", "dom, scope", "text parts pairs tables groups embedded"))
"""JavaScript function of an element, or null for the whole page; `read_snapshot` reads its answer."""

_T = TypeVar("_T")
_MAX_COLUMNS = 200
ColumnKind = Literal["label", "near", "mark", "tag", "guess", "fact"]
"""Where a name comes from: a label, the text before, markup, the tag, the look, the page as a whole."""
_Key = tuple[str, str, ColumnKind]
SourceKind = Literal["table", "cards", "list", "pairs", "linkedData", "parts", "page"]


# compared by identity: two columns that show the same element share the cell, equal texts do not
class Cell(Struct, frozen=True, eq=False):
    """One value as the page shows it; the script answers with these fields."""

    text: str
    links: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    value: str | None = None
    """The machine-readable value in the markup, such as a `datetime`."""
    items: tuple[str, ...] = ()
    """The texts of its elements, where it holds nothing but several elements."""
    lines: tuple[str, ...] = ()
    """Its lines, where the markup breaks the text."""
    main: str = ""
    """The text without `below` or `next`."""
    below: str = ""
    """What a line below says of it that looks otherwise, as the address below a name."""
    next: str = ""
    """A second line that looks like the first: a part of the value, or something else."""
    is_action: bool = False
    """True for a link or a picture: its text may name what it does instead of being a value."""


@dataclass(frozen=True, slots=True)
class Column:
    """A name for values of a source."""

    label: str
    weight: float = 1.0
    """1 for a visible label, less for a class name, least for a tag."""
    group: str = ""
    """The heading above it, where the columns of a source have several."""
    kind: ColumnKind = "label"


Row = tuple[tuple[Cell, ...], ...]
"""For each column its cells: none, one, or several."""


# compared by identity, and caches what is computed: sources can have very many rows
@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A structure on the page with named values: a table, a list, cards, labels with values."""

    kind: SourceKind
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    trust: float = 1.0
    """Weight among sources with the same values: visible ones count more than metadata."""
    is_navigation: bool = False
    group: int | None = None
    """Number of the group of similar siblings that it was made of."""
    is_container: bool = False
    """True when its rows hold records of their own, which are meant rather than the rows."""
    outer_groups: frozenset[int] = frozenset()
    """Numbers of the groups that contain it."""
    row_of: str = ""
    """The text that says which row of `within` is the only one here."""
    within: "Source | None" = None
    is_detail: bool = False
    """True for the lines of one value, which describe only whom its label names."""
    _cache: dict[Hashable, Any] = field(default_factory=dict[Hashable, Any], init=False, repr=False)

    def cells(self, column: int) -> list[tuple[Cell, ...]]:
        """One column, from top to bottom."""
        return self.cached(("cells", column), lambda: [row[column] for row in self.rows])

    def row_with(self, text: str) -> "Source | None":
        """The only row that has a cell with exactly this text, as a source of its own."""
        folded = text.casefold()
        found = [
            row for row in self.rows if any(cell.text.casefold() == folded for some in row for cell in some)
        ]
        # a part of the page that has many values is no record
        is_record = len(found) == 1 and all(len({cell.text for cell in some}) <= 1 for some in found[0])
        if not is_record or len(self.rows) == 1 or self.is_container or self.is_navigation:
            return None
        return Source(
            self.kind, self.caption, self.columns, (found[0],), self.trust, row_of=text, within=self
        )

    def cached(self, key: Hashable, compute: Callable[[], _T]) -> _T:
        """The result of `compute`, which is called only the first time."""
        if key not in self._cache:
            self._cache[key] = compute()
        return self._cache[key]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All sources of a page, and what the page is about."""

    title: str = ""
    headings: tuple[str, ...] = ()
    sources: tuple[Source, ...] = field(default=())


def source_of_parts(
    kind: SourceKind,
    caption: str,
    items: Sequence[Sequence[tuple[Column, Cell]]],
    *,
    trust: float = 1.0,
    is_navigation: bool = False,
) -> Source:
    """A source whose rows name their own values; the same name from the same kind of sign is a column."""
    columns: dict[_Key, Column] = {}
    lines: list[dict[_Key, dict[Cell, None]]] = []
    for item in items:
        line: dict[_Key, dict[Cell, None]] = {}
        for column, entry in item:
            # several headings in one box contradict the first of them, which would be its name
            sign = "guess" if column.kind == "tag" else column.kind
            key = (column.label.casefold(), column.group, sign)
            line.setdefault(key, {})[entry] = None
            if key not in columns or columns[key].weight < column.weight:
                columns[key] = column
        lines.append(line)
    kept = _most_common(columns, lines)
    rows = tuple(tuple(tuple(line.get(key, ())) for key in kept) for line in lines)
    return Source(kind, caption, tuple(columns[key] for key in kept), rows, trust, is_navigation)


def _most_common(columns: Iterable[_Key], lines: Sequence[Iterable[_Key]]) -> list[_Key]:
    """The names to keep: if each row has different names, all of them in all rows would fill the memory."""
    known = list(columns)
    if len(known) <= _MAX_COLUMNS or len(lines) == 1:
        return known
    counts = Counter(key for line in lines for key in line)
    common = {key for key, _ in counts.most_common(_MAX_COLUMNS)}
    return [key for key in known if key in common]

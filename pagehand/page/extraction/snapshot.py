"""What a page showed at one moment, as tables of named columns, whatever the markup was."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from msgspec import Struct

from pagehand.page.dom import on_dom

_READER = Path(__file__).with_name("reader")
_STEPS = ("text", "parts", "pairs", "tables", "groups", "embedded")
_BODY = "\n".join((_READER / f"{step}.js").read_text(encoding="utf-8") for step in _STEPS)
SCRIPT = on_dom(f"(dom, scope) => {{\n{_BODY}\n}}")
"""JavaScript function of an element, or null for the whole page, that gives a raw snapshot."""

_T = TypeVar("_T")
_Key = tuple[str, str]
_MOST_COLUMNS = 200
ColumnKind = Literal["label", "mark", "tag", "guess", "fact"]
"""Where a name comes from: what people see, markup, the kind of element, its looks, the page as a whole."""
SourceKind = Literal["table", "cards", "list", "pairs", "linkedData", "parts", "page"]


# compared by identity: two columns that show the same element share the cell, equal texts do not
class Cell(Struct, frozen=True, eq=False):
    """One value as the page shows it; the reader in the page answers with these fields."""

    text: str
    links: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    value: str | None = None
    """What the markup says for machines, such as a `datetime`."""
    items: tuple[str, ...] = ()
    """The texts of its elements, where it holds nothing but several elements."""
    acts: bool = False
    """True for a link or a picture: its text may name what it does instead of being a value."""


@dataclass(frozen=True, slots=True)
class Column:
    """A name that a source gives to its values."""

    label: str
    weight: float = 1.0
    """How much such a name is worth: a visible label 1, the class of an element less, a tag least."""
    group: str = ""
    """The heading it stands under, where the columns of a source have several."""
    kind: ColumnKind = "label"


Row = tuple[tuple[Cell, ...], ...]
"""For each column the cells of it: none, one, or several."""


# compared by identity, and remembers what was worked out: sources can have very many rows
@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Something on the page that holds values under names."""

    kind: SourceKind
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    trust: float = 1.0
    """How much it is worth beside others that say the same: what people see comes before metadata."""
    around: bool = False
    """True for navigation and the like."""
    number: int | None = None
    """Tells groups of look-alike siblings apart."""
    inside: frozenset[int] = frozenset()
    """The groups in whose items it stands."""
    _known: dict[Hashable, Any] = field(default_factory=dict[Hashable, Any], init=False, repr=False)

    def cells(self, column: int) -> list[tuple[Cell, ...]]:
        """One column, from top to bottom."""
        return self.once(("cells", column), lambda: [row[column] for row in self.rows])

    def once(self, key: Hashable, work_out: Callable[[], _T]) -> _T:
        """What `work_out` gives; it is asked only the first time."""
        if key not in self._known:
            self._known[key] = work_out()
        return self._known[key]


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
    around: bool = False,
) -> Source:
    """A source whose rows each name their own values; what is called alike becomes one column."""
    columns: dict[_Key, Column] = {}
    lines: list[dict[_Key, dict[Cell, None]]] = []
    for item in items:
        line: dict[_Key, dict[Cell, None]] = {}
        for column, entry in item:
            key = (column.label.casefold(), column.group)
            line.setdefault(key, {})[entry] = None
            if key not in columns or columns[key].weight < column.weight:
                columns[key] = column
        lines.append(line)
    kept = _commonest(columns, lines)
    rows = tuple(tuple(tuple(line.get(key, ())) for key in kept) for line in lines)
    return Source(kind, caption, tuple(columns[key] for key in kept), rows, trust, around)


def _commonest(columns: Iterable[_Key], lines: Sequence[Iterable[_Key]]) -> list[_Key]:
    """The names to keep: if each row has names of its own, all of them in all rows would fill the memory."""
    known = list(columns)
    if len(known) <= _MOST_COLUMNS or len(lines) == 1:
        return known
    counts = Counter(key for line in lines for key in line)
    often = {key for key, _ in counts.most_common(_MOST_COLUMNS)}
    return [key for key in known if key in often]

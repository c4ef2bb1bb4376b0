"""Which column of a source holds a wanted value, and how convincing that is."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from pagehand.page.extraction.cells import is_blank, read_many, read_one, texts
from pagehand.page.extraction.snapshot import Cell, Column, Source
from pagehand.page.extraction.values import Style, style_of, to_date, to_number
from pagehand.page.extraction.wanted import ValueKind, Wanted
from pagehand.page.extraction.words import MARKUP, NO_LIKENESS, Likeness, Words, likeness, meanings, words_of

CONVINCING = 0.5
TIE = 0.04
GUESSED, PARTIAL, EXACT = 0, 1, 2
PARTIAL_TIE = 0.14
"""Labels that each say more than is asked for: none of them is clearly better than another."""
_READABLE = 0.6
_EMPTY_COLUMN, _ONLY_ADDRESS = 0.15, 0.6
_PAGE_WORDS = frozenset(("page", "site", "document", "meta"))
_NUMERIC: tuple[ValueKind, ...] = ("number", "integer")
_TEXTUAL: tuple[ValueKind, ...] = ("text", "integer")
_KINDS_OF_TYPE: dict[str, tuple[ValueKind, ...]] = {
    "id": _TEXTUAL,
    "name": ("text",),
    "date": ("date", "date-time"),
    "price": _NUMERIC,
    "amount": _NUMERIC,
    "quantity": _NUMERIC,
}
"""For which kinds of value a label may say more: "LOT #" for a text `lot`, "Tax amount" for a number."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A column that may hold a wanted value."""

    source: Source
    column: int
    score: float
    tier: int = GUESSED
    """EXACT when the page calls it what the property is called, PARTIAL when it calls it that and more."""

    @property
    def rank(self) -> tuple[int, float]:
        """For sorting: an exact name comes before a partial one, and any name before none."""
        return self.tier, self.score

    @property
    def label(self) -> str:
        """What the page calls it."""
        return self.source.columns[self.column].label

    @property
    def cells(self) -> list[tuple[Cell, ...]]:
        """Its cells, row by row."""
        return self.source.cells(self.column)

    def rivals(self, other: "Candidate", wanted: Wanted, tie: float) -> bool:
        """True when nothing says which of the two is meant, and it makes a difference."""
        if other.tier != self.tier:
            return False
        margin = max(tie, PARTIAL_TIE) if self.tier == PARTIAL else tie
        return self.score - other.score <= margin and not self.reads_the_same_as(other, wanted)

    def reads_the_same_as(self, other: "Candidate", wanted: Wanted) -> bool:
        """True when it makes no difference which of the two is read."""
        return self.values(wanted) == other.values(wanted)

    def values(self, wanted: Wanted) -> list[object]:
        """What is wanted, row by row."""
        return column_values(
            self.source, self.column, wanted.kind, wanted.choices, is_many=wanted.shape == "values"
        )


def column_style(source: Source, column: int) -> Style:
    """How a column writes its values; what it leaves open, the whole source may tell."""
    own = source.once(("style", column), lambda: style_of(texts(source.cells(column))))
    if own.decimal is not None and own.day_first is not None:
        return own
    whole = source.once("style", lambda: style_of(text for row in source.rows for text in texts(row)))
    return Style(own.decimal or whole.decimal, whole.day_first if own.day_first is None else own.day_first)


def column_values(
    source: Source, column: int, kind: ValueKind, choices: tuple[str, ...], *, is_many: bool
) -> list[object]:
    """The values of a column, row by row; None where a row has none of that kind."""
    read = read_many if is_many else read_one

    def work_out() -> list[object]:
        style = column_style(source, column)
        return [read(row, kind, style, choices) for row in source.cells(column)]

    return source.once(("values", column, kind, choices, is_many), work_out)


def candidates(source: Source, wanted: Wanted, around: Collection[str]) -> list[Candidate]:
    """Columns that convince, best first."""
    found = list(_labelled(source, wanted, around))
    if not found and wanted.kind in ("link", "image"):
        found = list(_only_addresses(source, wanted, around))
    return sorted(found, key=lambda one: one.rank, reverse=True)


def name_likeness(wanted: Wanted, column: Column, around: Collection[str]) -> Likeness:
    """How well a column's name is that of what is wanted."""
    names = [*wanted.names, *(wanted.address_names if wanted.kind in ("link", "image") else [])]
    words = words_of(column.label)
    found = [(_likeness(name, words, column, around), worth) for name, worth in names]
    scored = [replace(like, score=like.score * worth) for like, worth in found]
    return max(scored, key=lambda one: (one.is_exact, one.score), default=NO_LIKENESS)


def _likeness(name: Words, label: Words, column: Column, around: Collection[str]) -> Likeness:
    """Depends on where the column's name comes from: the less people see of it, the closer it must be."""
    if column.kind == "label":
        return likeness(name, label, around)
    like = likeness(name, label, around, MARKUP)
    # names of classes are written for programs: anything but the same word is chance
    if column.kind == "mark":
        return like if like.is_exact or like.is_literal else NO_LIKENESS
    if column.kind == "fact" and not _PAGE_WORDS & set(name.meaning):
        return NO_LIKENESS
    return like if like.is_exact else NO_LIKENESS


def tier_of(column: Column, like: Likeness) -> int:
    """A heading, a link or the only date is called that by nobody: it gives way to whatever has a name."""
    if column.kind not in ("label", "mark"):
        return GUESSED
    return EXACT if like.is_exact else PARTIAL


def _labelled(source: Source, wanted: Wanted, around: Collection[str]) -> Iterator[Candidate]:
    for place, column in enumerate(source.columns):
        known = {*around, *meanings(source.caption, column.group)}
        like = name_likeness(wanted, column, known)
        score = like.score * column.weight
        # a label with a type word of its own, such as `Tax amount`, needs values of that type
        if score < CONVINCING or any(wanted.kind not in _KINDS_OF_TYPE[item] for item in like.added):
            continue
        filled = _filled(source, place, wanted.kind)
        if not filled and wanted.kind not in ("link", "image"):
            yield Candidate(source, place, score - _EMPTY_COLUMN, tier_of(column, like))
        elif filled and _is_readable(source, place, filled, wanted) and _make_up(source, place, like, filled):
            yield Candidate(source, place, score, tier_of(column, like))


def _filled(source: Source, place: int, kind: ValueKind) -> list[int]:
    """The rows that have something in a column."""
    cells = source.cells(place)
    return source.once(
        ("filled", place, kind),
        lambda: [at for at, row in enumerate(cells) if any(not is_blank(item, kind) for item in row)],
    )


def _is_readable(source: Source, place: int, filled: Sequence[int], wanted: Wanted) -> bool:
    """True when most of what stands there is of the wanted kind."""
    values = column_values(source, place, wanted.kind, wanted.choices, is_many=wanted.shape == "values")
    # a few `n/a` and footnotes do not make a column unreadable
    return sum(values[at] is not None for at in filled) >= _READABLE * len(filled)


def _make_up(source: Source, place: int, like: Likeness, filled: Sequence[int]) -> bool:
    """True when the values are what label or property leaves unsaid: numbers, dates, names."""
    cells = source.cells(place)
    shown = [cell.text for at in filled for cell in cells[at] if cell.text]
    return all(_is_of_type(text, word) for word in like.dropped | like.added for text in shown)


def _is_of_type(text: str, word: str) -> bool:
    if word == "date":
        return to_date(text) is not None or style_of([text]).day_first is not None
    if word == "id":
        return any(letter.isdigit() for letter in text)
    is_number = to_number(text) is not None
    return not is_number if word == "name" else is_number


def _only_addresses(source: Source, wanted: Wanted, around: Collection[str]) -> Iterator[Candidate]:
    """Links or pictures of which each row has but one, or those of what the row is called."""
    known = {*around, *meanings(source.caption)}
    if source.kind == "page" or any(set(words.meaning) - known for words, _ in wanted.bare_names[:1]):
        return
    holding = [place for place in range(len(source.columns)) if _filled(source, place, wanted.kind)]
    named = [place for place in holding if words_of(source.columns[place].label).head in ("name", "title")]
    for place in holding if _is_one_per_row(source, holding, wanted) else named:
        filled = [at for at, row in enumerate(source.cells(place)) if row]
        if _is_readable(source, place, filled, wanted):
            yield Candidate(source, place, _ONLY_ADDRESS + 0.01 * len(filled) / max(len(source.rows), 1))


def _is_one_per_row(source: Source, holding: Sequence[int], wanted: Wanted) -> bool:
    style = Style()
    for row in source.rows:
        cells = [item for place in holding for item in row[place] if not is_blank(item, wanted.kind)]
        if cells and read_one(cells, wanted.kind, style) is None:
            return False
    return bool(holding)

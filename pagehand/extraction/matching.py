"""Which column of a source holds a wanted value, and how convincing that is."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pagehand.extraction.cells import is_blank, read_many, read_one, texts
from pagehand.extraction.snapshot import Cell, Source
from pagehand.extraction.values import Style, style_of, to_date, to_number
from pagehand.extraction.wanted import Wanted
from pagehand.extraction.words import NO_LIKENESS, Likeness, likeness, meanings, words_of

CONVINCING = 0.5
TIE = 0.04
_READABLE = 0.6
_EMPTY_COLUMN, _ONLY_ADDRESS = 0.15, 0.6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A column that may hold a wanted value."""

    source: Source
    column: int
    score: float

    @property
    def label(self) -> str:
        """What the page calls it."""
        return self.source.columns[self.column].label

    @property
    def cells(self) -> list[tuple[Cell, ...]]:
        """Its cells, row by row."""
        return self.source.cells(self.column)

    def reads_the_same_as(self, other: "Candidate", wanted: Wanted) -> bool:
        """True when it makes no difference which of the two is read."""
        return self.values(wanted) == other.values(wanted)

    def values(self, wanted: Wanted) -> list[object]:
        """What is wanted, row by row."""
        style = column_style(self.source, self.column)
        read = read_many if wanted.shape == "values" else read_one
        return [read(row, wanted.kind, style, wanted.choices) for row in self.cells]


def column_style(source: Source, column: int) -> Style:
    """How a column writes its values; what it leaves open, the whole source may tell."""
    own = style_of(texts(source.cells(column)))
    if own.decimal is not None and own.day_first is not None:
        return own
    whole = style_of(text for row in source.rows for text in texts(row))
    return Style(own.decimal or whole.decimal, whole.day_first if own.day_first is None else own.day_first)


def candidates(source: Source, wanted: Wanted, around: Collection[str]) -> list[Candidate]:
    """Columns that convince, best first."""
    found = list(_labelled(source, wanted, around))
    if not found and wanted.kind in ("link", "image"):
        found = list(_only_addresses(source, wanted, around))
    return sorted(found, key=lambda one: -one.score)


def _labelled(source: Source, wanted: Wanted, around: Collection[str]) -> Iterator[Candidate]:
    for place, column in enumerate(source.columns):
        known = {*around, *meanings(source.caption, column.group)}
        like = _best_likeness(wanted, column.label, known)
        score = like.score * column.weight
        if score < CONVINCING:
            continue
        cells = source.cells(place)
        filled = [row for row in cells if any(not is_blank(one, wanted.kind) for one in row)]
        if not filled and wanted.kind not in ("link", "image"):
            yield Candidate(source, place, score - _EMPTY_COLUMN)
        elif filled and _is_readable(source, place, filled, wanted) and _make_up(like, filled):
            yield Candidate(source, place, score)


def _best_likeness(wanted: Wanted, label: str, around: Collection[str]) -> Likeness:
    names = [*wanted.names, *(wanted.address_names if wanted.kind in ("link", "image") else [])]
    words = words_of(label)
    found = [(likeness(name, words, around), worth) for name, worth in names]
    scored = [Likeness(like.score * worth, like.dropped) for like, worth in found]
    return max(scored, key=lambda one: one.score, default=NO_LIKENESS)


def _is_readable(source: Source, place: int, filled: Sequence[tuple[Cell, ...]], wanted: Wanted) -> bool:
    """True when most of what stands there is of the wanted kind."""
    style = column_style(source, place)
    read = read_many if wanted.shape == "values" else read_one
    readable = sum(read(row, wanted.kind, style, wanted.choices) is not None for row in filled)
    return readable >= _READABLE * len(filled)


def _make_up(like: Likeness, filled: Sequence[tuple[Cell, ...]]) -> bool:
    """True when the values are what the label leaves unsaid: numbers, dates, names."""
    shown = [one.text for row in filled for one in row]
    return all(
        {
            "date": to_date(text) is not None or style_of([text]).day_first is not None,
            "price": to_number(text) is not None,
            "id": any(letter.isdigit() for letter in text),
            "name": to_number(text) is None,
        }.get(word, False)
        for word in like.dropped
        for text in shown
        if text
    )


def _only_addresses(source: Source, wanted: Wanted, around: Collection[str]) -> Iterator[Candidate]:
    """Links or pictures of which each row has but one, or those of what the row is called."""
    known = {*around, *meanings(source.caption)}
    if any(set(words.meaning) - known for words, _ in wanted.bare_names[:1]):
        return
    holding = [
        place
        for place in range(len(source.columns))
        if any(not is_blank(one, wanted.kind) for row in source.cells(place) for one in row)
    ]
    named = [place for place in holding if words_of(source.columns[place].label).head == "name"]
    for place in holding if _is_one_per_row(source, holding, wanted) else named:
        filled = [row for row in source.cells(place) if row]
        if _is_readable(source, place, filled, wanted):
            yield Candidate(source, place, _ONLY_ADDRESS + 0.01 * len(filled) / max(len(source.rows), 1))


def _is_one_per_row(source: Source, holding: Sequence[int], wanted: Wanted) -> bool:
    style = Style()
    for row in source.rows:
        cells = [one for place in holding for one in row[place] if not is_blank(one, wanted.kind)]
        if cells and read_one(cells, wanted.kind, style) is None:
            return False
    return bool(holding)

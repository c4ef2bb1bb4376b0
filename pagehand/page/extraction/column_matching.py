"""Which column of a source holds the values of a field, and how convincing that is."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from pagehand.page.extraction.cells import cell_texts, is_blank, read_list, read_single
from pagehand.page.extraction.label_matching import (
    BESIDE_QUANTITY,
    LOOKS_OF_WORDS,
    MARKUP_WORDS,
    NO_MATCH,
    UNITS,
    LabelMatch,
    LabelTokens,
    canonical_words,
    in_full,
    match_label,
    tokenize_label,
)
from pagehand.page.extraction.snapshot import Cell, Column, Source
from pagehand.page.extraction.target_field import TargetField, ValueKind
from pagehand.page.extraction.values import ValueFormat, infer_format, to_date, to_number
from pagehand.page.phrases.plurals import singular

MIN_SCORE = 0.5
TIE = 0.04
PARTIAL_TIE = 0.14
"""For labels with more words than the property: none of them is clearly better than another."""
_MIN_READABLE = 0.6
_LONGEST_ID = 40
_TIME = re.compile(
    r"\b\d{1,2}[:.]\d\d\b|\b\d{1,4}(?:[.,]\d)? ?(?:h|hrs?|hours?|min|mins|minutes?|days?|sec|seconds?)\b",
    re.IGNORECASE,
)
_ABBREVIATED_WEIGHT = 0.8
_EMPTY_COLUMN_COST, _ONLY_ADDRESS_SCORE = 0.15, 0.6
_LAST_SIGN_SCORE = 0.65
_ABBREVIATION_LENGTHS = range(3, 7)
_SHORTEST = {"co": "company", "dt": "date", "amt": "amount"}
_WORD = re.compile(r"\w+")
_LAYOUT_WORDS = frozenset(
    _WORD.findall(
        """title heading header subject name description detail details text label total amount number item
        main top left right head foot position summary issue topic sub con cont inner body"""
    )
)
"""Class names that say where something stands, or anything at all."""
_TITLE_WORDS = frozenset(("name", "title"))
_WORDS_FOR_STATES, _STATE_SCORE = frozenset(("state", "condition", "progress", "stage")), 0.6
_TITLE_SCORE, _FEWEST_CARDS = 0.55, 2
_TITLED_THINGS = frozenset(
    _WORD.findall(
        """hotel event course product movie film book album song recipe article project restaurant museum
        workshop session talk lecture webinar concert exhibition tour podcast episode video campaign survey
        competition dish meal wine medication medicine property apartment flat listing job vacancy service
        headline subject topic"""
    )
)
_SUBJECTS = frozenset(
    _WORD.findall(
        """patient student pupil passenger attendee participant player candidate applicant employee volunteer
        resident donor"""
    )
)
"""Whom a list is of; who else has to do with its entries (teachers, owners) is none of them."""
_THING_NAME = re.compile(r"(?=[^\n]{0,79}[^\W\d_]{3})[^\W_][^:@\n]{1,79}(?<![.!?])")
_PERSON_NAME = re.compile(
    r"(?:(?:Dr|Prof|Mr|Mrs|Ms)\.? )?[^\W\d_a-z][\w.'\u2019-]{0,20}"
    r"(?: (?:de|van|von|der|da|di|la|bin|al)){0,2}(?: [^\W\d_a-z][\w.'\u2019-]{0,20}){1,3}"
)
_PAGE_WORDS = frozenset(("page", "site", "document", "meta"))
_NUMERIC: tuple[ValueKind, ...] = ("number", "integer")
_TEXTUAL: tuple[ValueKind, ...] = ("text", "integer")
_KINDS_OF_TYPE_WORD: dict[str, tuple[ValueKind, ...]] = {
    "id": _TEXTUAL,
    "name": ("text", "party"),
    "title": ("text",),
    "date": ("date", "date-time", "written date"),
    "time": ("text", "date-time"),
    "price": (*_NUMERIC, "written amount"),
    "amount": (*_NUMERIC, "written amount"),
    "quantity": _NUMERIC,
}
"""The kinds of value for which a label may add a type word: "LOT #" for a text, "Tax amount" for a number."""


class MatchTier(IntEnum):
    """How the name of a column relates to that of a property."""

    GUESSED = 0
    PARTIAL = 1
    """The page calls it that and more."""
    EXACT = 2


@dataclass(frozen=True, slots=True)
class ColumnCandidate:
    """A column that may hold the values of a field."""

    source: Source
    column: int
    score: float
    tier: MatchTier = MatchTier.GUESSED
    is_loose: bool = False
    """True when the name may stand for another field as well."""

    @property
    def rank(self) -> tuple[int, float]:
        """For sorting: an exact name comes before a partial one, and any name before none."""
        return self.tier, self.score

    @property
    def label(self) -> str:
        """The column's name on the page."""
        return self.source.columns[self.column].label

    @property
    def cells(self) -> list[tuple[Cell, ...]]:
        """Its cells, row by row."""
        return self.source.cells(self.column)

    def ties_with(self, other: "ColumnCandidate", field: TargetField, tie: float) -> bool:
        """True when nothing says which of the two to read, and it makes a difference."""
        if other.tier != self.tier:
            return False
        margin = max(tie, PARTIAL_TIE) if self.tier == MatchTier.PARTIAL else tie
        return self.score - other.score <= margin and self.values(field) != other.values(field)

    def values(self, field: TargetField) -> list[object]:
        """The values of the field, row by row."""
        return column_values(
            self.source, self.column, field.kind, field.choices, is_many=field.shape == "values"
        )


def column_format(source: Source, column: int) -> ValueFormat:
    """How a column writes its values; what it leaves open, the whole source may show."""
    source = source.within or source
    own = source.cached(("format", column), lambda: infer_format(cell_texts(source.cells(column))))
    if own.decimal is not None and own.day_first is not None:
        return own
    whole = source.cached(
        "format", lambda: infer_format(text for row in source.rows for text in cell_texts(row))
    )
    day_first = whole.day_first if own.day_first is None else own.day_first
    return ValueFormat(own.decimal or whole.decimal, day_first)


def column_values(
    source: Source, column: int, kind: ValueKind, choices: tuple[str, ...], *, is_many: bool
) -> list[object]:
    """The values of a column, row by row; None where a row has none of that kind."""
    read = read_list if is_many else read_single

    def compute() -> list[object]:
        value_format = column_format(source, column)
        return [read(row, kind, value_format, choices) for row in source.cells(column)]

    return source.cached(("values", column, kind, choices, is_many), compute)


def column_candidates(source: Source, field: TargetField, context: Collection[str]) -> list[ColumnCandidate]:
    """The columns that may hold the field, best first."""
    found = list(_by_label(source, field, context))
    if not found and field.kind in ("link", "image"):
        found = list(_only_addresses(source, field, context))
    if not found and source.kind in ("table", "cards", "pairs") and field.kind == "text":
        found = list(_states(source, field, context))
    if not found and source.kind == "cards" and field.kind in ("text", "party"):
        found = list(_titles(source, field))
    return sorted(found, key=lambda candidate: candidate.rank, reverse=True)


def _states(source: Source, field: TargetField, context: Collection[str]) -> Iterator[ColumnCandidate]:
    """The only states of a source, below a word for states or one that the description has: "Expected"."""
    name = set(tokenize_label(field.name).canonical) - set(context)
    if name != {"status"}:
        return
    described = canonical_words(*field.texts[1:]) | _WORDS_FOR_STATES
    found = [
        at
        for at, column in enumerate(source.columns)
        if column.kind == "label" and _are_states([cell.text for row in source.cells(at) for cell in row])
    ]
    if len(found) == 1 and canonical_words(source.columns[found[0]].label) <= described:
        yield ColumnCandidate(source, found[0], _STATE_SCORE)


def _are_states(texts: Sequence[str]) -> bool:
    """True when most of them look like one; others may say more: "Over limit"."""
    shown = [text for text in texts if text]
    states = [text for text in shown if LOOKS_OF_WORDS["status"].fullmatch(text)]
    return len(states) * 2 >= len(shown) > 0 and not any(to_number(text) is not None for text in shown)


def _titles(source: Source, field: TargetField) -> Iterator[ColumnCandidate]:
    """What names each card, where the field is a thing or a person that cards are about: hotels, patients."""
    words = set(tokenize_label(field.name).canonical) - _TITLE_WORDS
    looks = _THING_NAME if words <= _TITLED_THINGS else _PERSON_NAME if words <= _SUBJECTS else None
    if len(words) != 1 or looks is None or len(source.rows) < _FEWEST_CARDS:
        return
    for at, column in enumerate(source.columns):
        if column.label == "title" and column.kind in ("guess", "tag"):
            texts = [cell.text for row in source.cells(at) for cell in row]
            if len(set(texts)) == len(source.rows) and all(looks.fullmatch(text) for text in texts):
                yield ColumnCandidate(source, at, _TITLE_SCORE, is_loose=True)


def match_column(
    field: TargetField, column: Column, context: Collection[str], caption: str = ""
) -> LabelMatch:
    """How well a column's name matches one of the field's names."""
    above = canonical_words(caption, column.group)
    context = {*context, *above}
    names = [*field.names, *(field.address_names if field.kind in ("link", "image") else [])]
    label = tokenize_label(column.label)
    found = [(_match_name(name, label, column, context, above), weight) for name, weight in names]
    scored = [replace(match, score=match.score * weight) for match, weight in found]
    return max(scored, key=lambda match: (match.is_exact, match.score), default=NO_MATCH)


def _match_name(
    name: LabelTokens, label: LabelTokens, column: Column, context: Collection[str], above: Collection[str]
) -> LabelMatch:
    """Depends on where the column's name comes from: the less people see of it, the closer it must be."""
    if column.kind == "label":
        found = match_label(name, label, context)
        if found is not NO_MATCH or (long := in_full(column.label, name)) == column.label:
            return found
        found = match_label(name, tokenize_label(long), context)
        is_same = found.is_explained
        return (
            replace(found, score=found.score * _ABBREVIATED_WEIGHT, is_exact=False, is_loose=True)
            if is_same
            else NO_MATCH
        )
    match = match_label(name, label, context, MARKUP_WORDS)
    # class names are written for programs: anything but the same word is chance
    if column.kind == "mark":
        return match if match.is_exact or match.is_literal else _match_mark(name, label, match)
    # the text before a value names it if it says nothing else
    if column.kind == "near":
        return match if set(label.canonical) <= set(name.canonical) else NO_MATCH
    if column.kind == "fact" and not _PAGE_WORDS & set(name.canonical):
        return NO_MATCH
    # what heads each card below "Clients" is the client's name
    is_title = label.head in _TITLE_WORDS and match_label(name, label, above).is_explained
    return match if match.is_exact or is_title else NO_MATCH


def _match_mark(name: LabelTokens, label: LabelTokens, match: LabelMatch) -> LabelMatch:
    """A class that abbreviates the property (`loc`), or is another name of it (`role`): the last sign."""
    word = label.literal[0]
    # one word for one: `loc` may be any of several locations
    if len(label.literal) != 1 or word in _LAYOUT_WORDS:
        return NO_MATCH
    full = name.literal[0] if len(name.literal) == 1 else ""
    is_short = len(word) in _ABBREVIATION_LENGTHS and full.startswith(word) and len(full) > len(word) + 1
    is_short = is_short or (bool(full) and _SHORTEST.get(word) == full)
    if not (is_short or match.score):
        return NO_MATCH
    return replace(match, score=_LAST_SIGN_SCORE, is_exact=False, is_loose=True)


def tier_of(column: Column, match: LabelMatch) -> MatchTier:
    """A name that only the code gives (to a heading, a link, the only date) is a guess: real names win."""
    if column.kind not in ("label", "mark") or (column.kind == "mark" and match.is_loose):
        return MatchTier.GUESSED
    return MatchTier.EXACT if match.is_exact else MatchTier.PARTIAL


def _by_label(source: Source, field: TargetField, context: Collection[str]) -> Iterator[ColumnCandidate]:
    if len(source.columns) > 1 and any(
        tokenize_label(one.label).head == "quantity" for one in source.columns
    ):
        context = {*context, BESIDE_QUANTITY}
    for at, column in enumerate(source.columns):
        match = match_column(field, column, context, source.caption)
        score = match.score * column.weight
        # a label with an extra type word, such as `Tax amount`, needs values of that type
        is_other_type = any(field.kind not in _KINDS_OF_TYPE_WORD[word] for word in match.extra_type_words)
        if score < MIN_SCORE or is_other_type:
            continue
        filled = _filled_rows(source, at, field.kind)
        if not filled and field.kind not in ("link", "image"):
            yield ColumnCandidate(
                source, at, score - _EMPTY_COLUMN_COST, tier_of(column, match), match.is_loose
            )
        elif filled and _is_readable(source, at, filled, field) and _have_types(source, at, match, filled):
            yield ColumnCandidate(source, at, score, tier_of(column, match), match.is_loose)


def _filled_rows(source: Source, column: int, kind: ValueKind) -> list[int]:
    """The rows that have something in a column."""
    cells = source.cells(column)
    return source.cached(
        ("filled", column, kind),
        lambda: [at for at, row in enumerate(cells) if any(not is_blank(item, kind) for item in row)],
    )


def _is_readable(source: Source, column: int, filled: Sequence[int], field: TargetField) -> bool:
    """True when most cells hold a value of the field's kind."""
    values = column_values(source, column, field.kind, field.choices, is_many=field.shape == "values")
    # a few `n/a` and footnotes do not make a column unreadable
    return sum(values[at] is not None for at in filled) >= _MIN_READABLE * len(filled)


def _have_types(source: Source, column: int, match: LabelMatch, filled: Sequence[int]) -> bool:
    """True when the values have the types that only label or property names: numbers, dates, names."""
    cells = source.cells(column)
    shown = [cell.text for at in filled for cell in cells[at] if cell.text]
    type_words = match.missing_type_words | match.extra_type_words
    # below "Review" a link "Open" is what is done
    if type_words & LOOKS_OF_WORDS.keys() and any(cell.links for at in filled for cell in cells[at]):
        return False
    label, value_format = source.columns[column].label, column_format(source, column)
    return all(_has_type(text, word, label, value_format) for word in type_words for text in shown)


def _has_type(text: str, type_word: str, label: str, value_format: ValueFormat) -> bool:
    if type_word in UNITS:
        return re.search(UNITS[type_word], f"{text} {label}", re.IGNORECASE) is not None
    if type_word in LOOKS_OF_WORDS:
        return LOOKS_OF_WORDS[type_word].fullmatch(text) is not None
    if type_word in ("date", "since"):
        return to_date(text, day_first=value_format.day_first or False) is not None
    if type_word == "time":
        return _TIME.search(text) is not None
    if type_word == "id":
        # "Tickets 17" counts them, and a number stands alone
        is_count = to_number(text) is not None and _is_plural(label)
        return len(text) <= _LONGEST_ID and any(letter.isdigit() for letter in text) and not is_count
    is_number = to_number(text) is not None
    return not is_number if type_word in ("name", "title") else is_number


def _is_plural(label: str) -> bool:
    last = label.casefold().split(" ")[-1]
    return singular(last) != last


def _only_addresses(
    source: Source, field: TargetField, context: Collection[str]
) -> Iterator[ColumnCandidate]:
    """The only links or pictures of each row, or those of the row's name."""
    known = {*context, *canonical_words(source.caption)}
    if source.kind == "page" or any(set(name.canonical) - known for name, _ in field.bare_names[:1]):
        return
    filled = [at for at in range(len(source.columns)) if _filled_rows(source, at, field.kind)]
    names = [at for at in filled if tokenize_label(source.columns[at].label).head in ("name", "title")]
    for column in filled if _is_one_per_row(source, filled, field) else names:
        rows = [at for at, row in enumerate(source.cells(column)) if row]
        if _is_readable(source, column, rows, field):
            score = _ONLY_ADDRESS_SCORE + 0.01 * len(rows) / max(len(source.rows), 1)
            yield ColumnCandidate(source, column, score)


def _is_one_per_row(source: Source, columns: Sequence[int], field: TargetField) -> bool:
    value_format = ValueFormat()
    for row in source.rows:
        cells = [item for at in columns for item in row[at] if not is_blank(item, field.kind)]
        if cells and read_single(cells, field.kind, value_format) is None:
            return False
    return bool(columns)

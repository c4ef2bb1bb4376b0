"""Which words of a phrase name which part of a page: a row, a section, a column, a box."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from pagehand.page.phrases.contexts import CONTAINERS
from pagehand.page.phrases.match import names_heading, row_score
from pagehand.page.phrases.plurals import singular
from pagehand.page.phrases.snapshot import Candidate, Name, Row, Snapshot
from pagehand.page.phrases.tokens import Tokens, contains_tokens, said_words, word_set
from pagehand.workflow.effect_words import WHOLE_NAME_ONLY
from pagehand.workflow.words import position_of

_KINDS: Final = tuple(
    map(
        word_set,
        (
            "file folder document attachment directory",
            "tag chip",
            "question answer",
            "person people user member employee colleague",
            "customer client",
            "supplier vendor",
            "contact",
            "order",
            "invoice bill",
            "booking payment transaction transfer",
            "ticket issue task",
            "mail email message conversation",
            "event meeting appointment",
            "product article",
            "account",
            "claim case",
            "project",
        ),
    )
)
"""What entries of lists are called; those of a line are called so without distinction."""
KIND_NOUNS: Final = frozenset[str]().union(*_KINDS)
_NUMBERED: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")
_SHORT_NUMBER: Final = re.compile(r"[0-9]{1,6}")
_ACTS: Final = word_set("close new more menu next prev search delete edit")
_DAYS: Final = frozenset((str(day),) for day in range(1, 29))
_OUTSIDE_CONTENT: Final = frozenset(("navigation", "menu", "toolbar", "tabs", "header", "footer", "tree"))
_CODE_LETTERS: Final = 4
"""Letters before the number of a code: `INC-5840`."""
UNSAID: Final = ("attribute", "type", "icon", "drawn")
POSITION: Final = "position"
_PAIR: Final = 2
_WHOLE: Final = 2
_PART: Final = 1


class Places:
    """Which words name which part of a page."""

    def __init__(self, page: Snapshot) -> None:
        self.page = page
        self._said_by_columns: dict[tuple[int, int], set[str]] = {}
        self._named: dict[Tokens, tuple[int, set[tuple[int, int]]]] = {}
        self._columns: dict[tuple[int, int], set[str]] | None = None
        self._headed: dict[tuple[Tokens, bool], set[Tokens]] = {}

    @cached_property
    def _rows(self) -> dict[tuple[int, int], Row]:
        return {(one.frame, one.row.id): one.row for one in self.page.candidates if one.row is not None}

    @cached_property
    def _acts(self) -> frozenset[str]:
        controls = (
            one
            for one in self.page.candidates
            if one.is_control and not one.is_field and not one.landmarks & _OUTSIDE_CONTENT
        )
        names = Counter(
            (name.canonical, "button" in (one.role, *one.extra_roles))
            for one in controls
            for name in one.names
            if len(name.canonical) == 1 and name.source not in (*UNSAID, "column")
        )
        # a link of every row is one as well
        return frozenset(words[0] for (words, is_button), count in names.items() if is_button or count > 1)

    @cached_property
    def _headings(self) -> set[Tokens]:
        return {text for candidate in self.page.candidates for text in candidate.sections}

    def score(self, candidate: Candidate, rest: Tokens, tails: tuple[Tokens, ...]) -> int | None:
        """How well all of them name what the candidate is in; None when one of them does not.

        `of the supplier in Bergen`: the row says that it is Bergen, the page that it is a supplier.
        """
        scores = [self._score(candidate, tail) for tail in tails]
        counted = [
            tail for tail in tails if position_of(tail[0]) is not None and not scores[tails.index(tail)]
        ]
        if any(not self._is_counted(candidate, tail, is_placed=any(scores)) for tail in counted):
            return None
        if counted:
            scores = [score or _PART * (tail in counted) for tail, score in zip(tails, scores, strict=True)]
        if rest:
            scores.append(self._score(candidate, rest, is_plain=True))
        kinds = [tail for tail, score in zip(tails, scores, strict=False) if not score]
        if kinds and not (any(scores) and all(self._is_kind(candidate, *kind) for kind in kinds)):
            return None
        if rest and not scores[-1] and not self._is_heading(candidate, rest, is_placed=any(scores)):
            return None
        return sum(scores)

    def _is_heading(self, candidate: Candidate, words: Tokens, *, is_placed: bool) -> bool:
        """`delete the standing order for Acme` below Standing orders; another word says which of them."""
        return is_placed and {*map(singular, words)} <= self._heading(candidate)

    def _is_counted(self, candidate: Candidate, words: Tokens, *, is_placed: bool) -> bool:
        """Whether it is in the row of that number, and the rows are what is counted: `second order`.

        What the heading above does not call so is counted where another word places it, or where the page
        has no other list and no heading for this one.
        """
        row, position, nouns = candidate.row, position_of(words[0]), {*map(singular, words[1:])}
        if row is None or position is None or not nouns or candidate.landmarks & _OUTSIDE_CONTENT:
            return False
        if row.count < _WHOLE or row.index != (position if position >= 0 else row.count + position):
            return False
        heading = self._heading(candidate)
        if nouns <= heading | CONTAINERS or nouns <= self._first_column(candidate):
            return True
        if self._is_other_kind(candidate, nouns):
            return False
        if is_placed or heading:
            return is_placed and nouns <= KIND_NOUNS
        return (
            self._has_one_table and "table" in candidate.landmarks and nouns <= KIND_NOUNS & self._shown_words
        )

    def _around(self, candidate: Candidate) -> list[Tokens]:
        """The headings above its row, without what stands in the row."""
        return [
            text for text in candidate.sections if candidate.row is None or text not in candidate.row.parts
        ]

    def _heading(self, candidate: Candidate) -> set[str]:
        return {word for text in self._around(candidate)[:1] for word in said_words(text)}

    def heading_of_figure(self, candidate: Candidate) -> tuple[Name, ...]:
        """`Fees` for the only figure beside what each row of that list is called."""
        if candidate.role != "cell" or candidate.row is None or not candidate.sections:
            return ()
        cells = self._cells[candidate.frame, candidate.row.id]
        is_only = len(cells) == _PAIR and cells[-1] is candidate and any(map(str.isdigit, candidate.shows))
        words = said_words(candidate.sections[0])[:1]
        return (Name("column", "", words, words, words),) if is_only else ()

    def figures_below(self, word: str) -> list[Candidate]:
        """The only figures of the rows of lists whose heading has this word."""
        return self._figures.get(word, [])

    @cached_property
    def _figures(self) -> dict[str, list[Candidate]]:
        found: dict[str, list[Candidate]] = {}
        for cells in self._cells.values():
            for name in self.heading_of_figure(cells[-1]):
                for word in name.canonical:
                    found.setdefault(word, []).append(cells[-1])
        return found

    @cached_property
    def _cells(self) -> dict[tuple[int, int], list[Candidate]]:
        found: dict[tuple[int, int], list[Candidate]] = {}
        for one in self.page.candidates:
            if one.role == "cell" and one.row is not None:
                found.setdefault((one.frame, one.row.id), []).append(one)
        return found

    def is_of_page(self, candidate: Candidate, tails: tuple[Tokens, ...]) -> bool:
        """`the total of the order`, where the page has one total and speaks of no other kind above it."""
        nouns = {singular(word) for tail in tails for word in tail}
        same = [
            one
            for one in self.page.candidates
            if one.role == "cell"
            and {name.canonical for name in one.names} & {name.canonical for name in candidate.names}
        ]
        is_kind = bool(nouns) and nouns <= KIND_NOUNS & self.page.heading_words
        return same == [candidate] and is_kind and not self._is_other_kind(candidate, nouns)

    def _row_columns(self, candidate: Candidate) -> set[str]:
        """What the columns of its row are called."""
        if candidate.row is None:
            return set()
        key = (candidate.frame, candidate.row.id)
        if key not in self._said_by_columns:
            self._said_by_columns[key] = {
                word for one in self._cells.get(key, ()) for word in said_words(one.column)
            }
        return self._said_by_columns[key]

    def _first_column(self, candidate: Candidate) -> set[str]:
        """What the first column of a table names is what its rows are; what the others name is not."""
        if candidate.row is None:
            return set()
        if self._columns is None:
            self._columns = {}
            for one in self.page.candidates:
                if one.row is not None and one.column:
                    self._columns.setdefault((one.frame, one.row.id), {*said_words(one.column)})
        return self._columns.get((candidate.frame, candidate.row.id), set())

    @cached_property
    def _has_one_table(self) -> bool:
        rows = [
            (one.frame, one.row.count, one.row.ancestors, one.row.index, one.row.id)
            for one in self.page.candidates
            if one.row is not None
            and one.row.count > 1
            and not one.row.ancestors
            and "table" in one.landmarks
        ]
        return len({row[:3] for row in rows}) == 1 and len({row[:4] for row in rows}) == len({*rows})

    @cached_property
    def _shown_words(self) -> frozenset[str]:
        """What the page says beside its links, which speak of other pages."""
        names = (name for one in self.page.candidates if one.role != "link" for name in one.names)
        texts = [text.text for frame in self.page.frames for text in frame.texts]
        return frozenset(
            word for text in (*(name.canonical for name in names), *texts) for word in said_words(text)
        )

    def _is_other_kind(self, candidate: Candidate, nouns: set[str]) -> bool:
        """Whether headings above it speak of things of another kind: `order` is no entry of `Invoices`."""
        above = {word for text in self._around(candidate) for word in said_words(text)}
        return any(above & kind and not nouns & kind for kind in _KINDS)

    def _score(self, candidate: Candidate, words: Tokens, *, is_plain: bool = False) -> int:
        words = self._as_day(words)
        # what a button says is no place: `Send and close` is not Send beside a cross
        if is_plain and ({*words} <= _ACTS or words[0] in self._acts):
            return 0
        if words[0] == POSITION and len(words) == _PAIR and words[1].isdecimal():
            row = candidate.row
            is_there = row is not None and row.parts[:1] == (words[1:],)
            return _WHOLE if row is not None and is_there and self._is_numbered(candidate.frame, row) else 0
        found = (
            (self._named_by(candidate, kept, is_plain=is_plain), least)
            for kept, least in self._without_kinds(candidate, words)
        )
        return next((score for score, least in found if score >= least), 0)

    def _named_by(self, candidate: Candidate, words: Tokens, *, is_plain: bool) -> int:
        # what another part of the page is called does not name this one, although it has the words as well
        if words in self._headings and words not in candidate.sections:
            return 0
        here = (candidate.column, *candidate.sections, *((mark,) for mark in candidate.landmarks))
        # `close the window` is Close in the only dialog that has one
        here += (("window",), ("popup",), ("modal",)) if "dialog" in candidate.landmarks else ()
        if words in here or words in candidate.nearby_texts:
            return _WHOLE
        if score := self._row_score(candidate, words):
            return score
        # `Drafts folder` is Drafts below Folders
        own = {name.canonical for name in candidate.names}
        above = next((text for text in candidate.sections if text not in own), ())
        if is_plain and said_words(above) == (singular(words[0]),) == words:
            return _PART
        key = (words, is_plain)
        if key not in self._headed:
            self._headed[key] = {
                text
                for text in self._headings
                if names_heading(words, text) and _is_within(words, text, is_plain=is_plain)
            }
        return _PART if self._headed[key] and self._headed[key] <= {*candidate.sections} else 0

    def _row_score(self, candidate: Candidate, words: Tokens) -> int:
        """Words that several rows have name none of them: what one lacks must not be taken from the next."""
        if candidate.row is None:
            return 0
        if words not in self._named:
            scores = {
                key: row_score(row, words) or _PART * _has_part(row, words) for key, row in self._rows.items()
            }
            best = max(scores.values())
            named = {key for key, score in scores.items() if score == best}
            outer = {(key[0], ancestor) for key in named for ancestor in self._rows[key].ancestors}
            self._named[words] = best, named - outer
        best, named = self._named[words]
        return best if named == {(candidate.frame, candidate.row.id)} else 0

    def _is_numbered(self, at: int, row: Row) -> bool:
        """Whether the rows of the table begin with numbers that grow: `position 10` is no quantity."""
        peers = [
            (other.index, int(other.parts[0][0]))
            for (frame, _), other in self._rows.items()
            if frame == at and (other.count, other.ancestors) == (row.count, row.ancestors)
            if other.parts and len(other.parts[0]) == 1 and _SHORT_NUMBER.fullmatch(other.parts[0][0])
        ]
        numbers = [number for _, number in sorted(peers)]
        return row.count == len(numbers) > 1 and numbers == sorted({*numbers})

    def _without_kinds(self, candidate: Candidate, words: Tokens) -> Iterator[tuple[Tokens, int]]:
        """The words, and without what only says what they name; each with the score that is enough."""
        yield words, _PART
        if len(words) > 1:
            yield from (
                (kept, _PART)
                for noun, kept in _ends(words)
                if noun in CONTAINERS or self._is_unsaid_kind(candidate, noun)
            )
        # words of the heading above or of a column: `attachment scan.pdf` under Attachments, `unit 2B`
        for said in (
            *({*said_words(section)} for section in candidate.sections),
            self._row_columns(candidate),
        ):
            kept = tuple(word for word in words if singular(word) not in said)
            if kept and kept != words:
                yield kept, _PART
        # `shipment KF-20955` on the page Shipments
        titled = tuple(word for word in words if singular(word) not in self.page.title_words)
        kinds = {singular(word) for word in words} & self.page.title_words
        if titled and titled != words and not self._is_other_kind(candidate, kinds):
            yield titled, _PART
        for at in range(len(words) - 1):
            if _is_code(words[at + 1 :]) and self._is_kind(candidate, words[at]):
                yield (*words[:at], *words[at + 1 :]), _PART
        if len(words) > _WHOLE:
            yield from ((kept, _WHOLE) for noun, kept in _ends(words) if self._is_kind(candidate, noun))

    def _is_unsaid_kind(self, candidate: Candidate, word: str) -> bool:
        one = singular(word)
        is_unsaid = one in KIND_NOUNS and one not in self.page.said_words
        return is_unsaid and not self._is_other_kind(candidate, {one})

    def _as_day(self, words: Tokens) -> Tokens:
        """`the 15th` is the day 15 of a page with a month on it."""
        numbered = _NUMBERED.fullmatch(words[0]) if len(words) == 1 else None
        return (numbered[1],) if numbered is not None and self._has_month else words

    @cached_property
    def _has_month(self) -> bool:
        texts = {text.text[:1] for frame in self.page.frames for text in frame.texts}
        return texts >= _DAYS

    def _is_kind(self, candidate: Candidate, word: str, *more: str) -> bool:
        """Whether the page speaks of such things, and not of them in another part.

        `refund` says what to do, where a button is called so, and not what `1040` is.
        """
        if word in self._acts or word in WHOLE_NAME_ONLY - KIND_NOUNS:
            return False
        one = singular(word)
        is_here = any(one in said_words(section) for section in candidate.sections)
        if not is_here and candidate.row is not None:
            is_here = any(other.row == candidate.row for other in self.page.by_token.get(word, ()))
        return not more and word.isalpha() and (is_here or one not in self.page.heading_words)


def _ends(words: Tokens) -> Iterator[tuple[str, Tokens]]:
    yield words[0], words[1:]
    yield words[-1], words[:-1]


def _is_code(words: Tokens) -> bool:
    """`5840`, or the letters and the number of `INC-5840`."""
    if any(map(str.isdigit, words[0])):
        return True
    return len(words) > 1 and len(words[0]) <= _CODE_LETTERS and words[1].isdecimal()


def _has_part(row: Row, words: Tokens) -> bool:
    return any(_is_within(words, part) for part in row.parts)


def _is_within(words: Tokens, text: Tokens, *, is_plain: bool = True) -> bool:
    """Numbers keep their order; other words may have any, and be in the plural."""
    if not words or any(word.isdecimal() for word in words):
        return len(words) > 1 and contains_tokens(text, words)
    return {*words} <= {*text} or (not is_plain and {*said_words(words)} <= {*said_words(text)})

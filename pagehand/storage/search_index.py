"""The trigram index behind substring search over execution ids, names and params.

Each execution has a text: its id, its name, then every key and every scalar value in its params, case-folded
and joined by a separator. Its trigrams are indexed (SQLite: FTS5; PostgreSQL: an array of hashes). Rows that
the index finds are checked against the text.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any
from zlib import crc32

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    column,
    func,
    literal,
    or_,
    select,
    table,
    text,
    union,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import Integer
from sqlalchemy.util import await_only

from pagehand.records import Execution, is_array, is_object
from pagehand.storage.columns import dump_json
from pagehand.storage.pages import folded
from pagehand.storage.tables import execution_search

INDEXED_LENGTH = 100_000  # of a longer text only the beginning is indexed; every search scans the whole text
_SEPARATOR = "\x1f"
_GRAM = 3
_RAREST = 4  # so many trigrams of a term are looked up
_MOST_COMPARED = 400  # so many trigrams of all terms are compared with a sample
_MOST_BEGINNINGS = 500  # with more trigrams that begin with a short term, all texts are scanned

execution_trigrams = table("execution_trigrams", column("n"), column("trigrams"))
_fts_trigrams = table("execution_trigrams", column("rowid"))
_fts_words = table("execution_trigrams_words", column("term"))


def search_row(execution: Execution) -> dict[str, Any]:
    """The row of `execution_search` for an execution, without its number."""
    pieces = (execution.id, execution.name or "", *_pieces(execution.params))
    joined = _SEPARATOR.join(_fold(piece) for piece in pieces)
    return {
        "organization_id": execution.organization_id,
        "text": joined,
        "is_long": len(joined) > INDEXED_LENGTH,
    }


def trigram_hashes(row: dict[str, Any]) -> list[int]:
    """The hashes of a search row's trigrams and of its organization, for PostgreSQL's index."""
    # a text of megabytes has too many trigrams to index; searches scan it instead
    text: str = row["text"][:INDEXED_LENGTH]
    return [*map(trigram_hash, _grams(text)), trigram_hash(row["organization_id"])]


class SearchTerms:
    """The literal substrings of a search; a text matches if it contains any of them."""

    def __init__(self, organization_id: str, terms: Iterable[str], *, is_sqlite: bool) -> None:
        self._organization_id = organization_id
        self._is_sqlite = is_sqlite
        self.folded = tuple(sorted({_fold(term) for term in terms if term}))
        self._beginnings: dict[str, list[str]] = {}
        self._rarest: dict[str, list[str]] = {}

    def prepare(self, sample: Sequence[str]) -> float:
        """Choose the trigrams to look up, those that are rare in the sample; the share of it that matches."""
        if self._is_sqlite:
            return self._compare(sample)
        # in a thread: comparing many long terms with the sample would block the event loop
        return await_only(asyncio.to_thread(self._compare, sample))

    def _compare(self, sample: Sequence[str]) -> float:
        most = max(_RAREST, _MOST_COMPARED // max(len(self.folded), 1))
        self._rarest = {term: _rarest(term, sample, most) for term in self.folded if len(term) >= _GRAM}
        return sum(self._match(text) for text in sample) / max(len(sample), 1)

    def __bool__(self) -> bool:
        return bool(self.folded)

    def are_indexable(self, connection: Connection) -> bool:
        """Whether the trigram index can find the texts that may contain each term; `prepare` was called.

        Which trigrams begin with a two-letter term only SQLite's index can answer, and not at once.
        """
        for term in self.folded if self._is_sqlite else ():
            if len(term) == _GRAM - 1 and term not in self._beginnings:
                word = _fts_words.c.term
                query = select(word).where(word >= term, word < term + "\U0010ffff").limit(_MOST_BEGINNINGS)
                self._beginnings[term] = list(connection.execute(query).scalars())
        return all(len(term) >= _GRAM or self._is_beginning(term) for term in self.folded)

    def _is_beginning(self, term: str) -> bool:
        return term in self._beginnings and len(self._beginnings[term]) < _MOST_BEGINNINGS

    def _match(self, text: str) -> bool:
        """Whether a case-folded text matches."""
        return any(term in text for term in self.folded)

    def matching(self) -> ColumnElement[bool]:
        """The SQL condition that a text of `execution_search` matches."""
        place = func.instr if self._is_sqlite else func.strpos
        return or_(*(place(execution_search.c.text, term) > 0 for term in self.folded))

    def candidates(self) -> Select[Any]:
        """A query for the numbers of executions that may match, where they are indexable."""
        # written as in the partial index: SQLite does not use it for `is_long = 1`
        long = select(execution_search.c.n).where(
            execution_search.c.organization_id == self._organization_id,
            text("execution_search.is_long"),
        )
        indexed = [self._in_index()] if self._is_sqlite else [self._arrays(term) for term in self.folded]
        return select(union(*indexed, long).subquery().c.n)

    def _in_index(self) -> Select[Any]:
        """A query for what FTS5 finds, in all organizations."""
        expression = " OR ".join(f"({self._expression(term)})" for term in self.folded)
        return select(_fts_trigrams.c.rowid.label("n")).where(
            column("execution_trigrams").op("MATCH")(expression)
        )

    def _expression(self, term: str) -> str:
        if len(term) < _GRAM:
            return " OR ".join(map(_quoted, self._beginnings[term])) or _quoted(term)
        return " AND ".join(map(_quoted, self._rarest[term]))

    def _arrays(self, term: str) -> Select[Any]:
        hashes = [trigram_hash(gram) for gram in (*self._rarest[term], self._organization_id)]
        wanted = literal(hashes, ARRAY(Integer))
        return select(execution_trigrams.c.n).where(execution_trigrams.c.trigrams.op("@>")(wanted))


def _pieces(value: Any) -> Iterator[str]:
    if is_object(value):
        for key, part in value.items():
            yield key
            yield from _pieces(part)
    elif is_array(value):
        for part in value:
            yield from _pieces(part)
    else:
        yield value if isinstance(value, str) else dump_json(value)


def _fold(text: str) -> str:
    # the separator must not occur inside a piece
    return folded(text).replace(_SEPARATOR, "\uffff")


def _grams(text: str) -> set[str]:
    return {text[start : start + _GRAM] for start in range(len(text) - _GRAM + 1)}


@lru_cache(maxsize=1 << 16)
def trigram_hash(text: str) -> int:
    """The hash of a trigram, or an organization's id, in PostgreSQL's index."""
    # a signed 32-bit number; collisions are found when the text is checked
    return (crc32(text.encode()) ^ 0x80000000) - 0x80000000


def _rarest(term: str, sample: Sequence[str], most: int) -> list[str]:
    """The few trigrams of a term that are rarest in the sample; up to `most` are compared.

    The index reads all rows of a trigram: a common one costs more than the checks it saves.
    """
    grams = sorted(_grams(term))
    compared = grams[:: -(-len(grams) // most)]
    return sorted(compared, key=lambda gram: sum(gram in text for text in sample))[:_RAREST]


def _quoted(gram: str) -> str:
    """A trigram as a string in FTS5's query language."""
    return '"' + gram.replace('"', '""') + '"'

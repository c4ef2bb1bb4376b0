"""Substring search over execution ids, names and params.

Each execution has a text: its id, its name, then every key and every scalar value in its params, case-folded
and set apart. Its trigrams are indexed (SQLite: FTS5; PostgreSQL: an array of hashes); what the index finds
is checked against the text.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any
from zlib import crc32

from sqlalchemy import ColumnElement, Select, column, func, literal, or_, select, table, text, union
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.types import Integer

from pagehand.records import Execution, is_array, is_object
from pagehand.storage.columns import dump_json
from pagehand.storage.pages import folded
from pagehand.storage.tables import execution_search

INDEXED_LENGTH = 100_000  # of longer texts only the beginning is indexed; they are always checked in full
_SEPARATOR = "\x1f"
_GRAM = 3
_MOST_BEGINNINGS = 500  # a short term that begins more trigrams than that is looked for in every text

execution_trigrams = table("execution_trigrams", column("n"), column("trigrams"))
_fts_trigrams = table("execution_trigrams", column("rowid"))
_fts_words = table("execution_trigrams_words", column("term"))


def search_row(execution: Execution) -> dict[str, Any]:
    """The row of `execution_search` for an execution, but for its number."""
    pieces = (execution.id, execution.name or "", *_pieces(execution.params))
    joined = _SEPARATOR.join(_fold(piece) for piece in pieces)
    return {
        "organization_id": execution.organization_id,
        "text": joined,
        "is_long": len(joined) > INDEXED_LENGTH,
    }


def trigram_hashes(row: dict[str, Any]) -> list[int]:
    """What PostgreSQL's `execution_trigrams` holds of a search row: its trigrams and its organization."""
    # a text of megabytes would have more trigrams than it is worth; it is read in full instead
    text: str = row["text"][:INDEXED_LENGTH]
    grams = {text[start : start + _GRAM] for start in range(len(text) - _GRAM + 1)}
    return [*map(trigram_hash, grams), trigram_hash(row["organization_id"])]


class Terms:
    """What is looked for: any of a few literal substrings."""

    def __init__(self, organization_id: str, terms: Iterable[str], *, is_sqlite: bool) -> None:
        self._organization_id = organization_id
        self._is_sqlite = is_sqlite
        self.folded = tuple(sorted({_fold(term) for term in terms if term}))
        self._beginnings: dict[str, list[str]] = {}

    async def prepare(self, connection: AsyncConnection) -> None:
        """Learn which trigrams begin with a term of two letters; only SQLite's index can tell."""
        for term in self.folded if self._is_sqlite else ():
            if len(term) == _GRAM - 1:
                word = _fts_words.c.term
                query = select(word).where(word >= term, word < term + "\U0010ffff").limit(_MOST_BEGINNINGS)
                self._beginnings[term] = list((await connection.execute(query)).scalars())

    def __bool__(self) -> bool:
        return bool(self.folded)

    @property
    def are_indexable(self) -> bool:
        """Whether the trigram index can name the texts that may have each."""
        return all(len(term) >= _GRAM or self._is_beginning(term) for term in self.folded)

    @property
    def are_in_index(self) -> bool:
        """Whether the index alone knows which texts have them: none is longer than a trigram."""
        return self._is_sqlite and all(len(term) == _GRAM or self._is_beginning(term) for term in self.folded)

    def _is_beginning(self, term: str) -> bool:
        return term in self._beginnings and len(self._beginnings[term]) < _MOST_BEGINNINGS

    def found_in(self, text: str) -> bool:
        """Whether a folded text has any of them."""
        return any(term in text for term in self.folded)

    def matching(self) -> ColumnElement[bool]:
        """The condition that a text of `execution_search` has any of them."""
        place = func.instr if self._is_sqlite else func.strpos
        return or_(*(place(execution_search.c.text, term) > 0 for term in self.folded))

    def candidates(self, sample: Sequence[str]) -> Select[Any]:
        """A query for all executions that may match, by number; `sample` shows which trigrams are rare."""
        # spelled as in the partial index, which SQLite would not use for `is_long = 1`
        long = select(execution_search.c.n).where(
            execution_search.c.organization_id == self._organization_id,
            text("execution_search.is_long"),
        )
        indexed = (
            [self.in_index(sample)]
            if self._is_sqlite
            else [self._arrays(term, sample) for term in self.folded]
        )
        return select(union(*indexed, long).subquery().c.n)

    def in_index(self, sample: Sequence[str] = ()) -> Select[Any]:
        """What FTS5 finds, of all organizations."""
        expression = " OR ".join(f"({self._expression(term, sample)})" for term in self.folded)
        return select(_fts_trigrams.c.rowid.label("n")).where(
            column("execution_trigrams").op("MATCH")(expression)
        )

    def _expression(self, term: str, sample: Sequence[str]) -> str:
        if len(term) < _GRAM:
            return " OR ".join(map(_quoted, self._beginnings[term])) or _quoted(term)
        return " AND ".join(map(_quoted, _rarest(term, sample)))

    def _arrays(self, term: str, sample: Sequence[str]) -> Select[Any]:
        hashes = [trigram_hash(gram) for gram in (*_rarest(term, sample), self._organization_id)]
        wanted = literal(hashes, ARRAY(Integer))
        return select(execution_trigrams.c.n).where(execution_trigrams.c.trigrams.op("@>")(wanted))


def _pieces(value: Any) -> Iterator[str]:
    if is_object(value):
        fields = value
        for key, part in fields.items():
            yield key
            yield from _pieces(part)
    elif is_array(value):
        parts = value
        for part in parts:
            yield from _pieces(part)
    else:
        yield value if isinstance(value, str) else dump_json(value)


def _fold(text: str) -> str:
    # the separator must not occur in what it separates
    return folded(text).replace(_SEPARATOR, "\uffff")


def _grams(text: str) -> Iterator[str]:
    return (text[start : start + _GRAM] for start in range(len(text) - _GRAM + 1))


@lru_cache(maxsize=1 << 16)
def trigram_hash(text: str) -> int:
    """What stands for a trigram, or an organization, in PostgreSQL's index."""
    # a signed 32-bit number; two trigrams may share one, the text decides
    return (crc32(text.encode()) ^ 0x80000000) - 0x80000000


def _rarest(term: str, sample: Sequence[str], most: int = 4) -> list[str]:
    """The few trigrams of a term that the sample has least often.

    A trigram's whole list of rows is read: a common one costs more than the checks it saves.
    """
    return sorted(set(_grams(term)), key=lambda gram: sum(gram in text for text in sample))[:most]


def _quoted(gram: str) -> str:
    """A string of FTS5's query language."""
    return '"' + gram.replace('"', '""') + '"'

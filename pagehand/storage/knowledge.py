"""The knowledge base: documents, their passages, and an index of the words in each passage.

The index is built here and the same on both databases: the full-text indexes of SQLite and PostgreSQL weigh
words over all rows, so scores would reveal to one organization what is in another's documents.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, case, delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from pagehand.records import Document, Passage, PassageDraft
from pagehand.storage.database import uncancellable
from pagehand.storage.pages import is_row, newest_first
from pagehand.storage.run_claim import Store
from pagehand.storage.tables import document_tags, documents, passage_words, passages

_K1, _B = 1.2, 0.75  # BM25's usual constants
_ROWS_AT_ONCE = 2000
_PASSAGES_AT_ONCE = 100


class KnowledgeStore(Store):
    """An organization's documents and passages."""

    @uncancellable
    async def add(self, document: Document, drafts: Sequence[PassageDraft]) -> None:
        """Add a document with its passages and their words, or nothing."""
        async with self._database.write() as connection:
            await connection.execute(documents.insert().values(asdict(document)))
            tags = [{"document_id": document.id, "tag": tag} for tag in document.tags]
            if tags:
                await connection.execute(document_tags.insert(), tags)
            numbers = await _add_passages(connection, document, drafts)
            rows = iter(
                {
                    "organization_id": document.organization_id,
                    "word": word,
                    "passage": number,
                    "count": count,
                    "length": draft.words.total(),
                }
                for number, draft in zip(numbers, drafts, strict=True)
                for word, count in draft.words.items()
            )
            # a long document has tens of thousands of words: too many for one statement
            while part := list(islice(rows, _ROWS_AT_ONCE)):
                await connection.execute(passage_words.insert(), part)

    async def get(self, organization_id: str, document_id: str) -> Document | None:
        """The document with that id."""
        query = _documents(organization_id, []).where(documents.c.id == document_id)
        row = await self._database.first(query)
        return Document(**row) if row else None

    @uncancellable
    async def delete(self, organization_id: str, document_id: str) -> Document | None:
        """Delete a document with its passages and words; returns it."""
        own = is_row(documents, organization_id, document_id)
        numbers = select(passages.c.n).where(passages.c.document_id == document_id)
        async with self._database.write() as connection:
            row = (await connection.execute(select(documents).where(own))).mappings().first()
            if row is None:
                return None
            await connection.execute(delete(passage_words).where(passage_words.c.passage.in_(numbers)))
            await connection.execute(delete(passages).where(passages.c.document_id == document_id))
            await connection.execute(delete(document_tags).where(document_tags.c.document_id == document_id))
            await connection.execute(delete(documents).where(own))
        return Document(**row)

    async def search(
        self, organization_id: str, words: Sequence[str], tags: Sequence[str], limit: int
    ) -> list[Passage]:
        """Passages with any of the words, the best first: BM25 over the organization's passages."""
        async with self._database.read() as connection:
            weights, average = await _weights(connection, organization_id, words)
            if not weights:
                return []
            score = _score(weights, average).label("score")
            best = (
                select(passage_words.c.passage, score)
                .where(
                    passage_words.c.organization_id == organization_id,
                    passage_words.c.word.in_(list(weights)),
                )
                .group_by(passage_words.c.passage)
                # equal scores in the order of passages, so that both databases agree
                .order_by(score.desc(), passage_words.c.passage)
            )
            if tags:
                best = best.where(passage_words.c.passage.in_(_tagged_passages(organization_id, tags)))
            found = (await connection.execute(best.limit(limit))).all()
            rows = await _read_passages(connection, organization_id, [row.passage for row in found])
        return [_passage(rows[row.passage], float(row.score)) for row in found if row.passage in rows]

    async def vectors(self, organization_id: str, tags: Sequence[str]) -> list[tuple[int, bytes]]:
        """Numbers and vectors of the passages that have one."""
        query = select(passages.c.n, passages.c.embedding).where(
            passages.c.organization_id == organization_id, passages.c.embedding.is_not(None)
        )
        if tags:
            query = query.where(passages.c.n.in_(_tagged_passages(organization_id, tags)))
        async with self._database.read() as connection:
            return [(row.n, bytes(row.embedding)) for row in await connection.execute(query)]

    async def by_number(self, organization_id: str, numbers: Sequence[int]) -> list[Passage]:
        """Passages by their numbers, in that order."""
        async with self._database.read() as connection:
            rows = await _read_passages(connection, organization_id, numbers)
        return [_passage(rows[number]) for number in numbers if number in rows]

    async def list(
        self, organization_id: str, *, tags: Sequence[str], limit: int, offset: int
    ) -> tuple[list[Document], int]:
        """Documents with all of the tags, newest first, and how many there are."""
        query = newest_first(_documents(organization_id, tags), documents)
        rows, total = await self._database.page(query, limit, offset)
        return [Document(**row) for row in rows], total


async def _add_passages(
    connection: AsyncConnection, document: Document, drafts: Sequence[PassageDraft]
) -> list[int]:
    rows = [
        {
            "organization_id": document.organization_id,
            "document_id": document.id,
            "position": position,
            "text": draft.text,
            "embedding": draft.embedding,
        }
        for position, draft in enumerate(drafts)
    ]
    # without `sort_by_parameter_order` PostgreSQL may return the numbers in another order
    add = insert(passages).returning(passages.c.n, sort_by_parameter_order=True)
    numbers: list[int] = []
    # in parts: one statement with thousands of passages is composed in the event loop
    for start in range(0, len(rows), _PASSAGES_AT_ONCE):
        part = rows[start : start + _PASSAGES_AT_ONCE]
        numbers += (await connection.execute(add, part)).scalars()
    return numbers


async def _weights(
    connection: AsyncConnection, organization_id: str, words: Sequence[str]
) -> tuple[dict[str, float], float]:
    """The weight (IDF) of each word among the organization's passages, and their average length."""
    sums = select(func.sum(documents.c.passages), func.sum(documents.c.words)).where(
        documents.c.organization_id == organization_id
    )
    total, length = (await connection.execute(sums)).one()
    if not total:
        return {}, 0.0
    frequency = (
        select(passage_words.c.word, func.count())
        .where(passage_words.c.organization_id == organization_id, passage_words.c.word.in_(list(words)))
        .group_by(passage_words.c.word)
    )
    weights = {
        word: math.log(1 + (int(total) - count + 0.5) / (count + 0.5))
        for word, count in await connection.execute(frequency)
    }
    return weights, max(1.0, int(length) / int(total))


def _score(weights: dict[str, float], average: float) -> ColumnElement[float]:
    count, length = passage_words.c.count, passage_words.c.length
    weight = case(weights, value=passage_words.c.word, else_=0.0)
    return func.sum(weight * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length / average)))


async def _read_passages(
    connection: AsyncConnection, organization_id: str, numbers: Sequence[int]
) -> dict[int, Row[Any]]:
    query = (
        select(passages.c.n, passages.c.document_id, documents.c.name, passages.c.position, passages.c.text)
        .join_from(passages, documents, passages.c.document_id == documents.c.id)
        .where(passages.c.organization_id == organization_id, passages.c.n.in_(list(numbers)))
    )
    rows: Sequence[Row[Any]] = (await connection.execute(query)).all()  # pyright: ignore[reportAssignmentType] - any width
    return {row.n: row for row in rows}


def _passage(row: Row[Any], score: float = 0.0) -> Passage:
    return Passage(
        document_id=row.document_id,
        document_name=row.name,
        position=row.position,
        text=row.text,
        score=score,
    )


def _documents(organization_id: str, tags: Sequence[str]) -> Select[Any]:
    query = select(documents).where(documents.c.organization_id == organization_id)
    return query.where(documents.c.id.in_(_ids_with_tags(tags))) if tags else query


def _ids_with_tags(tags: Sequence[str]) -> Select[Any]:
    return (
        select(document_tags.c.document_id)
        .where(document_tags.c.tag.in_(list(tags)))
        .group_by(document_tags.c.document_id)
        .having(func.count() == len(tags))
    )


def _tagged_passages(organization_id: str, tags: Sequence[str]) -> Select[Any]:
    return select(passages.c.n).where(
        passages.c.organization_id == organization_id, passages.c.document_id.in_(_ids_with_tags(tags))
    )

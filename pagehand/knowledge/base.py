"""Documents in, passages out: found by terms (BM25), and by meaning where embeddings are configured."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

import structlog

from pagehand.clock import now_ms
from pagehand.cooperative import without_blocking
from pagehand.errors import InvalidRequest, NotFound, Unavailable
from pagehand.ids import new_id
from pagehand.knowledge.embeddings import Embedder, nearest
from pagehand.knowledge.passages import split_passages
from pagehand.knowledge.search_terms import count_terms, search_terms
from pagehand.ports import FileStore
from pagehand.records import Document, Passage, PassageDraft
from pagehand.storage.files import FileInfoStore
from pagehand.storage.knowledge import KnowledgeStore

MAX_TEXT_LENGTH = 5_000_000
"""Characters one document may have."""
_MAX_QUERY_TERMS = 64
_CANDIDATES = 100
_RANK_OFFSET = 60  # the constant in the paper on reciprocal rank fusion

_log = structlog.get_logger(__name__)

ExtractText = Callable[[bytes, str, str], Awaitable[str]]
"""The text of a document: its bytes, name and type."""


class KnowledgeBase:
    """The documents of all organizations."""

    def __init__(
        self,
        store: KnowledgeStore,
        files: FileInfoStore,
        content: FileStore,
        extract_text: ExtractText,
        embedder: Embedder | None = None,
    ) -> None:
        self._store = store
        self._files = files
        self._content = content
        self._extract_text = extract_text
        self._embedder = embedder

    async def add_text(
        self, organization_id: str, name: str, text: str, tags: Sequence[str], file_id: str | None = None
    ) -> Document:
        """Store a text."""
        field = "fileId" if file_id else "text"
        if len(text) > MAX_TEXT_LENGTH:
            raise InvalidRequest(f"`{field}`: a document has at most {MAX_TEXT_LENGTH:,} characters")
        passages, words = await without_blocking(_passages_and_words, text)
        if not passages:
            raise InvalidRequest(f"`{field}`: there is no text in it")
        vectors = await self._embedder.embed(passages) if self._embedder else [None] * len(passages)
        drafts = [
            PassageDraft(text=passage, words=counts, embedding=vector)
            for passage, counts, vector in zip(passages, words, vectors, strict=True)
        ]
        document = Document(
            id=new_id("doc"),
            organization_id=organization_id,
            name=name,
            tags=sorted(set(tags)),
            file_id=file_id,
            characters=len(text),
            passages=len(drafts),
            words=sum(draft.words.total() for draft in drafts),
            created_at=now_ms(),
        )
        await self._store.add(document, drafts)
        return document

    async def add_file(self, organization_id: str, name: str, file_id: str, tags: Sequence[str]) -> Document:
        """Store the text of a stored file."""
        info = await self._files.get(organization_id, file_id)
        if info is None:
            raise NotFound("There is no file with this `fileId` in this organization")
        text = await self._extract_text(await self._content.read(info.key), info.name, info.mime_type)
        return await self.add_text(organization_id, name, text, tags, file_id)

    async def get(self, organization_id: str, document_id: str) -> Document:
        """A document; `NotFound` when the organization has none with that id."""
        return _require(await self._store.get(organization_id, document_id))

    async def delete(self, organization_id: str, document_id: str) -> Document:
        """Delete a document and return it."""
        return _require(await self._store.delete(organization_id, document_id))

    async def query(self, organization_id: str, query: str, top_k: int, tags: Sequence[str]) -> list[Passage]:
        """The best passages of documents that have all of the tags."""
        terms = list(dict.fromkeys(search_terms(query)))[:_MAX_QUERY_TERMS]
        limit = top_k if self._embedder is None else _CANDIDATES
        by_terms = await self._store.search(organization_id, terms, sorted(set(tags)), limit) if terms else []
        by_meaning = await self._by_meaning(organization_id, query, tags)
        return (_fuse(by_terms, by_meaning) if by_meaning else by_terms)[:top_k]

    async def list(
        self, organization_id: str, *, tags: Sequence[str], limit: int, offset: int
    ) -> tuple[list[Document], int]:
        """Newest first, and how many there are."""
        return await self._store.list(organization_id, tags=sorted(set(tags)), limit=limit, offset=offset)

    async def _by_meaning(self, organization_id: str, query: str, tags: Sequence[str]) -> Sequence[Passage]:
        if self._embedder is None:
            return ()
        try:
            [vector] = await self._embedder.embed([query])
        except Unavailable as error:
            _log.warning("passages are found by words alone", reason=error.message)
            return ()
        vectors = await self._store.vectors(organization_id, sorted(set(tags)))
        numbers = await nearest(vector, vectors, _CANDIDATES)
        return await self._store.by_number(organization_id, numbers)


def _passages_and_words(text: str) -> "tuple[list[str], list[Counter[str]]]":
    passages = split_passages(text)
    return passages, [count_terms(passage) for passage in passages]


def _fuse(*rankings: Sequence[Passage]) -> "list[Passage]":
    """Several rankings as one, by the ranks of each passage in them (reciprocal rank fusion)."""
    scores: dict[tuple[str, int], float] = {}
    passages: dict[tuple[str, int], Passage] = {}
    for ranking in rankings:
        for rank, passage in enumerate(ranking, 1):
            key = (passage.document_id, passage.position)
            passages[key] = passage
            scores[key] = scores.get(key, 0.0) + 1 / (_RANK_OFFSET + rank)
    # only ranks count: scores of terms and of vectors cannot be compared
    for key, score in scores.items():
        passages[key].score = score
    return sorted(passages.values(), key=lambda passage: -passage.score)


def _require(document: Document | None) -> Document:
    if document is None:
        raise NotFound("There is no document with this `id` in this organization")
    return document

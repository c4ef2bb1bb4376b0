"""Documents in, passages out: found by terms (BM25), and by meaning where embeddings are configured.

Embeddings come from an OpenAI-compatible endpoint of the operator.
"""

import asyncio
import re
import shutil
import unicodedata
from array import array
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from math import sqrt
from operator import mul
from typing import Protocol

import msgspec
import structlog

from pagehand.clock import now_ms
from pagehand.documents import reader_of
from pagehand.errors import BlockFailed, InvalidRequest, NotFound, Unavailable
from pagehand.ids import new_id
from pagehand.loop import without_blocking
from pagehand.page.phrases.plurals import singular
from pagehand.ports import Documents, FileStore
from pagehand.records import Document, Passage, PassageDraft
from pagehand.storage.files import FileInfoStore
from pagehand.storage.knowledge import KnowledgeStore

_BATCH_SIZE = 64
MAX_TEXT_LENGTH = 5_000_000
"""Characters one document may have."""
_MAX_QUERY_TERMS = 64
_CANDIDATES = 100
_RANK_OFFSET = 60  # the constant in the paper on reciprocal rank fusion
_log = structlog.get_logger(__name__)
ExtractText = Callable[[bytes, str, str], Awaitable[str]]
"""The text of a document: its bytes, name and type."""
_WORD = re.compile(r"[^\W_]+")
_CHINESE_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_MAX_LENGTH = 64
MAX_LENGTH = 800
OVERLAP = 120
_PARAGRAPHS = re.compile(r"\n\s*\n|\f")
_SENTENCES = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n")  # noqa: RUF001 - the full stops of other scripts
_SECONDS = 60


class _Vector(msgspec.Struct):
    embedding: list[float]
    index: int = 0


class _Answer(msgspec.Struct):
    data: list[_Vector]


class Embedder(Protocol):
    """Turns texts into vectors."""

    async def embed(self, texts: Sequence[str], /) -> list[bytes]:
        """One vector of length 1 per text, as 32-bit floats."""
        ...


class EmbeddingsEndpoint:
    """Asks `<url>/embeddings`; the operator's own server, so outside the egress policy."""

    def __init__(self, url: str, model: str, key: str | None) -> None:
        self._url = url.rstrip("/") + "/embeddings"
        self._model = model
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        """In batches; `Unavailable` when the endpoint does not answer properly."""
        import httpx2  # noqa: PLC0415 - 20 MB that a service without embeddings does not need

        found: list[bytes] = []
        try:
            async with httpx2.AsyncClient(timeout=_SECONDS, headers=self._headers) as client:
                # endpoints limit the number of texts in a request
                for start in range(0, len(texts), _BATCH_SIZE):
                    batch = list(texts[start : start + _BATCH_SIZE])
                    answer = await client.post(self._url, json={"model": self._model, "input": batch})
                    answer.raise_for_status()
                    found += [_pack(vector) for vector in _in_order(answer.content, len(batch))]
        except (httpx2.HTTPError, ValueError) as error:  # what cannot be decoded is a ValueError, too
            reason = str(error)[:200] or type(error).__name__
            raise Unavailable(f"`PAGEHAND_EMBEDDINGS_URL` gave no embeddings: {reason}") from error
        return found


async def nearest(query: bytes, vectors: Iterable[tuple[int, bytes]], limit: int) -> list[int]:
    """Numbers of the vectors most similar to `query`; those of another model are left out."""
    return await asyncio.to_thread(_nearest, query, list(vectors), limit)


def _nearest(query: bytes, vectors: list[tuple[int, bytes]], limit: int) -> list[int]:
    query_vector = array("f", query)
    # after a change of `PAGEHAND_EMBEDDINGS_MODEL` old vectors stay until their documents are added again
    same = ((number, array("f", vector)) for number, vector in vectors if len(vector) == len(query))
    scored = sorted(((-sum(map(mul, query_vector, vector)), number) for number, vector in same))
    return [number for _, number in scored[:limit]]


def _in_order(answer: bytes, count: int) -> list[list[float]]:
    data = sorted(msgspec.json.decode(answer, type=_Answer).data, key=lambda vector: vector.index)
    if len(data) != count:
        raise ValueError(f"{len(data)} vectors for {count} texts")
    return [vector.embedding for vector in data]


def _pack(vector: Sequence[float]) -> bytes:
    # of length 1, so that the similarity of two vectors is their dot product
    length = sqrt(sum(map(mul, vector, vector))) or 1.0
    return array("f", (number / length for number in vector)).tobytes()


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


def search_terms(text: str) -> list[str]:
    """The terms of a text in order; scripts without spaces give pairs of characters."""
    found: list[str] = []
    for word in _WORD.findall(_fold(text)):
        if _CHINESE_JAPANESE.search(word):
            # pairs: single characters are in almost every text, and nothing separates words
            found += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        else:
            found.append(singular(word)[:_MAX_LENGTH])
    return found


def count_terms(text: str) -> Counter[str]:
    """How often each term is in a text."""
    return Counter(search_terms(text))


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(char for char in decomposed if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", letters)


def split_passages(text: str) -> list[str]:
    """The passages of a text, in its order."""
    found: list[str] = []
    waiting = ""
    for paragraph in (_collapse_spaces(paragraph) for paragraph in _PARAGRAPHS.split(text)):
        if not paragraph:
            continue
        if waiting and len(waiting) + len(paragraph) + 2 > MAX_LENGTH:
            found.append(waiting)
            waiting = ""
        if len(paragraph) > MAX_LENGTH:
            *complete, waiting = _split_paragraph(paragraph)
            found += complete
        else:
            waiting = f"{waiting}\n\n{paragraph}" if waiting else paragraph
    return [*found, waiting] if waiting else found


def _collapse_spaces(paragraph: str) -> str:
    lines = (" ".join(line.split()) for line in paragraph.splitlines())
    return "\n".join(line for line in lines if line)


def _split_paragraph(paragraph: str) -> list[str]:
    """Several passages, each beginning with the end of the one before."""
    found: list[list[str]] = [[]]
    for sentence in _sentences(paragraph):
        if found[-1] and _length(found[-1]) + len(sentence) > MAX_LENGTH:
            found.append(_overlap(found[-1]))
        found[-1].append(sentence)
    return [" ".join(item) for item in found]


def _sentences(paragraph: str) -> Iterator[str]:
    for sentence in filter(None, _SENTENCES.split(paragraph)):
        rest = sentence.strip()
        # leaves room for the end of the passage before
        while len(rest) > MAX_LENGTH - OVERLAP:
            at = rest.rfind(" ", 1, MAX_LENGTH - OVERLAP)
            at = at if at > 0 else MAX_LENGTH - OVERLAP
            yield rest[:at]
            rest = rest[at:].strip()
        if rest:
            yield rest


def _overlap(sentences: list[str]) -> list[str]:
    kept: list[str] = []
    for sentence in reversed(sentences):
        if _length(kept) + len(sentence) > OVERLAP:
            break
        kept.insert(0, sentence)
    return kept


def _length(sentences: list[str]) -> int:
    return sum(len(sentence) + 1 for sentence in sentences)


class DocumentText:
    """Reads documents in a separate process, because their content is untrusted."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    async def __call__(self, content: bytes, name: str, mime_type: str) -> str:
        """The text of all pages; `InvalidRequest` when it cannot be read."""
        options = {"pages": None, "password": None, "language": None, "tesseract": shutil.which("tesseract")}
        task = reader_of(content, name, mime_type)
        try:
            read = await self._documents.perform(task, content, options, timeout_seconds=_SECONDS)
        except BlockFailed as problem:
            raise InvalidRequest(f"`fileId`: `{name}` cannot be read: {problem.message}") from problem
        return "\n\n".join(page["text"] for page in read["pages"])

"""Embeddings from an OpenAI-compatible endpoint of the operator."""

import asyncio
from array import array
from collections.abc import Iterable, Sequence
from math import sqrt
from operator import mul
from typing import Protocol

import msgspec

from pagehand.errors import Unavailable

_BATCH_SIZE = 64
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

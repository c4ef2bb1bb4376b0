"""Words and meaning together, with a real embeddings endpoint on loopback."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from pagehand.errors import InvalidRequest, NotFound, Unavailable
from pagehand.files.local import LocalFiles
from pagehand.knowledge import MAX_TEXT_LENGTH, KnowledgeBase
from pagehand.knowledge.base import Embedder, EmbeddingsEndpoint
from pagehand.records import FileInfo
from pagehand.settings import Settings
from pagehand.storage import Database, Stores
from support.http_server import HttpReply, HttpRequest, HttpServer

pytestmark = pytest.mark.anyio

MEANINGS = {"canine": (1.0, 0.1), "dog": (0.9, 0.2), "weather": (0.0, 1.0), "rain": (0.1, 0.9)}


class Endpoint:
    """Gives texts the vectors of the words above that they hold."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.status = 200
        self.content: bytes | None = None
        """What it answers instead."""
        self.server = HttpServer(self._answer)
        self.url = f"{self.server.url}/v1"

    def _answer(self, request: HttpRequest) -> HttpReply:
        body = json.loads(request.body)
        self.asked.append(body)
        self.keys.append(request.headers.get("authorization"))
        data = [{"index": index, "embedding": self.vector(text)} for index, text in enumerate(body["input"])]
        content = self.content or json.dumps({"data": data[::-1]}).encode()
        return HttpReply(content, self.status if request.path == "/v1/embeddings" else 404)

    @staticmethod
    def vector(text: str) -> list[float]:
        return next(([7 * x, 7 * y] for word, (x, y) in MEANINGS.items() if word in text), [0.5, 0.5])


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    endpoint = Endpoint()
    with endpoint.server:
        yield endpoint


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    database = Database(Settings(data_dir=tmp_path).database_url)
    await database.open()
    yield Stores(database)
    await database.close()


async def plain_text(content: bytes, name: str, mime_type: str) -> str:
    return f"{name} {mime_type} {content.decode()}"


def base_of(stores: Stores, tmp_path: Path, embedder: Embedder | None = None) -> KnowledgeBase:
    return KnowledgeBase(stores.knowledge, stores.files, LocalFiles(tmp_path / "files"), plain_text, embedder)


async def test_passages_are_found_by_their_words(stores: Stores, tmp_path: Path) -> None:
    base = base_of(stores, tmp_path)
    document = await base.add_text("org_a", "Warranty", "The zebra machine lasts 27 months.", ["b", "a", "b"])
    assert document.tags == ["a", "b"]
    [found] = await base.query("org_a", "How long do ZEBRA machines last?", 5, ["a"])
    assert (found.document_id, found.document_name, found.position) == (document.id, "Warranty", 0)
    assert found.score > 0
    assert await base.query("org_a", "giraffe ???", 5, []) == []
    assert await base.query("org_a", "?!", 5, []) == []
    assert await base.query("org_b", "zebra", 5, []) == []


async def test_a_file_is_read_by_name_and_type(stores: Stores, tmp_path: Path) -> None:
    info = FileInfo("file_1", "org_a", None, "note.txt", "text/plain", 5, "org_a/uploads/file_1", 1)
    await stores.files.add(info)
    await LocalFiles(tmp_path / "files").put(info.key, b"zebra")
    base = base_of(stores, tmp_path)
    document = await base.add_file("org_a", "N", "file_1", [])
    assert document.file_id == "file_1"
    [found] = await base.query("org_a", "zebra", 5, [])
    assert found.text == "note.txt text/plain zebra"
    with pytest.raises(NotFound, match="`fileId`"):
        await base.add_file("org_b", "N", "file_1", [])


@pytest.mark.parametrize("text", ["", " \n ", "x" * (MAX_TEXT_LENGTH + 1)])
async def test_a_text_that_is_empty_or_endless_is_refused(stores: Stores, tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidRequest, match="`text`"):
        await base_of(stores, tmp_path).add_text("org_a", "N", text, [])


async def test_meaning_finds_what_words_do_not(stores: Stores, tmp_path: Path, endpoint: Endpoint) -> None:
    base = base_of(stores, tmp_path, EmbeddingsEndpoint(endpoint.url, "tiny", "k-1"))
    await base.add_text("org_a", "Pets", "The dog sleeps.", ["pets"])
    await base.add_text("org_a", "Sky", "The rain falls.", [])
    found = await base.query("org_a", "canine", 1, [])
    assert [item.text for item in found] == ["The dog sleeps."]
    assert [item.text for item in await base.query("org_a", "weather", 2, ["pets"])] == ["The dog sleeps."]
    assert endpoint.asked[0] == {"model": "tiny", "input": ["The dog sleeps."]}
    assert endpoint.keys[0] == "Bearer k-1"


async def test_a_passage_that_both_ways_find_comes_first(
    stores: Stores, tmp_path: Path, endpoint: Endpoint
) -> None:
    base = base_of(stores, tmp_path, EmbeddingsEndpoint(endpoint.url, "tiny", None))
    for text in ("rain rain and nothing but", "weather report", "dog and weather talk"):
        await base.add_text("org_a", "N", text, [])
    found = await base.query("org_a", "weather report", 3, [])
    assert found[0].text == "weather report"
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)
    assert endpoint.keys == [None] * 4


async def test_without_the_endpoint_words_still_find(
    stores: Stores, tmp_path: Path, endpoint: Endpoint
) -> None:
    base = base_of(stores, tmp_path, EmbeddingsEndpoint(endpoint.url, "tiny", None))
    await base.add_text("org_a", "Pets", "The dog sleeps.", [])
    endpoint.status = 500
    assert [item.text for item in await base.query("org_a", "dog", 3, [])] == ["The dog sleeps."]
    with pytest.raises(Unavailable, match="PAGEHAND_EMBEDDINGS_URL"):
        await base.add_text("org_a", "Pets", "Another dog.", [])


async def test_many_passages_are_asked_for_in_parts(
    stores: Stores, tmp_path: Path, endpoint: Endpoint
) -> None:
    base = base_of(stores, tmp_path, EmbeddingsEndpoint(endpoint.url, "tiny", None))
    paragraphs = "\n\n".join(f"{number} " + "word " * 150 for number in range(70))
    document = await base.add_text("org_a", "Long", paragraphs, [])
    assert document.passages == 70
    assert [len(item["input"]) for item in endpoint.asked] == [64, 6]


@pytest.mark.parametrize(
    "content",
    [
        b'{"data": ["no object"]}',
        b'{"data": [{"embedding": ["x"]}]}',
        b'{"data": [{"index": 0}]}',
        b'{"data": {}}',
        b"[]",
        b"not JSON",
        b'{"data": []}',
    ],
)
async def test_an_answer_of_another_shape_is_reported(endpoint: Endpoint, content: bytes) -> None:
    endpoint.content = content
    with pytest.raises(Unavailable, match="gave no embeddings"):
        await EmbeddingsEndpoint(endpoint.url, "m", None).embed(["dog"])

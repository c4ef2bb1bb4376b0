"""Passages are found by their words, the same way on both databases, and within one organization alone."""

import asyncio
from collections import Counter

import pytest

from pagehand.records import Document, PassageDraft
from pagehand.storage import Stores

pytestmark = pytest.mark.anyio

TEXTS = [
    "the zebra machine lasts long",
    "the machine is green and the machine is loud",
    "a short note about the weather",
]


async def add(
    stores: Stores,
    document_id: str,
    *texts: str,
    organization_id: str = "org_a",
    tags: list[str] | None = None,
) -> Document:
    drafts = [PassageDraft(text=text, words=Counter(text.split())) for text in texts]
    document = Document(
        id=document_id,
        organization_id=organization_id,
        name=f"Name of {document_id}",
        tags=tags or [],
        file_id=None,
        characters=sum(map(len, texts)),
        passages=len(texts),
        words=sum(draft.words.total() for draft in drafts),
        created_at=1,
    )
    await stores.knowledge.add(document, drafts)
    return document


async def found(stores: Stores, *words: str, tags: list[str] | None = None) -> list[str]:
    return [item.text for item in await stores.knowledge.search("org_a", words, tags or [], 10)]


async def test_a_document_comes_back_and_is_listed_by_its_tags(stores: Stores) -> None:
    first = await add(stores, "doc_1", *TEXTS, tags=["a", "b"])
    await add(stores, "doc_2", "else", tags=["b"])
    assert await stores.knowledge.get("org_a", "doc_1") == first
    for tags, ids in (([], {"doc_1", "doc_2"}), (["b"], {"doc_1", "doc_2"}), (["a", "b"], {"doc_1"})):
        listed, total = await stores.knowledge.list("org_a", tags=tags, limit=10, offset=0)
        assert ({document.id for document in listed}, total) == (ids, len(ids))


async def test_rare_words_weigh_more_than_common_ones(stores: Stores) -> None:
    await add(stores, "doc_1", *TEXTS)
    assert (await found(stores, "the", "zebra"))[0] == TEXTS[0]
    assert (await found(stores, "machine"))[0] == TEXTS[1]
    assert await found(stores, "nowhere") == []
    [best, *_] = await stores.knowledge.search("org_a", ["weather"], [], 1)
    assert (best.document_id, best.document_name, best.position) == ("doc_1", "Name of doc_1", 2)


async def test_scores_are_bm25(stores: Stores) -> None:
    await add(stores, "doc_1", "apple pear", "pear pear plum fig")
    [first, second] = await stores.knowledge.search("org_a", ["pear"], [], 10)
    # N = 2, both have it: ln(1 + 0.5 / 2.5); average length 3
    weight = 0.1823215567939546
    assert first.score == pytest.approx(weight * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 3)))
    assert second.score == pytest.approx(weight * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 3)))


async def test_tags_narrow_a_search(stores: Stores) -> None:
    await add(stores, "doc_1", "green machine", tags=["a", "b"])
    await add(stores, "doc_2", "red machine", tags=["b"])
    assert len(await found(stores, "machine", tags=["b"])) == 2
    assert await found(stores, "machine", tags=["a", "b"]) == ["green machine"]
    assert await found(stores, "machine", tags=["c"]) == []


async def test_a_deleted_document_is_not_found_and_does_not_weigh(stores: Stores) -> None:
    await add(stores, "doc_1", "green machine")
    before = await stores.knowledge.search("org_a", ["machine"], [], 10)
    await add(stores, "doc_2", "red machine", "blue machine", tags=["x"])
    deleted = await stores.knowledge.delete("org_a", "doc_2")
    assert deleted is not None
    assert deleted.id == "doc_2"
    assert await stores.knowledge.search("org_a", ["machine"], [], 10) == before
    assert await stores.knowledge.delete("org_a", "doc_2") is None
    assert await found(stores, "red") == []


async def test_what_others_keep_changes_neither_answers_nor_scores(stores: Stores) -> None:
    await add(stores, "doc_1", "green machine", "quiet lake")
    before = await stores.knowledge.search("org_a", ["machine"], [], 10)
    for number in range(5):
        await add(stores, f"doc_b{number}", "machine machine", organization_id="org_b")
    assert await stores.knowledge.search("org_a", ["machine"], [], 10) == before


async def test_vectors_come_back_as_they_were(stores: Stores) -> None:
    words = Counter(["x"])
    drafts = [PassageDraft(text="x", words=words, embedding=b"1234"), PassageDraft(text="y", words=words)]
    document = await add(stores, "doc_0", "none")
    document.id, document.passages = "doc_1", 2
    await stores.knowledge.add(document, drafts)
    [(number, vector)] = await stores.knowledge.vectors("org_a", [])
    assert vector == b"1234"
    assert [item.text for item in await stores.knowledge.by_number("org_a", [number, 10**9])] == ["x"]


async def test_many_documents_at_once(stores: Stores) -> None:
    await asyncio.gather(*(add(stores, f"doc_{n}", *TEXTS) for n in range(10)))
    assert len(await stores.knowledge.search("org_a", ["zebra"], [], 50)) == 10

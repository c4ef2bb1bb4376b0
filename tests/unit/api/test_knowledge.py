"""`/knowledge/…`: documents of text and of files, tags, pages, and the passages that answer."""

import base64
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio

ZEBRA = "The zebra machine lasts 27 months. Its warranty begins with the delivery."


async def add_document(api: "Api", name: str, text: str = ZEBRA, **fields: Any) -> dict[str, Any]:
    answer = await api.post("/knowledge/create", {"name": name, "text": text, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()["document"]


@pytest.mark.parametrize(
    ("fields", "status", "word"),
    [
        ({}, 400, "Exactly one of `text` and `fileId`"),
        ({"text": "a", "fileId": "file_none"}, 400, "Exactly one of `text` and `fileId`"),
        ({"text": ""}, 400, "`text`"),
        ({"text": " \n\t"}, 400, "`text`"),
        ({"fileId": "file_none"}, 404, "`fileId`"),
        ({"text": "a", "tags": [""]}, 400, "`tags"),
        ({"text": "a", "tags": ["t"] * 51}, 400, "`tags`"),
        ({"text": "a", "name": ""}, 400, "`name`"),
    ],
)
async def test_document_without_text_is_refused(
    api: "Api", fields: dict[str, Any], status: int, word: str
) -> None:
    answer = await api.post("/knowledge/create", {"name": "d", **fields})
    assert answer.status_code == status, answer.text
    assert word in answer.json()["error"]
    assert (await api.post("/knowledge/list")).json() == {"documents": [], "total": 0}


async def test_document_of_a_file_names_the_file_and_outlives_it(api: "Api") -> None:
    upload = {"name": "warranty.txt", "contentBase64": base64.b64encode(ZEBRA.encode()).decode()}
    file = (await api.post("/files/upload", upload)).json()["file"]
    made = await api.post("/knowledge/create", {"name": "Warranty", "fileId": file["id"]})
    document = made.json()["document"]
    assert (document["fileId"], document["characters"]) == (file["id"], len(ZEBRA))
    await api.post("/files/delete", {"id": file["id"]})
    found = (await api.post("/knowledge/query", {"query": "zebra"})).json()["passages"]
    assert [passage["document"]["id"] for passage in found] == [document["id"]]


async def test_tags_are_kept_once_and_all_of_those_asked_for_are_needed(api: "Api") -> None:
    both = await add_document(api, "both", tags=["b", "a", "a"])
    await add_document(api, "one", tags=["a"])
    assert both["tags"] == ["a", "b"]
    # the same tag twice asks for nothing more than once
    for tags, names in ((["a"], ["one", "both"]), (["a", "b", "a"], ["both"]), (["c"], [])):
        listed = (await api.post("/knowledge/list", {"tags": tags})).json()
        assert ([document["name"] for document in listed["documents"]], listed["total"]) == (
            names,
            len(names),
        )
        found = (await api.post("/knowledge/query", {"query": "zebra", "tags": tags})).json()["passages"]
        assert {passage["document"]["name"] for passage in found} == set(names)


async def test_query_answers_best_first_and_at_most_as_many_as_asked_for(api: "Api") -> None:
    for number in range(4):
        await add_document(api, f"d{number}", "zebra " * (number + 1) + "lion " * 5)
    found = (await api.post("/knowledge/query", {"query": "ZEBRA?", "topK": 3})).json()["passages"]
    scores = [passage["score"] for passage in found]
    assert len(found) == 3
    assert scores == sorted(scores, reverse=True)
    assert found[0]["position"] == 0
    assert (await api.post("/knowledge/query", {"query": "giraffe"})).json() == {"passages": []}


@pytest.mark.parametrize(
    "fields", [{"query": ""}, {"query": "x" * 10_001}, {"topK": 0}, {"topK": 51}, {"limit": 3}]
)
async def test_query_that_does_not_fit_is_refused(api: "Api", fields: dict[str, Any]) -> None:
    answer = await api.post("/knowledge/query", {"query": "zebra", **fields})
    assert answer.status_code == 400, answer.text


async def test_query_of_signs_alone_finds_nothing(api: "Api") -> None:
    await add_document(api, "d")
    assert (await api.post("/knowledge/query", {"query": "?! …"})).json() == {"passages": []}


async def test_other_organizations_neither_find_nor_weigh_a_document(api: "Api") -> None:
    own = await add_document(api, "mine")
    key = await api.create_key("other")
    alone = (await api.post("/knowledge/query", {"query": "zebra"})).json()
    for number in range(3):
        await api.post("/knowledge/create", {"name": f"t{number}", "text": ZEBRA}, x_api_key=key)
    # scores of one organization must not tell what is in another's documents
    assert (await api.post("/knowledge/query", {"query": "zebra"})).json() == alone
    for path in ("get", "delete"):
        answer = await api.post(f"/knowledge/{path}", {"id": own["id"]}, x_api_key=key)
        assert answer.status_code == 404
    assert (await api.post("/knowledge/get", {"id": own["id"]})).json()["document"] == own


async def test_deleted_document_is_not_found_any_more(api: "Api") -> None:
    document = await add_document(api, "d")
    gone = await api.post("/knowledge/delete", {"id": document["id"]})
    assert gone.json() == {"document": {"id": document["id"], "name": "d"}}
    assert (await api.post("/knowledge/query", {"query": "zebra"})).json() == {"passages": []}
    assert (await api.post("/knowledge/get", {"id": document["id"]})).status_code == 404


async def test_documents_are_listed_newest_first_in_pages(api: "Api") -> None:
    for number in range(3):
        await add_document(api, f"d{number}")
    pages = [
        (await api.post("/knowledge/list", {"limit": 2, "offset": offset})).json() for offset in (0, 2, 4)
    ]
    assert [[document["name"] for document in page["documents"]] for page in pages] == [
        ["d2", "d1"],
        ["d0"],
        [],
    ]
    assert {page["total"] for page in pages} == {3}

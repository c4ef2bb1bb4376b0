"""Kinds that may ask a model, with a scripted one on a real wire: what it is sent, and what is made of it."""

from collections.abc import AsyncIterator, Generator
from typing import Any

import pytest
from pydantic import SecretStr

from pagehand.ai import Gateway
from pagehand.documents import DocumentProcess
from pagehand.errors import BlockFailed, ModelNeeded
from pagehand.sandbox.python import PythonSandbox
from pagehand.settings import Settings
from pagehand.testing import Harness, Seams
from support.model import ModelReply, ScriptedModel, scripted_model, structured_reply

pytestmark = pytest.mark.anyio
Json = dict[str, Any]
ORDER: Json = {
    "type": "object",
    "properties": {"orderNo": {"type": "string"}, "total": {"type": "number"}},
    "required": ["orderNo", "total"],
}
PROSE = "We are glad to confirm A-17. It comes to twelve euros."


@pytest.fixture(scope="module")
def scripted() -> Generator[ScriptedModel]:
    with scripted_model() as running:
        yield running


@pytest.fixture(scope="module")
async def gateway(scripted: ScriptedModel) -> AsyncIterator[Gateway]:
    async def name_of(organization_id: str) -> str:
        return organization_id

    settings = Settings(model="openai:scripted", model_base_url=scripted.url, model_api_key=SecretStr("key"))
    gateway = Gateway(settings, name_of)
    yield gateway
    await gateway.close()


@pytest.fixture
async def smart(
    gateway: Gateway, scripted: ScriptedModel, sandbox: PythonSandbox, documents_process: DocumentProcess
) -> AsyncIterator[Harness]:
    """A harness with a model."""
    scripted.requests.clear()
    async with Harness(Seams(models=gateway, sandbox=sandbox, documents=documents_process)) as harness:
        yield harness


async def output(harness: Harness, kind: str, data: Json) -> Any:
    return (await harness.run({"type": kind, "blockReferenceId": "it", "data": data})).outputs["it"]


async def test_text_with_a_structure_is_read_without_the_model(
    smart: Harness, scripted: ScriptedModel
) -> None:
    data = {"inputText": "Order no: A-17\nTotal: 12", "schema": ORDER}
    assert await output(smart, "ExtractFromInput", data) == {"orderNo": "A-17", "total": 12}
    assert scripted.requests == []


async def test_free_text_gets_its_shape_from_the_model(smart: Harness, scripted: ScriptedModel) -> None:
    scripted.reply_with(structured_reply({"orderNo": "A-17", "total": 12}))
    data = {"inputText": PROSE, "prompt": "Number and total", "schema": ORDER}
    assert await output(smart, "Generate", data) == {"orderNo": "A-17", "total": 12}
    assert "Number and total" in scripted.requests[0].instructions
    assert PROSE in scripted.requests[0].last


async def test_without_a_schema_the_model_writes_text(smart: Harness, scripted: ScriptedModel) -> None:
    scripted.reply_with(ModelReply("A short confirmation."))
    data = {"inputText": {"order": "A-17"}, "prompt": "Summarize"}
    assert await output(smart, "Generate", data) == "A short confirmation."
    assert '{"order": "A-17"}' in scripted.requests[0].last


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        "[" * 100_000,
        "a,b\n" + "x" * 200_000 + ",2\n",
        '{"orderNo": "A-17", "total": NaN}',
        "Order no: A-17",
        "",
    ],
    ids=["prose", "nested too deep", "a cell too long", "a number that is none", "one is missing", "empty"],
)
async def test_text_that_only_a_model_can_read_fails_without_one(harness: Harness, text: str) -> None:
    with pytest.raises(ModelNeeded, match="PAGEHAND_MODEL") as failed:
        await output(harness, "Generate", {"inputText": text, "schema": ORDER})
    assert ". Free text needs a language model" in failed.value.message
    assert failed.value.diagnosis.advice


@pytest.mark.parametrize("text", [PROSE, '{"a": 1}', ""])
async def test_a_wrong_schema_is_reported_whatever_the_text(
    smart: Harness, scripted: ScriptedModel, text: str
) -> None:
    with pytest.raises(BlockFailed, match="`schema` is not a valid JSON Schema"):
        await output(smart, "Generate", {"inputText": text, "schema": {"type": "nope"}})
    assert scripted.requests == []


async def put_in(harness: Harness, name: str, text: str, *tags: str) -> None:
    await harness.knowledge.add_text(harness.organization_id, name, text, tags)


HANDBOOK = "The warranty of lamps is two years.\n\nReturns are free within 30 days."


async def test_passages_come_with_their_document_position_and_score(harness: Harness) -> None:
    await put_in(harness, "handbook.txt", HANDBOOK)
    await put_in(harness, "menu.txt", "Soup of the day, bread and butter.")
    found = await output(harness, "QueryKnowledgeBase", {"query": "warranty of lamps"})
    assert found[0]["document"]["name"] == "handbook.txt"
    assert set(found[0]) == {"document", "position", "score", "text"}
    assert "two years" in found[0]["text"]


async def test_top_k_and_tags_limit_what_is_found(harness: Harness) -> None:
    for number in range(4):
        await put_in(
            harness, f"{number}.txt", f"The warranty of lamp {number} is long.", "lamps", f"n{number}"
        )
    few = await output(harness, "QueryKnowledgeBase", {"query": "warranty lamp", "topK": 2})
    assert len(few) == 2
    tagged = await output(harness, "QueryKnowledgeBase", {"query": "warranty lamp", "tags": ["lamps", "n3"]})
    assert [passage["document"]["name"] for passage in tagged] == ["3.txt"]


@pytest.mark.parametrize("query", ["zebra", "   ", '"unclosed AND (', "* OR NOT"])
async def test_a_question_without_an_answer_or_in_odd_signs_finds_nothing(
    harness: Harness, query: str
) -> None:
    await put_in(harness, "handbook.txt", HANDBOOK)
    assert await output(harness, "QueryKnowledgeBase", {"query": query}) == []


async def test_a_prompt_gives_an_answer_that_cites_its_passages(
    smart: Harness, scripted: ScriptedModel
) -> None:
    await put_in(smart, "handbook.txt", HANDBOOK)
    scripted.reply_with(structured_reply({"answer": "Two years.", "citations": [1, 1]}))
    data = {"query": "warranty of lamps", "prompt": "How long is the warranty?"}
    given = await output(smart, "QueryKnowledgeBase", data)
    assert given["answer"] == "Two years."
    assert [cited["document"]["name"] for cited in given["citations"]] == ["handbook.txt"]
    assert "[1] handbook.txt" in scripted.requests[0].last


async def test_an_answer_that_cites_what_it_was_not_shown_fails(
    smart: Harness, scripted: ScriptedModel
) -> None:
    await put_in(smart, "handbook.txt", HANDBOOK)
    scripted.reply_with(structured_reply({"answer": "Two years.", "citations": [7]}))
    with pytest.raises(BlockFailed, match="cites passages"):
        await output(smart, "QueryKnowledgeBase", {"query": "warranty", "prompt": "How long?"})


async def test_without_passages_the_model_is_not_asked(smart: Harness, scripted: ScriptedModel) -> None:
    data = {"query": "warranty", "prompt": "How long?"}
    assert await output(smart, "QueryKnowledgeBase", data) == {"answer": None, "citations": []}
    assert scripted.requests == []


async def test_a_prompt_without_a_model_says_what_to_set(harness: Harness) -> None:
    await put_in(harness, "handbook.txt", HANDBOOK)
    with pytest.raises(ModelNeeded, match="PAGEHAND_MODEL"):
        await output(harness, "QueryKnowledgeBase", {"query": "warranty", "prompt": "How long?"})


async def test_a_document_is_read_by_the_model_where_its_structure_does_not_do(
    smart: Harness, scripted: ScriptedModel
) -> None:
    letter = await smart.add_file("letter.txt", PROSE.encode(), "text/plain")
    scripted.reply_with(structured_reply({"orderNo": "A-17", "total": 12}), ModelReply("It is friendly."))
    shaped = await output(smart, "ParseDocument", {"file": letter["id"], "schema": ORDER})
    assert shaped == {"orderNo": "A-17", "total": 12}
    judged = await output(smart, "ParseDocument", {"file": letter["id"], "prompt": "Is it friendly?"})
    assert judged == "It is friendly."
    assert all(PROSE in asked.last for asked in scripted.requests)

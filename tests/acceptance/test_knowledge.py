"""The knowledge base as a caller and a workflow meet it."""

import base64
import io

import pytest
from reportlab.pdfgen.canvas import Canvas

from support.database import add_key
from support.service import Api, Json, RunningService


@pytest.fixture
def caller(service: RunningService, request: pytest.FixtureRequest) -> Api:
    return service.api(add_key(service, request.node.name[:60]))


def put_in(caller: Api, name: str, text: str, *tags: str) -> Json:
    return caller.call("/knowledge/create", {"name": name, "text": text, "tags": list(tags)})["document"]


def ask(caller: Api, query: str, **more: object) -> list[Json]:
    return caller.call("/knowledge/query", {"query": query, **more})["passages"]


def test_what_was_put_in_is_found_and_what_was_taken_out_is_not(caller: Api) -> None:
    document = put_in(caller, "Warranty", "The zebra machine lasts 27 months.", "note")
    put_in(caller, "Weather", "It rains in the north.", "sky")
    assert caller.call("/knowledge/get", {"id": document["id"]})["document"] == document
    assert (document["tags"], document["passages"], document["fileId"]) == (["note"], 1, None)
    [passage] = ask(caller, "how long does the zebra last", topK=1)
    assert passage["document"] == {"id": document["id"], "name": "Warranty"}
    assert (passage["position"], passage["text"]) == (0, "The zebra machine lasts 27 months.")
    assert passage["score"] > 0
    assert ask(caller, "zebra", tags=["sky"]) == []
    assert caller.call("/knowledge/list", {"tags": ["sky"]})["total"] == 1
    caller.call("/knowledge/delete", {"id": document["id"]})
    assert ask(caller, "zebra") == []
    assert caller.post("/knowledge/get", {"id": document["id"]}).status_code == 404


def test_a_pdf_is_read(caller: Api) -> None:
    paper = io.BytesIO()
    canvas = Canvas(paper)
    canvas.drawString(72, 700, "Giraffes are insured up to 900 dollars.")
    canvas.save()
    content = base64.b64encode(paper.getvalue()).decode()
    file = caller.call("/files/upload", {"name": "policy.pdf", "contentBase64": content})["file"]
    document = caller.call("/knowledge/create", {"name": "Policy", "fileId": file["id"]})["document"]
    assert document["fileId"] == file["id"]
    assert "900 dollars" in ask(caller, "giraffe insurance")[0]["text"]


@pytest.mark.parametrize(
    ("name", "content", "query"),
    [
        ("a.html", b"<html><body><script>var no</script><p>The zebra rests</p></body></html>", "zebra rests"),
        ("a.csv", b"animal,price\nzebra,12\n", "zebra"),
        ("a.md", b"# Zebra\n\nIt rests.", "zebra"),
    ],
)
def test_other_kinds_of_files_are_read(caller: Api, name: str, content: bytes, query: str) -> None:
    fields = {"name": name, "contentBase64": base64.b64encode(content).decode()}
    file = caller.call("/files/upload", fields)["file"]
    caller.call("/knowledge/create", {"name": name, "fileId": file["id"]})
    assert ask(caller, query)
    assert ask(caller, "script") == []


def test_a_file_that_cannot_be_read_is_refused(caller: Api) -> None:
    fields = {"name": "broken.pdf", "contentBase64": base64.b64encode(b"%PDF-1.7 nothing").decode()}
    file = caller.call("/files/upload", fields)["file"]
    answer = caller.post("/knowledge/create", {"name": "x", "fileId": file["id"]})
    assert answer.status_code == 400
    assert "`fileId`" in answer.json()["error"]


@pytest.mark.parametrize("fields", [{}, {"text": "a", "fileId": "file_1"}, {"text": " "}])
def test_exactly_one_source_of_text_is_needed(caller: Api, fields: Json) -> None:
    answer = caller.post("/knowledge/create", {"name": "x", **fields})
    assert answer.status_code == 400
    assert "`text`" in answer.json()["error"]


def test_a_block_puts_out_passages(caller: Api) -> None:
    put_in(caller, "Warranty", "The zebra machine lasts 27 months.", "note")
    put_in(caller, "Other", "The zebra machine is striped.", "else")
    block = {
        "type": "QueryKnowledgeBase",
        "blockReferenceId": "found",
        "data": {"query": "{{params.what}} machine", "topK": 3, "tags": ["note"]},
    }
    done = caller.run(block, params={"what": "zebra"})
    assert done["status"] == "Completed", done["errorAnalysis"]
    [passage] = done["response"]["found"]
    assert (passage["document"]["name"], passage["position"]) == ("Warranty", 0)


def test_an_answer_needs_a_model(caller: Api) -> None:
    put_in(caller, "Warranty", "The zebra machine lasts 27 months.")
    data = {"query": "zebra", "prompt": "How long does it last?"}
    done = caller.run({"type": "QueryKnowledgeBase", "blockReferenceId": "found", "data": data})
    assert done["status"] == "Failed"
    assert "PAGEHAND_MODEL" in done["errorAnalysis"]


def test_a_run_finds_nothing_of_another_organization(caller: Api, service: RunningService) -> None:
    stranger = service.api(add_key(service, "stranger to knowledge"))
    put_in(stranger, "Secret", "The quagga machine is ours.")
    block = {"type": "QueryKnowledgeBase", "blockReferenceId": "found", "data": {"query": "quagga"}}
    assert caller.run(block)["response"] == {"found": []}

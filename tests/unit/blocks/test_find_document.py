"""FindDocument finds a file by its name, its type, or the words in it."""

from typing import Any

import pytest

from pagehand.blocks import examples, kinds
from pagehand.errors import InvalidRequest
from pagehand.testing import Harness
from support import documents

pytestmark = pytest.mark.anyio


async def found(harness: Harness, **data: Any) -> str | None:
    downloads: list[dict[str, Any]] = []
    for name, mime_type, content in (
        ("invoice-01.pdf", "application/pdf", documents.invoice("INV-0001")),
        ("download(2).pdf", "application/pdf", documents.statement()),
        ("Rental agreement 2026.docx", "application/x-word", documents.letter()),
        ("photo.png", "image/png", b"\x89PNG\r\n"),
        ("broken.pdf", "application/pdf", b"%PDF-1.4 nothing"),
        ("invoice-02.pdf", "application/pdf", documents.invoice("INV-0002")),
    ):
        downloads.append(await harness.add_file(name, content, mime_type))
    await harness.knowledge.add_text(
        harness.organization_id, "invoices", "What an invoice says of anything", [], downloads[-1]["id"]
    )
    done = await harness.run(
        {"type": "FindDocument", "blockReferenceId": "it", "data": data}, downloads=downloads
    )
    output = done.outputs["it"]
    return output["name"] if output is not None else None


async def test_examples_run_as_shown(harness: Harness) -> None:
    kind = kinds().kind_named("FindDocument")
    assert kind is not None
    names = [await found(harness, **example["data"]) for example in examples(kind)]
    assert names == ["invoice-02.pdf", "Rental agreement 2026.docx"]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({"namePattern": "INVOICE-*"}, "invoice-02.pdf"),
        ({"namePattern": "*.zip"}, None),
        ({"query": "statement of account"}, "download(2).pdf"),
        ({"query": "invoice INV 0001"}, "invoice-01.pdf"),
        ({"query": "elephants"}, None),
        ({"mimeType": "image/*"}, "photo.png"),
        ({"query": "rental agreement", "mimeType": "application/pdf"}, None),
        ({"query": "agreement", "in": "files"}, "Rental agreement 2026.docx"),
        ({"query": "anything", "in": "knowledge"}, "invoice-02.pdf"),
    ],
)
async def test_the_best_file_is_found(harness: Harness, data: dict[str, Any], name: str | None) -> None:
    assert await found(harness, **data) == name


@pytest.mark.parametrize("data", [{}, {"in": "files"}, {"query": "x", "in": "attic"}])
def test_it_says_what_it_needs(data: dict[str, Any]) -> None:
    kind = kinds().kind_named("FindDocument")
    assert kind is not None
    with pytest.raises(InvalidRequest):
        kind.check(data, None)

"""RemovePagesFromPdf takes pages out, and what only they held."""

import io
from typing import Any

import pytest
from pypdf import PdfReader

from pagehand.blocks import examples, kinds
from pagehand.errors import BlockFailed, InvalidRequest
from pagehand.testing import Harness
from support import documents
from support.blocks import value

pytestmark = pytest.mark.anyio


async def shortened(harness: Harness, content: bytes, **data: Any) -> bytes:
    info = await harness.add_file("long.pdf", content, "application/pdf")
    definition = {
        "type": "RemovePagesFromPdf",
        "blockReferenceId": "it",
        "data": {"file": info["id"], **data},
    }
    done = await harness.run(definition)
    return await harness.read_file(done.outputs["it"])


async def test_examples_run_as_shown(harness: Harness) -> None:
    kind = kinds().kind_named("RemovePagesFromPdf")
    assert kind is not None
    for example in examples(kind):
        info = await harness.add_file("long.pdf", documents.pages(6), "application/pdf")
        download = value("download", info)
        done = await harness.run(download, {**example, "blockReferenceId": "it"})
        assert done.outputs["it"]["name"] == "short.pdf"


@pytest.mark.parametrize(
    ("pages", "left"),
    [("1", [2, 3, 4, 5]), ("1,3-4,-1", [2]), ("-2--1", [1, 2, 3]), (" 2 - 5 ", [1]), ("2-2,2", [1, 3, 4, 5])],
)
async def test_the_named_pages_go(harness: Harness, pages: str, left: list[int]) -> None:
    short = await shortened(harness, documents.pages(5), pages=pages)
    assert documents.text_of_pdf(short).split("\n") == [f"This is page {item}" for item in left]


async def test_nothing_of_a_removed_page_is_left_in_the_file(harness: Harness) -> None:
    short = await shortened(harness, documents.tax_form(), pages="1")
    reader = PdfReader(io.BytesIO(short))
    assert list(reader.get_fields() or {}) == ["place"]
    every: list[Any] = [reader.get_object(number) for number in range(1, 60)]
    streams: list[bytes] = [item.get_data() for item in every if hasattr(item, "get_data")]
    assert not any(b"Annual return" in stream for stream in streams)
    assert any(b"Declaration" in stream for stream in streams)


@pytest.mark.parametrize(
    ("pages", "sentence"),
    [
        ("1-5", "all 5 pages"),
        ("6", "there is no page 6"),
        ("-6", "there is no page -6"),
        ("4-2", "backwards"),
    ],
)
async def test_pages_that_are_not_there_are_named(harness: Harness, pages: str, sentence: str) -> None:
    with pytest.raises(BlockFailed, match=sentence):
        await shortened(harness, documents.pages(5), pages=pages)


def test_pages_that_are_none_are_refused_early() -> None:
    kind = kinds().kind_named("RemovePagesFromPdf")
    assert kind is not None
    kind.check({"file": "x", "pages": "{{params.pages}}"}, None)
    with pytest.raises(InvalidRequest, match="`first` is not a page or range"):
        kind.check({"file": "x", "pages": "first"}, None)


async def test_an_encrypted_pdf_needs_its_password(harness: Harness) -> None:
    locked = documents.encrypted(documents.pages(2), "sesame")
    short = await shortened(harness, locked, pages="1", password="sesame")
    assert documents.text_of_pdf(short) == "This is page 2"
    with pytest.raises(BlockFailed, match="encrypted: give its `password`"):
        await shortened(harness, locked, pages="1")

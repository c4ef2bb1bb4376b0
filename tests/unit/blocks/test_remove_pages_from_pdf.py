"""RemovePagesFromPdf takes pages out, and what only they held."""

import io
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pypdf import PdfReader

from pagehand.blocks import examples, kinds
from pagehand.errors import BlockFailed, InvalidRequest
from support import documents
from support.blocks import value

pytestmark = pytest.mark.anyio
Perform = Callable[..., Awaitable[Any]]
NewRun = Callable[..., Any]


async def shortened(perform: Perform, new_run: NewRun, content: bytes, **data: Any) -> bytes:
    run = new_run()
    info = await run.files.save("long.pdf", "application/pdf", content)
    definition = {"type": "RemovePagesFromPdf", "blockReferenceId": "it", "data": {"file": info.id, **data}}
    done = await perform(definition, run=run)
    return await run.files.read(await run.files.find(done.outputs["it"]))


async def test_examples_run_as_shown(perform: Perform, new_run: NewRun) -> None:
    kind = kinds().find("RemovePagesFromPdf")
    assert kind is not None
    for example in examples(kind):
        run = new_run()
        info = await run.files.save("long.pdf", "application/pdf", documents.pages(6))
        download = value("download", run.files.describe(info))
        done = await perform(download, {**example, "blockReferenceId": "it"}, run=run)
        assert done.outputs["it"]["name"] == "short.pdf"


@pytest.mark.parametrize(
    ("pages", "left"),
    [("1", [2, 3, 4, 5]), ("1,3-4,-1", [2]), ("-2--1", [1, 2, 3]), (" 2 - 5 ", [1]), ("2-2,2", [1, 3, 4, 5])],
)
async def test_the_named_pages_go(perform: Perform, new_run: NewRun, pages: str, left: list[int]) -> None:
    short = await shortened(perform, new_run, documents.pages(5), pages=pages)
    assert documents.text_of_pdf(short).split("\n") == [f"This is page {one}" for one in left]


async def test_nothing_of_a_removed_page_is_left_in_the_file(perform: Perform, new_run: NewRun) -> None:
    short = await shortened(perform, new_run, documents.tax_form(), pages="1")
    reader = PdfReader(io.BytesIO(short))
    assert list(reader.get_fields() or {}) == ["place"]
    every: list[Any] = [reader.get_object(number) for number in range(1, 60)]
    streams: list[bytes] = [one.get_data() for one in every if hasattr(one, "get_data")]
    assert not any(b"Annual return" in one for one in streams)
    assert any(b"Declaration" in one for one in streams)


@pytest.mark.parametrize(
    ("pages", "sentence"),
    [
        ("1-5", "all 5 pages"),
        ("6", "there is no page 6"),
        ("-6", "there is no page -6"),
        ("4-2", "backwards"),
    ],
)
async def test_pages_that_are_not_there_are_named(
    perform: Perform, new_run: NewRun, pages: str, sentence: str
) -> None:
    with pytest.raises(BlockFailed, match=sentence):
        await shortened(perform, new_run, documents.pages(5), pages=pages)


def test_pages_that_are_none_are_refused_early() -> None:
    kind = kinds().find("RemovePagesFromPdf")
    assert kind is not None
    kind.check({"file": "x", "pages": "{{params.pages}}"}, None)
    with pytest.raises(InvalidRequest, match="`first` is no page or range"):
        kind.check({"file": "x", "pages": "first"}, None)


async def test_an_encrypted_pdf_needs_its_password(perform: Perform, new_run: NewRun) -> None:
    locked = documents.encrypted(documents.pages(2), "sesame")
    short = await shortened(perform, new_run, locked, pages="1", password="sesame")
    assert documents.text_of_pdf(short) == "This is page 2"
    with pytest.raises(BlockFailed, match="encrypted: give its `password`"):
        await shortened(perform, new_run, locked, pages="1")

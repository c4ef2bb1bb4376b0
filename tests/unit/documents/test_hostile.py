"""Documents that are made to do harm fail with a sentence, in time, and leave the service as it was."""

import asyncio
import os
import random
import resource
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pagehand.documents import LARGEST_DOCUMENT, DocumentProcess, reader_of
from pagehand.documents.process import commands
from pagehand.errors import BlockFailed, TimedOut
from support import documents

pytestmark = pytest.mark.anyio

_SHEET_NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_WORD_NAMESPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
FILL: dict[str, Any] = {"sheet": None, "cells": {"A1": 1}, "rows": [], "headerRow": 1}


@pytest.fixture(scope="module")
async def process() -> AsyncIterator[DocumentProcess]:
    process = DocumentProcess()
    yield process
    await process.close()


def sparse_workbook() -> bytes:
    """One cell at the first and one at the last place there is."""
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    sheet = f'<worksheet xmlns="{_SHEET_NAMESPACE}"><sheetData>{rows}</sheetData></worksheet>'
    return documents.with_part(documents.workbook([[1]]), "xl/worksheets/sheet1.xml", sheet.encode())


def xml_bombs() -> list[tuple[str, bytes]]:
    sheet = documents.xml_bomb("worksheet", _SHEET_NAMESPACE)
    strings = documents.xml_bomb("sst", _SHEET_NAMESPACE)
    text = documents.xml_bomb("w:document", _WORD_NAMESPACE).replace(b"xmlns=", b"xmlns:w=")
    return [
        ("readSheets", documents.with_part(documents.workbook([["a"]]), "xl/worksheets/sheet1.xml", sheet)),
        ("readSheets", documents.with_part(documents.workbook([["a"]]), "xl/sharedStrings.xml", strings)),
        ("fillSheet", documents.with_part(documents.workbook([["a"]]), "xl/worksheets/sheet1.xml", sheet)),
        ("fillSheet", documents.with_part(documents.workbook([["a"]]), "xl/sharedStrings.xml", strings)),
        ("readWord", documents.with_part(documents.letter(), "word/document.xml", text)),
        ("fillWord", documents.with_part(documents.letter(), "word/document.xml", text)),
    ]


async def attempt(
    process: DocumentProcess, task: str, content: bytes, seconds: float = 10, **more: Any
) -> Any:
    """The value, or the sentence of the failure."""

    async def keep(name: str, made: bytes, /) -> None:
        del name, made

    options = {**FILL, "values": {"a": "b"}, "pages": None, **more}
    try:
        return await process.perform(task, content, options, timeout_seconds=seconds, keep=keep)
    except BlockFailed as failure:
        return failure.message


@pytest.mark.slow
async def test_a_flate_bomb_in_a_pdf_ends_within_its_limits(process: DocumentProcess) -> None:
    bomb = documents.pdf_with(documents.flate_bomb(400), b"/Filter /FlateDecode")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "MB of memory" in await attempt(process, "readPdf", bomb)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 * 1024
    assert await attempt(process, "readText", b"still there")


async def test_a_pdf_that_takes_for_ever_is_stopped(process: DocumentProcess) -> None:
    slow = documents.pdf_with(b"BT /F 1 Tf " + b"(abcdefghij) Tj " * 400_000 + b"ET")
    with pytest.raises(TimedOut, match=r"longer than 0\.3 s"):
        await process.perform("readPdf", slow, {}, timeout_seconds=0.3)


async def test_a_workbook_that_claims_every_cell_there_is_fails(process: DocumentProcess) -> None:
    assert "MB of memory" in await attempt(process, "readSheets", sparse_workbook())


@pytest.mark.parametrize(("task", "bomb"), xml_bombs())
async def test_xml_bombs_do_not_go_off(process: DocumentProcess, task: str, bomb: bytes) -> None:
    answer = await attempt(process, task, bomb)
    assert "lollollol" not in str(answer)
    assert "took longer" not in str(answer)


async def test_an_outside_entity_is_not_read(process: DocumentProcess) -> None:
    text = (
        b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><w:document xmlns:w="'
        + _WORD_NAMESPACE.encode()
        + b'"><w:body><w:p><w:r><w:t>[&e;]</w:t></w:r></w:p></w:body></w:document>'
    )
    answer = await attempt(
        process, "readWord", documents.with_part(documents.letter(), "word/document.xml", text)
    )
    assert "root:" not in str(answer)


@pytest.mark.slow
async def test_a_package_that_unpacks_to_too_much_is_refused(process: DocumentProcess) -> None:
    big = documents.archive({"word/document.xml": bytes(301 * 1024 * 1024)})
    assert "unpacks to more than" in await attempt(process, "readWord", big)


@pytest.mark.slow
async def test_deep_nesting_is_survived(process: DocumentProcess) -> None:
    assert "text" in str(await attempt(process, "readHtml", b"<div>" * 2000 + b"text"))
    assert "was stopped" in await attempt(process, "readHtml", b"<div>" * 100_000 + b"text", seconds=1)
    parts = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (at, at) for at in range(3000)
    )
    assert await attempt(process, "readMail", b"From: a@b.c\n" + parts)


@pytest.mark.slow
async def test_damaged_documents_of_every_kind_fail_with_a_sentence(process: DocumentProcess) -> None:
    chance = random.Random(7)  # noqa: S311 - the same damage every time
    whole = {
        "readPdf": documents.tax_form(),
        "fillPdf": documents.tax_form(),
        "removePages": documents.pages(3),
        "readWord": documents.letter(),
        "fillWord": documents.offer_template(),
        "readSheets": documents.workbook([["a", 1], ["b", 2]]),
        "fillSheet": documents.workbook([["a", 1], ["b", 2]]),
        "unzip": documents.archive({"a": b"text", "b": b"more"}),
    }
    for task, content in whole.items():
        for _ in range(25):
            broken = bytearray(content)
            for _ in range(chance.choice((1, 5, 50))):
                broken[chance.randrange(len(broken))] = chance.randrange(256)
            cut = chance.choice((len(broken), chance.randrange(len(broken))))
            answer = await attempt(
                process, task, bytes(broken[:cut]), pages="1" if task == "removePages" else None
            )
            assert answer is not None


@pytest.mark.parametrize(
    "content", [b"", b"%PDF-1.4", b"%PDF-1.7\n%%EOF", b"PK\x03\x04", b"\xd0\xcf\x11\xe0" + bytes(600)]
)
async def test_empty_shells_are_named(process: DocumentProcess, content: bytes) -> None:
    for task in ("readPdf", "readWord", "readSheets", "fillPdf", "fillWord", "removePages", "unzip"):
        answer = await attempt(process, task, content, pages="1")
        assert isinstance(answer, str), task
        assert "Traceback" not in answer


async def test_a_program_that_is_not_there_is_named(process: DocumentProcess) -> None:
    answer = await attempt(process, "readImage", b"\x89PNG\r\n", tesseract="/nowhere/tesseract")
    assert answer.startswith("`/nowhere/tesseract` cannot be started")


async def test_a_document_that_is_too_large_is_not_even_sent(process: DocumentProcess) -> None:
    with pytest.raises(BlockFailed, match="65 MB; documents of up to 64 MB"):
        await process.perform("readText", bytes(LARGEST_DOCUMENT + 1024 * 1024), {}, timeout_seconds=5)


_PROBE = """
import os, socket
found = [path for path in ("/proc/1", "/etc/passwd", "/var/lib", "CANARY") if os.path.exists(path)]
try:
    socket.create_connection(("127.0.0.1", PORT), 1)
    found.append("network")
except OSError:
    pass
print(found, dict(os.environ))
"""


def test_inside_bubblewrap_there_are_no_files_network_or_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    isolation, command = commands()[0]
    if isolation != "bubblewrap":
        pytest.skip("bubblewrap is not installed")
    monkeypatch.setenv("CANARY", "secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        canary = tmp_path / "canary"
        canary.write_text("secret")
        probe = _PROBE.replace("PORT", str(server.getsockname()[1])).replace("CANARY", str(canary))
        inside = [*command[: command.index("-S") + 1], "-c", probe]
        done = subprocess.run(inside, capture_output=True, text=True, timeout=20, check=True)  # noqa: S603 - our own command
    assert done.stdout.strip().endswith("}")
    assert "CANARY" not in done.stdout
    assert done.stdout.startswith("[] ")


async def test_orders_at_once_do_not_wait_for_a_slow_one(process: DocumentProcess) -> None:
    slow = documents.pdf_with(b"BT /F 1 Tf " + b"(abcdefghij) Tj " * 400_000 + b"ET")
    held = asyncio.create_task(attempt(process, "readPdf", slow, seconds=3))
    await attempt(process, "readText", b"quick")
    assert not held.done()
    await held


async def gone(process: DocumentProcess) -> bool:
    """True once it has ended, within ten seconds."""
    end = time.monotonic() + 10
    while process.process_id is not None and time.monotonic() < end:  # noqa: ASYNC110 - it tells nobody
        await asyncio.sleep(0.02)
    return process.process_id is None


async def test_a_process_that_died_is_started_again() -> None:
    process = DocumentProcess()
    await process.start()
    assert process.process_id is not None
    os.kill(process.process_id, signal.SIGKILL)
    assert await gone(process)
    assert await attempt(process, "readText", b"again")
    await process.close()


async def test_a_process_without_work_ends_by_itself() -> None:
    process = DocumentProcess(idle_seconds=0.1)
    await attempt(process, "readText", b"once")
    assert await gone(process)
    assert await attempt(process, "readText", b"twice")
    await process.close()


@pytest.mark.parametrize(
    ("content", "name", "mime_type", "task"),
    [
        (b"%PDF-1.7", "a", "", "readPdf"),
        (b"\r\n%PDF-1.7", "a.bin", "", "readPdf"),
        (documents.letter(), "a.zip", "", "readWord"),
        (documents.workbook([[1]]), "a.docx", "", "readSheets"),
        (b"<!DOCTYPE html><p>", "a.txt", "", "readHtml"),
        (b"<p>", "a", "text/html; charset=utf-8", "readHtml"),
        (b"a,b", "a.CSV", "", "readCsv"),
        (b"From: x", "a.eml", "", "readMail"),
        (b"\xff\xd8\xff\xe0", "a.txt", "", "readImage"),
        (b"text", "a", "", "readText"),
    ],
)
def test_what_a_document_is(content: bytes, name: str, mime_type: str, task: str) -> None:
    assert reader_of(content, name, mime_type) == task

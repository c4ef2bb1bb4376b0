"""What goes between the service and the process that opens documents; neither believes the other's sizes."""

import asyncio
import socket
from typing import Any

import orjson
import pytest

from pagehand.documents.frames import FrameError, pack_frame, read_frame, receive_frame
from pagehand.documents.tasks import run_task

pytestmark = pytest.mark.anyio


def framed(header: bytes, content: bytes = b"") -> bytes:
    return len(header).to_bytes(4, "big") + header + content


async def read(raw: bytes, largest: int = 100) -> tuple[dict[str, Any], bytes]:
    reader = asyncio.StreamReader()
    reader.feed_data(raw)
    reader.feed_eof()
    return await read_frame(reader, largest)


async def test_what_is_packed_is_read_again() -> None:
    header, content = await read(b"".join(pack_frame({"kind": "value"}, b"bytes")))
    assert (header["kind"], header["size"], content) == ("value", 5, b"bytes")


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"\xff\xff\xff\xff", "a header of 4294967295 bytes"),
        (framed(b"not json"), "not JSON"),
        (framed(b"[1]"), "without a size"),
        (framed(b"{}"), "without a size"),
        (framed(b'{"size": -1}'), "without a size"),
        (framed(b'{"size": "5"}'), "without a size"),
        (framed(b'{"size": 101}'), "a content of 101 bytes"),
    ],
)
async def test_a_frame_that_is_not_as_agreed_is_refused_before_it_is_read(raw: bytes, reason: str) -> None:
    with pytest.raises(FrameError, match=reason):
        await read(raw)


@pytest.mark.parametrize("raw", [b"", b"\x00", framed(b'{"size": 5}', b"1234")])
async def test_a_frame_that_is_cut_off_is_an_end(raw: bytes) -> None:
    with pytest.raises(asyncio.IncompleteReadError):
        await read(raw)


@pytest.mark.parametrize("raw", [b"", framed(b'{"size": 5}', b"1234")])
def test_a_service_that_goes_away_ends_the_work(raw: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(raw)
        ours.close()
        with pytest.raises(FrameError):
            receive_frame(theirs)


def answers(task: str, content: bytes, **options: Any) -> list[tuple[dict[str, Any], bytes]]:
    """What a document process sends back for one request."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for piece in pack_frame({"options": options}, content):
            ours.sendall(piece)
        run_task(task, theirs)
        theirs.close()
        found: list[tuple[dict[str, Any], bytes]] = []
        raw = b"".join(iter(lambda: ours.recv(65536), b""))
    while raw:
        length = int.from_bytes(raw[:4], "big")
        header = orjson.loads(raw[4 : 4 + length])
        end = 4 + length + header["size"]
        found.append((header, raw[4 + length : end]))
        raw = raw[end:]
    return found


def test_a_request_is_answered_with_its_value() -> None:
    [(header, content)] = answers("readText", b"Hello", lines=False)
    assert header["kind"] == "value"
    assert orjson.loads(content)["pages"][0]["text"] == "Hello"


def test_files_come_before_the_value() -> None:
    options: dict[str, Any] = {"sheet": None, "cells": {"A1": 1}, "rows": [], "headerRow": 1}
    kinds = [header["kind"] for header, _ in answers("fillSheet", b"", **options)]
    assert kinds == ["file", "value"]


@pytest.mark.parametrize(
    ("task", "content", "message"),
    [
        ("unzip", b"plain text", "It is not a zip archive, or a damaged one"),
        ("readPdf", b"%PDF-1.4 and nothing else", "damaged"),
        ("readSheets", b"PK\x03\x04", "damaged"),
    ],
)
def test_what_is_wrong_with_a_document_is_answered_in_a_sentence(
    task: str, content: bytes, message: str
) -> None:
    [(header, reason)] = answers(task, content)
    assert header["kind"] == "error"
    assert message in reason.decode()


def test_no_piece_of_a_frame_is_empty() -> None:
    [only] = pack_frame({"kind": "value"})
    assert only
    assert [bool(piece) for piece in pack_frame({"kind": "value"}, b"x")] == [True, True]

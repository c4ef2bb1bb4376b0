"""Request bodies: within the limit, JSON, and nothing that a store or a parser chokes on."""

import tracemalloc
from collections.abc import Sequence
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.types import Message

from pagehand.api.body import (
    MAX_DEPTH,
    MAX_VALUES,
    ClientDisconnected,
    media_type,
    parse_json,
    read_body,
    reserve_values,
)
from pagehand.api.request_limits import BYTES_PER_BYTE, RequestLimits, RequestUsage
from pagehand.errors import InvalidRequest, NotJson, TooLarge
from pagehand.records import Execution, Json
from pagehand.storage.search_index import search_row

pytestmark = pytest.mark.anyio
JSON = (b"application/json",)


def nested_json(depth: int, opening: str = "[", closing: str = "]") -> bytes:
    return f'{{"a":{opening * (depth - 1)}{closing * (depth - 1)}}}'.encode()


def test_an_empty_body_is_an_empty_object() -> None:
    assert parse_json(b"") == {}


@pytest.mark.parametrize(
    "raw",
    [
        b"[]",
        b"null",
        b'"x"',
        b"1",
        b"{",
        b"{'a':1}",
        b'{"a":NaN}',
        b'{"a":1e999}',
        b'{"a":"\xff"}',
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":"\\ud800"}',
        b"\xef\xbb\xbf{}",
        b'{"a":1}x',
        b" ",
        b'{"a":"\\u0000"}',
        b'{"a":"\\\\\\u0000"}',
        b'{"\\u0000":1}',
        b'{"a":"\0"}',
    ],
)
def test_what_no_field_can_hold_is_refused(raw: bytes) -> None:
    with pytest.raises(InvalidRequest, match=r"^The request body "):
        parse_json(raw)


def test_a_backslash_before_the_letters_of_a_nul_is_text() -> None:
    assert parse_json(b'{"a":"\\\\u0000"}') == {"a": "\\u0000"}


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"b":', "}")])
def test_depth_is_counted_through_arrays_and_objects(opening: str, closing: str) -> None:
    inner = "1" if opening != "[" else ""
    good = nested_json(MAX_DEPTH, opening, closing).replace(b":}", f":{inner}}}".encode())
    deep = nested_json(MAX_DEPTH + 1, opening, closing).replace(b":}", f":{inner}}}".encode())
    parse_json(good)
    with pytest.raises(InvalidRequest, match=f"more than {MAX_DEPTH} levels deep"):
        parse_json(deep)


@pytest.mark.parametrize(
    "text",
    ["[" * 1000, "{" * 1000, ("[" * 70) + '\\"' + ("]" * 70), "\\\\" + "[" * 100, '\\\\\\"' + "[" * 100],
)
def test_brackets_within_text_are_text(text: str) -> None:
    raw = f'{{"a":"{text}"}}'.encode()
    assert parse_json(raw) == orjson.loads(raw)


def test_a_hundred_thousand_levels_are_refused_at_once() -> None:
    with pytest.raises(InvalidRequest):
        parse_json(b'{"a":' + b"[" * 100_000)


def test_too_many_values_are_refused() -> None:
    parse_json(b'{"a":[' + b"1," * (MAX_VALUES - 10) + b"1]}")
    with pytest.raises(InvalidRequest, match="more than 250,000 values"):
        parse_json(b'{"a":[' + b"1," * (MAX_VALUES + 1) + b"1]}")


def test_commas_within_text_are_text() -> None:
    assert len(parse_json(b'{"a":"' + b"," * (MAX_VALUES + 1) + b'"}')["a"]) == MAX_VALUES + 1


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(exclude_characters="\0", codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_characters="\0", codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=30,
)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=5), values, max_size=5
    )
)
def test_whatever_json_there_is_comes_back_as_it_was(value: dict[str, Any]) -> None:
    assert parse_json(orjson.dumps(value)) == value


class FakeReceive:
    """The `receive` of an ASGI server, with a body in pieces."""

    def __init__(self, *pieces: bytes, is_cut_off: bool = False) -> None:
        self.pieces = list(pieces)
        self.is_cut_off = is_cut_off
        self.read = 0

    async def receive(self) -> Message:
        self.read += 1
        if not self.pieces:
            assert self.is_cut_off, "asked for more than there is"
            return {"type": "http.disconnect"}
        piece = self.pieces.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(self.pieces) or self.is_cut_off}


async def read(
    sent: FakeReceive, headers: dict[bytes, bytes], limit: int = 10, accepted: Sequence[bytes] = JSON
) -> bytes:
    usage = RequestUsage(RequestLimits(100, 1000, 1000), "org_1")
    return await read_body(sent.receive, headers, limit, tuple(accepted), usage)


TYPE = {b"content-type": b"application/json; charset=utf-8"}
CHUNKED = {b"transfer-encoding": b"chunked"}


async def test_a_body_in_pieces_is_put_together() -> None:
    assert await read(FakeReceive(b"{", b"", b"}"), {**TYPE, **CHUNKED}) == b"{}"
    assert await read(FakeReceive(b"{}"), {**TYPE, b"content-length": b"2"}) == b"{}"


@pytest.mark.parametrize("headers", [{}, {b"content-length": b"0"}, {b"content-type": b"text/html"}])
async def test_without_a_body_the_type_does_not_matter(headers: dict[bytes, bytes]) -> None:
    sent = FakeReceive()
    assert await read(sent, headers) == b""
    assert sent.read == 0


async def test_an_empty_chunked_body_needs_no_type() -> None:
    assert await read(FakeReceive(b""), CHUNKED) == b""


@pytest.mark.parametrize(
    "kind", [None, b"text/plain", b"application/jsonx", b"application/x-www-form-urlencoded"]
)
async def test_another_type_is_refused_before_the_size(kind: bytes | None) -> None:
    headers = {b"content-type": kind} if kind else {}
    with pytest.raises(NotJson):
        await read(FakeReceive(b"x"), {**headers, b"content-length": b"99"})
    with pytest.raises(NotJson):
        await read(FakeReceive(b"x"), {**headers, **CHUNKED})


async def test_a_length_over_the_limit_is_refused_unread() -> None:
    sent = FakeReceive(b"x" * 11)
    with pytest.raises(TooLarge, match="over the limit of 10 bytes"):
        await read(sent, {**TYPE, b"content-length": b"11"})
    assert sent.read == 0


async def test_a_body_that_grows_over_the_limit_is_refused_while_it_is_read() -> None:
    sent = FakeReceive(*[b"1234"] * 100)
    with pytest.raises(TooLarge):
        await read(sent, {**TYPE, **CHUNKED})
    assert sent.read == 3
    assert await read(FakeReceive(b"12345", b"67890"), {**TYPE, **CHUNKED}) == b"1234567890"


@pytest.mark.parametrize("length", [b"-1", b"+1", b"1e3", b"", b" 1", b"0x10", b"9" * 19, b"\xb2"])
async def test_a_length_that_is_not_a_number_is_refused(length: bytes) -> None:
    with pytest.raises(InvalidRequest, match="`Content-Length`"):
        await read(FakeReceive(b"x"), {**TYPE, b"content-length": length})


async def test_a_client_that_goes_away_is_gone() -> None:
    with pytest.raises(ClientDisconnected):
        await read(FakeReceive(b"{", is_cut_off=True), {**TYPE, **CHUNKED})


@pytest.mark.parametrize(
    ("header", "kind"),
    [(b"Application/JSON", b"application/json"), (b" a/b ; c=d;e", b"a/b"), (b";", b""), (b"", b"")],
)
def test_a_type_is_read_without_case_and_parameters(header: bytes, kind: bytes) -> None:
    assert media_type({b"content-type": header}) == kind


@pytest.mark.anyio
@pytest.mark.parametrize("row", ['{"a":1,"b":"some text %d"}', '{"x":"t%d"}', '{"x":{"y":[%d]}}'])
async def test_as_much_memory_is_reserved_as_the_objects_of_a_body_take(row: str) -> None:
    raw = f'{{"params":[{",".join(row % number for number in range(5_000))}]}}'.encode()
    reserved = _Reserved()
    await reserve_values(raw, reserved)
    tracemalloc.start()
    try:
        body = parse_json(raw)
        # what accepting an execution does with its params
        search_row(_execution(body))
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert reserved.bytes + (BYTES_PER_BYTE - 1) * len(raw) >= taken


def _execution(params: Json) -> Execution:
    return Execution(
        id="exec_1",
        organization_id="org_a",
        workflow_id="wf_1",
        workflow_name="Invoices",
        workflow_version=1,
        browser_session_id="bs_1",
        accepted_at=1,
        start_time=1,
        deadline_at=2,
        params=params,
    )


class _Reserved(RequestUsage):
    def __init__(self) -> None:
        super().__init__(RequestLimits(1, 1, 1), "")
        self.bytes = 0

    async def wait_for_memory(self, size: int) -> None:
        self.bytes += size

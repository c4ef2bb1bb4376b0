"""What an API block sends: the query, the body in each form, and the authorization."""

from typing import Any

import pytest
from pydantic import ValidationError

from pagehand.blocks.http_request import Auth, Body, with_query, write_body
from pagehand.errors import BlockFailed
from support.memory_files import MemoryFiles

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("url", "query", "full"),
    [
        ("https://a.example/x", {}, "https://a.example/x"),
        ("https://a.example/x", {"q": "a b&c"}, "https://a.example/x?q=a+b%26c"),
        ("https://a.example/x?y=1", {"q": 2}, "https://a.example/x?y=1&q=2"),
        ("https://a.example/x#f", {"q": True}, "https://a.example/x?q=true#f"),
        ("https://a.example/x", {"q": [1, None, "2"]}, "https://a.example/x?q=1&q=2"),
        ("https://a.example/x", {"q": None}, "https://a.example/x"),
        ("https://a.example/x", {"q": {"a": 1}}, "https://a.example/x?q=%7B%22a%22%3A+1%7D"),
    ],
)
def test_values_are_added_to_the_query(url: str, query: dict[str, Any], full: str) -> None:
    assert with_query(url, query) == full


def test_an_address_that_cannot_be_read_fails_with_its_field() -> None:
    with pytest.raises(BlockFailed, match=r"`data\.route` is not an address"):
        with_query("https://[a/", {"q": 1})


@pytest.mark.parametrize(
    ("given", "body_type", "body"),
    [
        (None, None, Body()),
        ({"a": [1, "é"]}, None, Body('{"a":[1,"é"]}'.encode(), "application/json")),
        ([1], "json", Body(b"[1]", "application/json")),
        ("as it is", None, Body(b"as it is", "text/plain; charset=utf-8")),
        ("quoted", "json", Body(b'"quoted"', "application/json")),
        ({"a": 1}, "text", Body(b'{"a": 1}', "text/plain; charset=utf-8")),
        (
            {"a": "x y", "b": [1, 2], "c": None},
            "form",
            Body(b"a=x+y&b=1&b=2", "application/x-www-form-urlencoded"),
        ),
    ],
)
async def test_a_body_is_written_as_its_type_says(given: Any, body_type: Any, body: Body) -> None:
    assert await write_body(given, body_type, MemoryFiles()) == body


@pytest.mark.parametrize("body_type", ["form", "multipart"])
@pytest.mark.parametrize("given", ["a=1", [1], 5])
async def test_a_form_is_made_of_fields(given: Any, body_type: Any) -> None:
    with pytest.raises(BlockFailed, match=f"a {body_type} body is an object of fields"):
        await write_body(given, body_type, MemoryFiles())


async def test_a_number_that_json_has_no_room_for_fails_with_its_field() -> None:
    with pytest.raises(BlockFailed, match=r"`data\.data` cannot be written as JSON"):
        await write_body({"n": 10**30}, None, MemoryFiles())


async def test_a_file_is_sent_whole_with_its_type() -> None:
    files = MemoryFiles()
    info = await files.save("a.pdf", "application/pdf", b"%PDF")
    assert await write_body(info.id, "file", files) == Body(b"%PDF", "application/pdf")


async def test_a_multipart_form_holds_files_and_texts() -> None:
    files = MemoryFiles()
    info = files.describe(await files.save("a.txt", "text/plain", b"content"))
    body = await write_body({"note": ["x", "y"], "none": None, "file": info}, "multipart", files)
    assert (body.mime_type or "").startswith("multipart/form-data; boundary=")
    assert body.content.count(b'name="note"') == 2
    assert b'name="file"; filename="a.txt"' in body.content
    assert b"content" in body.content
    assert b'name="none"' not in body.content


async def test_a_multipart_form_without_files_is_one_all_the_same() -> None:
    body = await write_body({"id": "file_1"}, "multipart", MemoryFiles())
    assert (body.mime_type or "").startswith("multipart/form-data")
    assert b"file_1" in body.content


@pytest.mark.parametrize(
    ("auth", "header", "query"),
    [
        (
            {"type": "basic", "username": "ann", "password": "p:w"},
            ("Authorization", "Basic YW5uOnA6dw=="),
            {},
        ),
        ({"type": "bearer", "token": "t0k"}, ("Authorization", "Bearer t0k"), {}),
        ({"type": "header", "name": "X-Key", "value": "k"}, ("X-Key", "k"), {}),
        ({"type": "query", "name": "key", "value": "k"}, None, {"key": "k"}),
    ],
)
def test_credentials_go_where_their_type_says(auth: Any, header: Any, query: Any) -> None:
    made = Auth.model_validate(auth)
    assert (made.header, made.query) == (header, query)


@pytest.mark.parametrize(
    ("auth", "missing"),
    [
        ({"type": "basic", "username": "ann"}, "password"),
        ({"type": "bearer"}, "token"),
        ({"type": "header", "name": "X"}, "value"),
        ({"type": "query", "value": "k"}, "name"),
    ],
)
def test_credentials_that_lack_a_part_are_refused(auth: Any, missing: str) -> None:
    with pytest.raises(ValidationError, match=f"needs `{missing}`"):
        Auth.model_validate(auth)


def test_what_an_echo_could_show_is_among_the_secrets() -> None:
    made = Auth(type="basic", username="{u}", password="{p}").revealed(
        lambda text: {"{u}": "ann", "{p}": "hunter2"}[text]
    )
    assert made.secrets == ["hunter2", "YW5uOmh1bnRlcjI="]

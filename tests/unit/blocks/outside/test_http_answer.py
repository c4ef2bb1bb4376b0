"""What an API block makes of an answer: statuses, patience, and a body by its content type."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from pagehand.blocks import http_answer as answers
from pagehand.errors import BlockFailed, SiteDown
from pagehand.ports import HttpAnswer
from support.memory_files import MemoryFiles

pytestmark = pytest.mark.anyio
URL = "https://api.example/files/list%20of%20all.bin?x=1"


def answer(body: bytes = b"", status: int = 200, headers: dict[str, str] | None = None) -> HttpAnswer:
    named = [(name.replace("_", "-"), value) for name, value in (headers or {}).items()]
    return HttpAnswer(status=status, url=URL, headers=named, body=body)


@pytest.mark.parametrize(
    ("given", "fine", "unfit"),
    [
        (None, [200, 204, 302, 399], [199, 400, 404, 500]),
        (404, [404], [200]),
        ([200, "404"], [200, 404], [201]),
        ("200-202", [200, 202], [199, 203]),
        ("2xx, 404", [200, 299, 404], [300]),
        (["5xx"], [500, 599], [499]),
    ],
)
def test_expected_statuses_are_numbers_ranges_or_classes(
    given: Any, fine: list[int], unfit: list[int]
) -> None:
    expected = answers.read_statuses(given)
    assert [status for status in (*fine, *unfit) if answers.is_expected(status, expected)] == fine


@pytest.mark.parametrize("given", ["ok", "", "2x", "600", "099", "200,", "299-200", "6xx", -1])
def test_what_is_not_a_status_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match=r"is not a status|runs backwards"):
        answers.read_statuses(given)


def test_an_unexpected_status_quotes_the_body_and_says_what_was_expected() -> None:
    failure = answers.unexpected(
        answer(b'{"error": "no such order"}', 404), answers.read_statuses("200-202,204"), "`GET /x`"
    )
    assert isinstance(failure, BlockFailed)
    assert failure.message == '`GET /x` answered with status 404: {"error": "no such order"}'
    assert failure.diagnosis.expected == "a status of 200 to 202, 204"


@pytest.mark.parametrize("status", [500, 502, 503, 599])
def test_an_error_of_the_server_is_the_outside_being_down(status: int) -> None:
    failure = answers.unexpected(answer(b"", status), answers.read_statuses(None), "`GET /x`")
    assert isinstance(failure, SiteDown)
    assert failure.message == f"`GET /x` answered with status {status}."


def test_a_long_body_is_cut_and_may_end_within_a_letter() -> None:
    failure = answers.unexpected(answer("é".encode() * 5_000, 400), answers.read_statuses(None), "it")
    assert failure.message.count("é") == 300


@pytest.mark.parametrize(
    ("header", "tries", "seconds"),
    [("7", 0, 7), ("0", 3, 0), (None, 0, 1), (None, 3, 8), ("soon", 1, 2), ("-5", 2, 4), ("9" * 12, 0, 1)],
)
def test_patience_is_what_the_server_asks_for_or_grows(
    header: str | None, tries: int, seconds: float
) -> None:
    headers = {} if header is None else {"retry_after": header}
    assert answers.retry_after(answer(headers=headers), tries) == seconds


@pytest.mark.parametrize(("ahead", "least", "most"), [(30, 25, 31), (-30, 0, 0)])
def test_patience_may_be_asked_for_as_a_moment(ahead: int, least: float, most: float) -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=ahead), usegmt=True)
    assert least <= answers.retry_after(answer(headers={"retry_after": moment}), 0) <= most


@pytest.mark.parametrize(
    ("content_type", "body", "data"),
    [
        ("application/json", b'{"a": [1, 2.5, null]}', {"a": [1, 2.5, None]}),
        ("Application/JSON; charset=utf-8", b"[1]", [1]),
        ("application/problem+json", b'{"title": "no"}', {"title": "no"}),
        ("application/json", b"not json", "not json"),
        ("application/json", b"[" * 150 + b"]" * 150, "[" * 150 + "]" * 150),
        ("text/plain", "Zürich".encode(), "Zürich"),
        ("text/plain; charset=iso-8859-1", "Zürich".encode("latin-1"), "Zürich"),
        ("text/plain; charset=klingon", "Zürich".encode(), "Zürich"),
        ("application/xml", b"<a/>", "<a/>"),
        ("image/svg+xml", b"<svg/>", "<svg/>"),
        ("", b"plainly text", "plainly text"),
        ("application/json", b"", None),
        ("application/pdf", b"", None),
    ],
)
async def test_a_body_is_read_by_its_content_type(content_type: str, body: bytes, data: Any) -> None:
    headers = {"content_type": content_type} if content_type else {}
    assert await answers.read_data(answer(body, headers=headers), None, MemoryFiles()) == data


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        ({"content_type": "application/pdf"}, "list of all.bin"),
        ({"content_type": "image/png", "content_disposition": 'attachment; filename="a.png"'}, "a.png"),
        (
            {"content_type": "image/png", "content_disposition": 'inline; filename="../../etc/passwd"'},
            "passwd",
        ),
        (
            {"content_type": "image/png", "content_disposition": 'inline; filename="C:\\\\x\\\\y.png"'},
            "y.png",
        ),
        (
            {"content_type": "image/png", "content_disposition": "inline; filename*=UTF-8''%C3%A9.png"},
            "é.png",
        ),
        ({}, "list of all.bin"),
    ],
)
async def test_what_is_neither_data_nor_text_is_kept_as_a_file(headers: dict[str, str], name: str) -> None:
    files = MemoryFiles()
    kept = await answers.read_data(answer(b"\x89PNG\x00", headers=headers), None, files)
    assert (kept["name"], kept["sizeBytes"]) == (name, 5)


async def test_save_as_keeps_any_body_under_its_name_even_an_empty_one() -> None:
    kept = await answers.read_data(
        answer(b"", headers={"content_type": "text/csv"}), "rows.csv", MemoryFiles()
    )
    assert (kept["name"], kept["mimeType"], kept["sizeBytes"]) == ("rows.csv", "text/csv", 0)


async def test_data_that_is_too_large_has_to_be_saved_as_a_file() -> None:
    large = answer(b"x" * (answers.LARGEST_DATA + 1), headers={"content_type": "text/plain"})
    with pytest.raises(BlockFailed, match="`saveAs`"):
        await answers.read_data(large, None, MemoryFiles())

import re
from collections.abc import AsyncIterator
from errno import ENOSPC, EROFS
from typing import TYPE_CHECKING

import pytest
from httpx2 import Response

from pagehand.errors import TooMany, Unavailable

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio

UNKNOWN_KEY = "Bearer ph_0000000000_000000000000"


def assert_refused(answer: Response, status: int, *words: str) -> None:
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error"}
    assert all(word in answer.json()["error"] for word in words), answer.text
    assert answer.headers["x-request-id"]


@pytest.mark.parametrize("path", ["/no/such", "/executions/get/", "/EXECUTIONS/GET", "/v1/executions/get"])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "OPTIONS"])
async def test_unknown_route_is_404_whatever_the_method(api: "Api", path: str, method: str) -> None:
    assert_refused(await api.client.request(method, path), 404)


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"])
async def test_known_route_with_another_method_is_405(api: "Api", method: str) -> None:
    answer = await api.client.request(method, "/executions/get", headers={"authorization": UNKNOWN_KEY})
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"


async def test_wrong_key_comes_before_type_size_and_json(api: "Api") -> None:
    large = b"x" * (11 << 20)
    assert_refused(
        await api.send("/executions/get", large, content_type="text/plain", authorization=UNKNOWN_KEY), 401
    )


async def test_type_comes_before_size_and_size_before_json(api: "Api") -> None:
    large = b"{" * (11 << 20)
    assert_refused(await api.send("/executions/get", large, content_type="text/plain"), 415)
    assert_refused(await api.send("/workflows/create", large), 413, "10,485,760")


@pytest.mark.parametrize(
    ("path", "limit"),
    [("/console/session", 4096), ("/console/session/end", 4096), ("/executions/list", 2 << 20)],
)
async def test_who_may_change_nothing_may_not_send_much(api: "Api", path: str, limit: int) -> None:
    within = await api.send(path, b'{"key": "x"}' + b" " * (limit - 12))
    assert within.status_code in (200, 400, 401)
    assert_refused(await api.send(path, b" " * (limit + 1)), 413, f"{limit:,}")


async def test_chunked_body_is_counted_while_it_comes(api: "Api") -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(11):
            yield b" " * (1 << 20)

    headers = {"content-type": "application/json"}
    assert_refused(await api.client.post("/executions/get", content=chunks(), headers=headers), 413)


async def test_chunked_body_of_another_type_is_415(api: "Api") -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b"{}"

    assert_refused(await api.client.post("/executions/get", content=chunks()), 415)


@pytest.mark.parametrize(
    "raw",
    [
        b"{nope",
        b"[]",
        b'"x"',
        b"5",
        b"null",
        b'{"id": "a\x00b"}',
        b'{"id": "\xe9"}',
        b"{} {}",
        b'{"id": NaN}',
        b'{"id": "\\u0000"}',
        b'{"\\u0000": 1}',
        b'{"id": "\\ud800"}',
        b'{"limit": 1e999}',
        b'{"params":' + b"[" * 64 + b"]" * 64 + b"}",
        b'{"params":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
async def test_body_that_is_not_a_sound_object_is_400(api: "Api", raw: bytes) -> None:
    assert_refused(await api.send("/executions/list", raw), 400)


async def test_sixty_four_levels_are_allowed(api: "Api") -> None:
    raw = b'{"colour":' + b"[" * 63 + b"]" * 63 + b"}"
    assert (await api.send("/executions/list", raw)).status_code == 200


async def test_escaped_backslash_before_u0000_is_not_a_nul(api: "Api") -> None:
    assert (await api.send("/executions/list", b'{"search": ["\\\\u0000"]}')).status_code == 200


async def test_missing_body_counts_as_empty_object(api: "Api") -> None:
    assert (await api.client.post("/executions/list")).status_code == 200
    assert_refused(await api.client.post("/executions/get"), 400, "`id` is missing")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("limit", "5"),
        ("limit", True),
        ("limit", 1.5),
        ("limit", 0),
        ("limit", 1001),
        ("offset", -1),
        ("status", "completed"),
        ("status", ["Failed"]),
        ("search", "x"),
        ("search", [1]),
        ("isTest", "no"),
        ("fromTs", "yesterday"),
        ("toTs", "2026-13-01T00:00:00Z"),
        ("cursor", "not-a-cursor"),
        ("workflowId", {}),
    ],
)
async def test_field_of_the_wrong_type_is_named(api: "Api", field: str, value: object) -> None:
    assert_refused(await api.post("/executions/list", {field: value}), 400, f"`{field}")


async def test_expected_choices_are_listed(api: "Api") -> None:
    assert_refused(await api.post("/executions/list", {"status": "Done"}), 400, "`Completed`", "`Paused`")


async def test_null_for_an_optional_field_is_not_given_and_unknown_fields_are_ignored(api: "Api") -> None:
    answer = await api.post("/executions/list", {"limit": None, "status": None, "colour": "red"})
    assert answer.status_code == 200


async def test_null_for_a_required_field_is_refused(api: "Api") -> None:
    assert_refused(await api.post("/executions/get", {"id": None}), 400, "`id` is missing")


async def test_our_fault_shows_an_id_and_nothing_else(api: "Api", capsys: pytest.CaptureFixture[str]) -> None:
    workflow = await api.create_workflow()
    api.engine.error = RuntimeError("secret/path")
    answer = await api.post("/workflows/executeSync", {"workflowId": workflow["id"]})
    assert_refused(answer, 500)
    found = re.search(r"err_\w+", answer.json()["error"])
    assert found
    assert "secret/path" not in answer.text
    assert found[0] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("error", "status", "seconds"),
    [
        (TooMany(retry_after_seconds=7), 429, "7"),
        (Unavailable(), 503, "2"),
        (OSError(ENOSPC, "No space left on device", "/secret/path"), 503, "2"),
        (OSError(EROFS, "Read-only file system", "/secret/path"), 503, "2"),
    ],
)
async def test_busy_answers_say_when_to_come_back(
    api: "Api", error: Exception, status: int, seconds: str
) -> None:
    workflow = await api.create_workflow()
    api.engine.error = error
    answer = await api.post("/workflows/executeSync", {"workflowId": workflow["id"]})
    assert_refused(answer, status)
    assert answer.headers["retry-after"] == seconds
    assert "/secret/path" not in answer.text


async def test_sane_request_id_is_echoed_and_an_odd_one_replaced(api: "Api") -> None:
    assert (await api.post("/executions/list", x_request_id="abc-1")).headers["x-request-id"] == "abc-1"
    assert (await api.post("/executions/list", x_request_id="a b")).headers["x-request-id"].startswith("req_")

"""The log's line for each request."""

import asyncio
import io
import json
from functools import partial
from typing import Any

import pytest
import structlog
from structlog.contextvars import bind_contextvars

from pagehand.api.services import TOGETHER_SECONDS, RequestLine, RequestLog
from pagehand.cli.serve import configure_logging

pytestmark = pytest.mark.anyio
Lines = list[dict[str, Any]]


@pytest.fixture
def lines() -> Any:
    with structlog.testing.capture_logs() as lines:
        yield lines


def _ids(lines: Lines) -> list[str]:
    return [line["request"] for line in lines]


async def test_first_request_after_a_pause_is_written_at_once(lines: Lines) -> None:
    RequestLog().add(RequestLine("req_1", "POST", "/tags/list", 200, "org_1"))
    [line] = lines
    assert (line["method"], line["path"], line["status"], line["organization"]) == (
        "POST",
        "/tags/list",
        200,
        "org_1",
    )


async def test_requests_that_follow_at_once_are_written_together_a_moment_later(lines: Lines) -> None:
    log = RequestLog()
    for number in range(4):
        log.add(RequestLine(f"req_{number}", "POST", "/tags/list", 200))
    assert _ids(lines) == ["req_0"]
    await asyncio.sleep(TOGETHER_SECONDS * 2)
    assert _ids(lines) == ["req_0", "req_1", "req_2", "req_3"]


async def test_line_carries_the_moment_its_request_ended_and_not_when_it_was_written(lines: Lines) -> None:
    log = RequestLog()
    for number in range(3):
        log.add(RequestLine(f"req_{number}", "GET", "/healthz", 200))
        await asyncio.sleep(0.002)
    log.write()
    times = [line["timestamp"] for line in lines]
    assert times == sorted(set(times))
    assert all(time.endswith("Z") for time in times)


async def test_end_of_the_service_leaves_no_line_unwritten(lines: Lines) -> None:
    log = RequestLog()
    for number in range(3):
        log.add(RequestLine(f"req_{number}", "GET", "/healthz", 200))
    log.write()
    assert len(lines) == 3
    log.write()
    assert len(lines) == 3


async def test_what_one_request_has_bound_is_not_in_the_lines_of_others() -> None:
    written: Lines = []
    before = structlog.get_config()
    keep = partial(_keep, written)
    structlog.configure(processors=[structlog.contextvars.merge_contextvars, keep])
    try:
        log = RequestLog()
        bind_contextvars(execution="exec_of_the_second")
        log.add(RequestLine("req_0", "GET", "/healthz", 200))
        log.add(RequestLine("req_1", "GET", "/healthz", 200))
        log.add(RequestLine("req_2", "GET", "/healthz", 200))
        await asyncio.sleep(TOGETHER_SECONDS * 2)
    finally:
        structlog.contextvars.clear_contextvars()
        structlog.configure(**before)
    assert [line.get("execution") for line in written[1:]] == [None, None]


def _keep(written: Lines, _: object, __: str, line: structlog.typing.EventDict) -> Any:
    written.append(dict(line))
    raise structlog.DropEvent


async def test_lines_written_together_as_json_are_those_that_structlog_writes(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    before = structlog.get_config()
    stream = io.BytesIO()
    try:
        configure_logging("info")
        for json_stream in (None, stream):
            log = RequestLog()
            log.json_stream = json_stream
            log.add(RequestLine("req_1", "POST", "/tags/list", 200, "org_1"))
            log.add(RequestLine("req_2", "POST", "/tags/list", None))
            log.write()
    finally:
        structlog.configure(**before)
    assert _without_times(stream.getvalue()) == _without_times(capsysbinary.readouterr().err)


def _without_times(lines: bytes) -> list[Any]:
    return [json.loads(line) | {"seconds": 0, "timestamp": ""} for line in lines.splitlines()]

"""Workflows of 10 MB that nobody would write: refused with their place, and others are answered meanwhile."""

from collections.abc import Iterator

import httpx2
import pytest

from support.health import answering
from support.service import RunningService

MOST = 10 * 1024 * 1024 - 1000
PIECES = {
    "blocks of nothing": ('{"name": "a", "blocks": [', "{},", "{}]}"),
    "numbers for blocks": ('{"name": "a", "blocks": [', "1,", "1]}"),
    "tags": ('{"name": "a", "blocks": [], "tags": [', '"a",', '"a"]}'),
    "parameters": ('{"name": "a", "blocks": [], "parameters": [', "{},", "{}]}"),
    "blocks within blocks": (
        '{"name": "a", "blocks": [',
        '{"type":"If","data":{"condition":"1"},"sequenceData":{"trueSequence":[',
        "",
    ),
    "arrays within arrays": ('{"name": "a", "blocks": ', "[", ""),
    "data of a block": (
        '{"name": "a", "blocks": [{"type": "Transform", "data": {"code": "1", "input": [',
        "[],",
        '[]]}, "locator": 1}]}',
    ),
    "output": ('{"name": "a", "blocks": [], "output": {"a": [', "0,", '0]}, "tags": 1}'),
    "a long name": ('{"blocks": [], "name": "', "a", '"}'),
    "an unknown field": ('{"name": "a", "blocks": [], "anchors": [', "{},", "{}]}"),
}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    running = RunningService(tmp_path_factory.mktemp("hostile") / "data").start()
    yield running
    running.stop()


@pytest.mark.parametrize("path", ["/workflows/apply", "/workflows/import"])
@pytest.mark.parametrize("name", PIECES)
def test_a_workflow_of_ten_megabytes_is_refused_and_keeps_nobody_waiting(
    large: RunningService, path: str, name: str
) -> None:
    begin, piece, end = PIECES[name]
    body = begin + piece * ((MOST - len(begin) - len(end)) // len(piece)) + end
    if path == "/workflows/import":
        body = f'{{"workflow": {body}}}'
    with answering(large):
        answer = httpx2.post(
            f"{large.url}{path}", content=body, headers={"Content-Type": "application/json"}, timeout=120
        )
    assert answer.status_code == 400, answer.text[:300]
    assert len(answer.content) < 10_000

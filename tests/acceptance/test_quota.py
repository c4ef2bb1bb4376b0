"""An organization keeps as much as it may: an upload past that is refused, a block past that fails."""

import base64
from collections.abc import Iterator

import pytest

from support.blocks import value
from support.service import Api, RunningService

LIMIT = 20_000


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    folder = tmp_path_factory.mktemp("narrow") / "data"
    service = RunningService(folder, PAGEHAND_MAX_STORED_BYTES=str(LIMIT)).start()
    yield service.api()
    service.stop()


def upload(api: Api, size: int) -> int:
    content = base64.b64encode(b"x" * size).decode()
    return api.post("/files/upload", {"name": "a.bin", "contentBase64": content}).status_code


def test_past_the_limit_uploads_are_refused_and_blocks_fail_but_runs_still_end(narrow: Api) -> None:
    assert upload(narrow, LIMIT + 1) == 413
    assert upload(narrow, LIMIT - 1000) == 200
    refused = narrow.post(
        "/files/upload", {"name": "b", "contentBase64": base64.b64encode(b"x" * 2000).decode()}
    )
    assert refused.status_code == 413
    assert "PAGEHAND_MAX_STORED_BYTES" in refused.json()["error"]
    rows = [{"n": number, "text": "x" * 100} for number in range(50)]
    table = {"type": "ParseToCsv", "blockReferenceId": "csv", "data": {"input": "{{params.rows}}"}}
    done = narrow.run(table, params={"rows": rows})
    assert done["status"] == "Failed"
    assert "PAGEHAND_MAX_STORED_BYTES" in done["errorAnalysis"]
    assert narrow.run(value("x"))["status"] == "Completed"


def test_what_is_deleted_makes_room(narrow: Api) -> None:
    for file in narrow.call("/files/list")["files"]:
        narrow.call("/files/delete", {"id": file["id"]})
    assert upload(narrow, LIMIT - 5000) == 200

"""What is old goes, a few at a time; trouble with one file ends neither the loop nor the service."""

import asyncio
from pathlib import Path
from typing import Any, ClassVar

import pytest
from msgspec import Raw
from msgspec.json import encode

from pagehand.errors import NotFound, Unavailable
from pagehand.files import FilesAndResponses
from pagehand.files.local import LocalFiles
from pagehand.files.retention import Retention
from pagehand.records import Execution, FileInfo, StoredFile
from pagehand.storage import Stores
from pagehand.testing.fakes import MemoryFileStore

pytestmark = pytest.mark.anyio
DAY = 86_400_000
NOW = 100 * DAY


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagehand.files.retention._PAUSE_SECONDS", 0)


async def add_upload(stores: Stores, files: Any, number: int, *, days_ago: float) -> FileInfo:
    key = f"org_1/uploads/{number}"
    info = FileInfo(
        f"file_{number}", "org_1", None, "x.txt", "text/plain", 3, key, round(NOW - days_ago * DAY)
    )
    await files.put(key, b"abc")
    await stores.files.add(info)
    return info


def retention(stores: Stores, files: Any) -> Retention:
    return Retention(stores.retention, stores.deliveries, files, 30, clock=lambda: NOW)


async def test_only_what_is_older_goes_with_its_bytes(stores: Stores) -> None:
    files = MemoryFileStore()
    old = await add_upload(stores, files, 1, days_ago=30.01)
    new = await add_upload(stores, files, 2, days_ago=29.99)
    assert await retention(stores, files).sweep(30) == 1
    assert list(files.content) == [new.key]
    assert await stores.files.get("org_1", old.id) is None
    assert await stores.files.get("org_1", new.id) == new


async def test_many_go_in_parts(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagehand.files.retention._AT_ONCE", 3)
    files = MemoryFileStore()
    for number in range(7):
        await add_upload(stores, files, number, days_ago=40)
    assert await retention(stores, files).sweep(30) == 7
    assert files.content == {}


async def test_bytes_that_are_gone_already_are_no_trouble(stores: Stores) -> None:
    files = MemoryFileStore()
    await add_upload(stores, files, 1, days_ago=40)
    files.content.clear()
    assert await retention(stores, files).sweep(30) == 1


async def test_without_a_limit_nothing_is_begun(stores: Stores) -> None:
    idle = Retention(stores.retention, stores.deliveries, MemoryFileStore(), None)
    idle.start()
    await idle.stop()


@pytest.mark.parametrize("trouble", [Unavailable("The disk is away."), OSError("no"), ValueError("a bug")])
async def test_the_loop_goes_on_after_trouble(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    class Failing(MemoryFileStore):
        """Fails once."""

        troubles: ClassVar = [trouble]

        async def delete(self, key: str) -> None:
            if self.troubles:
                raise self.troubles.pop()
            await super().delete(key)

    monkeypatch.setattr("pagehand.files.retention._EVERY_SECONDS", 0)
    files = Failing()
    await add_upload(stores, files, 1, days_ago=40)
    sweeping = retention(stores, files)
    sweeping.start()
    async with asyncio.timeout(5):
        while files.content:  # noqa: ASYNC110 - the loop tells nobody
            await asyncio.sleep(0.001)
    await sweeping.stop()


async def test_a_disk_that_refuses_to_delete_is_unavailable(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    await files.put("org_1/a/b", b"x")
    with pytest.raises(Unavailable, match=r"The file could not be deleted: .+"):
        await files.delete("org_1/a")  # a folder


# the response of an execution is a file too

KEY = "org_1/exec_1/response.json"


def with_response(key: str = KEY, *, organization: str = "org_1") -> FilesAndResponses:
    execution = Execution(
        id="exec_1",
        organization_id=organization,
        workflow_id="wf_1",
        workflow_name="x",
        workflow_version=1,
        browser_session_id="bs_1",
        accepted_at=1,
        start_time=1,
        deadline_at=2,
        response=Raw(encode({"text": "ü" * 300_000})),
        response_file=StoredFile(
            id="file_1", name="response.json", mime_type="application/json", size_bytes=1, key=key
        ),
    )

    async def find(organization_id: str, execution_id: str) -> Execution | None:
        is_it = (organization_id, execution_id) == (execution.organization_id, execution.id)
        return execution if is_it else None

    return FilesAndResponses(MemoryFileStore(), find)


async def test_a_response_is_read_like_a_file() -> None:
    files = with_response()
    whole = await files.read(KEY)
    chunks = [chunk async for chunk in files.open(KEY)]
    assert b"".join(chunks) == whole
    assert len(chunks) > 1
    assert await files.size(KEY) == len(whole)


async def test_bytes_that_were_stored_come_before_the_row() -> None:
    files = with_response()
    await files.put(KEY, b"stored")
    assert await files.read(KEY) == b"stored"
    assert [chunk async for chunk in files.open(KEY)] == [b"stored"]
    assert await files.size(KEY) == 6
    await files.delete(KEY)
    assert await files.read(KEY) != b"stored"


@pytest.mark.parametrize(
    "key",
    ["", "x", "org_1/exec_1", "org_2/exec_1/response.json", "org_1/exec_1/other", "org_1/exec_1/a/b", "//"],
)
async def test_any_other_key_is_not_found(key: str) -> None:
    with pytest.raises(NotFound):
        await with_response().read(key)
    with pytest.raises(NotFound):
        await with_response().size(key)

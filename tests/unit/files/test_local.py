"""Files in a local folder: what a failed or killed write leaves is removed, and reading takes turns."""

import asyncio
from collections.abc import Callable
from errno import EROFS
from pathlib import Path
from typing import Any

import pytest

from pagehand.errors import Unavailable
from pagehand.files import LocalFiles

pytestmark = pytest.mark.anyio

KEY = "org_1/exec_1/file_1"


@pytest.fixture
def files(tmp_path: Path) -> LocalFiles:
    return LocalFiles(tmp_path / "files")


async def test_a_failed_write_leaves_nothing_behind(files: LocalFiles, tmp_path: Path) -> None:
    await files.put("org_1/taken", b"a file where a folder is needed")
    with pytest.raises(Unavailable, match="could not be stored"):
        await files.put("org_1/taken/file_2", b"x")
    assert list((tmp_path / "files" / ".incoming").iterdir()) == []


async def test_a_read_only_disk_is_unavailable_whatever_is_asked_of_it(
    files: LocalFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    await files.put(KEY, b"x")

    def refuse(*_arguments: object, **_more: object) -> None:
        raise OSError(EROFS, "Read-only file system")

    for name in ("open", "unlink"):
        monkeypatch.setattr(Path, name, refuse)
    monkeypatch.setattr("shutil.rmtree", refuse)
    for refused in (files.put(KEY, b"y"), files.delete(KEY), files.delete_folder("org_1/exec_1")):
        with pytest.raises(Unavailable, match="Read-only file system"):
            await refused


async def test_what_a_killed_process_was_writing_is_removed_in_time(
    files: LocalFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await files.put(KEY, b"whole")
    half, written_now = (tmp_path / "files" / ".incoming" / name for name in ("half", "now"))
    half.write_bytes(b"ha")
    monkeypatch.setattr("pagehand.files.local._ORPHAN_SECONDS", 0.3)
    await asyncio.sleep(0.4)
    written_now.write_bytes(b"no")
    await files.put(KEY, b"again")
    assert (half.exists(), written_now.exists()) == (False, True)
    assert await files.read(KEY) == b"again"


async def test_many_downloads_read_two_chunks_at_a_time(
    files: LocalFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    await files.put(KEY, b"x")
    in_thread, reading, most = asyncio.to_thread, 0, 0

    async def counted(function: Callable[..., Any], *given: Any) -> Any:
        nonlocal reading, most
        is_read = function.__name__ == "read"
        reading += is_read
        most = max(most, reading)
        try:
            return await in_thread(function, *given)
        finally:
            reading -= is_read

    async def download() -> bytes:
        return b"".join([chunk async for chunk in files.open(KEY)])

    monkeypatch.setattr(asyncio, "to_thread", counted)
    assert set(await asyncio.gather(*(download() for _ in range(20)))) == {b"x"}
    assert most == 2

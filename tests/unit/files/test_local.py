"""Files in a folder: whole or not there, and never outside it."""

import asyncio
from pathlib import Path

import pytest

from pagehand.errors import InvalidRequest, NotFound, Unavailable
from pagehand.files import LocalFiles

pytestmark = pytest.mark.anyio

KEY = "org_1/exec_1/file_1"


@pytest.fixture
def files(tmp_path: Path) -> LocalFiles:
    return LocalFiles(tmp_path / "files")


async def test_what_is_put_is_read_back(files: LocalFiles) -> None:
    await files.put(KEY, b"first")
    await files.put(KEY, b"\0second")
    assert await files.read(KEY) == b"\0second"
    assert await files.size(KEY) == 7


async def test_a_large_file_is_read_in_chunks(files: LocalFiles) -> None:
    content = bytes(range(256)) * 4096
    await files.put(KEY, content)
    chunks = [chunk async for chunk in files.open(KEY)]
    assert len(chunks) > 1
    assert b"".join(chunks) == content


async def test_put_file_takes_the_file_over(files: LocalFiles, tmp_path: Path) -> None:
    source = tmp_path / "download"
    source.write_bytes(b"bytes")
    await files.put_file(KEY, source)
    assert await files.read(KEY) == b"bytes"
    assert not source.exists()


async def test_put_file_does_not_follow_a_link(files: LocalFiles, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    link = tmp_path / "link"
    link.symlink_to(secret)
    with pytest.raises(Unavailable):
        await files.put_file(KEY, link)
    with pytest.raises(NotFound):
        await files.read(KEY)


async def test_a_folder_is_deleted_and_the_one_beside_it_stays(files: LocalFiles) -> None:
    for key in ("org_1/exec_1/file_1", "org_1/exec_1/shot.jpg", "org_1/exec_12/file_2"):
        await files.put(key, b"bytes")
    await files.delete_folder("org_1/exec_1")
    await files.delete_folder("org_1/exec_1")
    for key in ("org_1/exec_1/file_1", "org_1/exec_1/shot.jpg"):
        with pytest.raises(NotFound):
            await files.read(key)
    assert await files.read("org_1/exec_12/file_2") == b"bytes"


async def test_a_deleted_file_is_not_found_and_deleting_again_is_not_an_error(files: LocalFiles) -> None:
    await files.put(KEY, b"x")
    await files.delete(KEY)
    await files.delete(KEY)
    with pytest.raises(NotFound, match="file_1"):
        await files.read(KEY)
    with pytest.raises(NotFound):
        await files.size(KEY)
    with pytest.raises(NotFound):
        _ = [chunk async for chunk in files.open(KEY)]


@pytest.mark.parametrize(
    "key",
    [
        "",
        "/etc/passwd",
        "../x",
        "a/../b",
        "a//b",
        "a/.",
        ".incoming/x",
        "a\0b",
        "a\\b",
        "a/" * 20 + "b",
        "ü/x",
    ],
)
async def test_a_key_cannot_leave_the_folder(files: LocalFiles, key: str) -> None:
    with pytest.raises(InvalidRequest, match="`key`"):
        await files.put(key, b"x")
    with pytest.raises(InvalidRequest, match="`key`"):
        await files.read(key)


async def test_a_failed_write_leaves_nothing_behind(files: LocalFiles, tmp_path: Path) -> None:
    await files.put("org_1/taken", b"a file where a folder is needed")
    with pytest.raises(Unavailable, match="could not be stored"):
        await files.put("org_1/taken/file_2", b"x")
    assert list((tmp_path / "files" / ".incoming").iterdir()) == []


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

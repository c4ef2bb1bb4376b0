"""What every file store does: files are stored completely or not at all, and keys lead nowhere else."""

from pathlib import Path

import pytest

from pagehand.errors import InvalidRequest, NotFound, Unavailable
from pagehand.files import FileStore, LocalFiles

pytestmark = pytest.mark.anyio

KEY = "org_1/exec_1/file_1"


@pytest.fixture(params=["local", "object storage"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> FileStore:
    if request.param == "local":
        return LocalFiles(tmp_path / "files")
    return request.getfixturevalue("storage")


async def test_what_is_put_is_read_back(files: FileStore) -> None:
    await files.put(KEY, b"first")
    await files.put(KEY, b"\0second")
    assert await files.read(KEY) == b"\0second"
    assert await files.size(KEY) == 7


async def test_a_large_file_is_moved_and_read_in_chunks(files: FileStore, tmp_path: Path) -> None:
    content = bytes(range(256)) * 4096 * 12
    source = tmp_path / "download"
    source.write_bytes(content)
    await files.put_file(KEY, source)
    assert not source.exists()
    chunks = [chunk async for chunk in files.open(KEY)]
    assert len(chunks) > 1
    assert b"".join(chunks) == content


async def test_a_link_is_not_followed(files: FileStore, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(Unavailable):
        await files.put_file("org_1/exec_1/linked", tmp_path / "link")
    with pytest.raises(NotFound):
        await files.read("org_1/exec_1/linked")


async def test_a_folder_is_deleted_and_the_one_beside_it_stays(files: FileStore) -> None:
    for key in ("org_1/exec_1/file_1", "org_1/exec_1/shot.jpg", "org_1/exec_12/file_2"):
        await files.put(key, b"bytes")
    await files.delete_folder("org_1/exec_1")
    await files.delete_folder("org_1/exec_1")
    for key in ("org_1/exec_1/file_1", "org_1/exec_1/shot.jpg"):
        with pytest.raises(NotFound):
            await files.read(key)
    assert await files.read("org_1/exec_12/file_2") == b"bytes"


async def test_a_deleted_file_is_not_found_and_deleting_again_is_not_an_error(files: FileStore) -> None:
    await files.put(KEY, b"x")
    await files.delete(KEY)
    await files.delete(KEY)
    for reading in (files.read(KEY), files.size(KEY), anext(aiter(files.open(KEY)))):
        with pytest.raises(NotFound, match="file_1"):
            await reading


@pytest.mark.parametrize(
    "key",
    [
        "",
        "/etc/passwd",
        "../x",
        "a/../b",
        "a/../../x",
        "a//b",
        "a/.",
        ".hidden",
        ".incoming/x",
        "a\0b",
        "a\\b",
        "a/" * 20 + "b",
        "ü/x",
    ],
)
async def test_a_key_cannot_lead_elsewhere(files: FileStore, key: str) -> None:
    with pytest.raises(InvalidRequest, match="`key`"):
        await files.put(key, b"x")
    with pytest.raises(InvalidRequest, match="`key`"):
        await files.read(key)

"""Files in object storage, against a real S3 server on loopback."""

import builtins
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from moto.server import ThreadedMotoServer

from pagehand.errors import InvalidRequest, NotFound, Unavailable, UserMistake
from pagehand.files.object_storage import ObjectStorage

pytestmark = pytest.mark.anyio

KEY = "org_1/exec_1/file_1"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def storage(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> ObjectStorage:
    """As an operator sets it up: a URL, and credentials in the environment."""
    assert httpx2.put(f"{endpoint}/bucket").status_code in (200, 409)
    for name, value in {
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    return ObjectStorage("s3://bucket/kept/here")


async def test_what_is_put_is_read_back_under_the_prefix(storage: ObjectStorage) -> None:
    await storage.put(KEY, b"first")
    await storage.put(KEY, b"\0second")
    assert await storage.read(KEY) == b"\0second"
    assert await storage.size(KEY) == 7
    assert await ObjectStorage("s3://bucket").read(f"kept/here/{KEY}") == b"\0second"


async def test_a_large_file_is_taken_over_and_read_in_chunks(storage: ObjectStorage, tmp_path: Path) -> None:
    content = bytes(range(256)) * 4096 * 12
    source = tmp_path / "download"
    source.write_bytes(content)
    await storage.put_file(KEY, source)
    assert not source.exists()
    chunks = [chunk async for chunk in storage.open(KEY)]
    assert len(chunks) > 1
    assert b"".join(chunks) == content


async def test_a_link_is_not_followed(storage: ObjectStorage, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(Unavailable):
        await storage.put_file("org_1/exec_1/linked", tmp_path / "link")
    with pytest.raises(NotFound):
        await storage.read("org_1/exec_1/linked")


async def test_a_folder_is_deleted_and_the_one_beside_it_stays(storage: ObjectStorage) -> None:
    for key in ("org_1/exec_1/file_1", "org_1/exec_1/shot.jpg", "org_1/exec_12/file_2"):
        await storage.put(key, b"bytes")
    await storage.delete_folder("org_1/exec_1")
    await storage.delete_folder("org_1/exec_1")
    for key in ("org_1/exec_1/file_1", "org_1/exec_1/shot.jpg"):
        with pytest.raises(NotFound):
            await storage.read(key)
    assert await storage.read("org_1/exec_12/file_2") == b"bytes"


async def test_a_deleted_file_is_not_found_and_deleting_again_is_not_an_error(storage: ObjectStorage) -> None:
    await storage.put(KEY, b"x")
    await storage.delete(KEY)
    await storage.delete(KEY)
    for reading in (storage.read(KEY), storage.size(KEY), anext(aiter(storage.open(KEY)))):
        with pytest.raises(NotFound, match="file_1"):
            await reading


@pytest.mark.parametrize("key", ["../x", "/x", "a/../../x", ".hidden", "", "a//b"])
async def test_a_key_cannot_lead_elsewhere(storage: ObjectStorage, key: str) -> None:
    with pytest.raises(InvalidRequest, match="key"):
        await storage.put(key, b"x")


async def test_storage_that_is_not_there_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    storage = ObjectStorage("s3://bucket", retry_config={"max_retries": 0})
    with pytest.raises(Unavailable, match="object storage"):
        await storage.put(KEY, b"x")


@pytest.mark.parametrize("url", ["ftp://host/x", "/var/files", "bucket"])
def test_a_url_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(UserMistake, match="PAGEHAND_FILES"):
        ObjectStorage(url)


def test_without_the_extra_the_error_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002 - Python's own names
        locals: Mapping[str, Any] | None = None,  # noqa: A002 - as above
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if name.startswith("obstore"):
            raise ImportError(name)
        return real(name, globals, locals, fromlist or (), level)

    monkeypatch.delitem(sys.modules, "obstore.store", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UserMistake, match=r"pip install pagehand\[cloud\]"):
        ObjectStorage("s3://bucket")

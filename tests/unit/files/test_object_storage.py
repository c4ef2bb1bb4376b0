"""Files in object storage, against a real S3 server on loopback."""

import builtins
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pagehand.errors import Unavailable, UserMistake
from pagehand.files.object_storage import ObjectStorage

pytestmark = pytest.mark.anyio

KEY = "org_1/exec_1/file_1"


async def test_files_are_stored_under_the_prefix_of_the_url(storage: ObjectStorage) -> None:
    await storage.put(KEY, b"content")
    assert await ObjectStorage("s3://bucket").read(f"kept/here/{KEY}") == b"content"


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
    with pytest.raises(UserMistake, match=r"pip install 'pagehand\[cloud\]'"):
        ObjectStorage("s3://bucket")

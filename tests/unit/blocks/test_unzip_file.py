"""UnzipFile unpacks what is harmless and refuses what is not."""

import io
import stat
import zipfile
import zlib
from typing import Any

import pytest

from pagehand.blocks import examples, kinds
from pagehand.errors import BlockFailed
from pagehand.testing import Harness
from support import documents
from support.blocks import value

pytestmark = pytest.mark.anyio
Json = dict[str, Any]

MEMBERS = {"a.txt": b"one", "docs/B.PDF": b"%PDF-1.4", "docs/deep/c.txt": b"three", "docs/": b""}


async def unpacked(harness: Harness, content: bytes, **data: Any) -> dict[str, bytes]:
    info = await harness.add_file("all.zip", content, "application/zip")
    definition = {"type": "UnzipFile", "blockReferenceId": "it", "data": {"file": info["id"], **data}}
    done = await harness.run(definition)
    return {item["path"]: (await harness.read_file(item["id"])) for item in done.outputs["it"]}


async def test_examples_run_as_shown(harness: Harness) -> None:
    kind = kinds().kind_named("UnzipFile")
    assert kind is not None
    for example in examples(kind):
        info = await harness.add_file("all.zip", documents.archive(MEMBERS), "application/zip")
        download = value("download", info)
        done = await harness.run(download, {**example, "blockReferenceId": "it"})
        assert [(item["name"], item["mimeType"], item["path"]) for item in done.outputs["it"]] == [
            ("B.PDF", "application/pdf", "docs/B.PDF")
        ]


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
async def test_every_file_comes_out_as_it_went_in(harness: Harness, method: int) -> None:
    found = await unpacked(harness, documents.archive(MEMBERS, method))
    assert found == {path: content for path, content in MEMBERS.items() if not path.endswith("/")}


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("*.txt", ["a.txt", "docs/deep/c.txt"]),
        ("docs/*.pdf", ["docs/B.PDF"]),
        ("b.pdf", ["docs/B.PDF"]),
        ("*.csv", []),
    ],
)
async def test_a_pattern_chooses(harness: Harness, pattern: str, paths: list[str]) -> None:
    assert list(await unpacked(harness, documents.archive(MEMBERS), pattern=pattern)) == paths


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "a/../../b", "..\\evil", "C:\\x", "\\x"])
async def test_paths_that_lead_out_are_refused(harness: Harness, name: str) -> None:
    with pytest.raises(BlockFailed, match="leads out of it"):
        await unpacked(harness, documents.archive({"fine.txt": b"", name: b"x"}))


async def test_a_symbolic_link_is_refused(harness: Harness) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(link, "/etc/passwd")
    with pytest.raises(BlockFailed, match="`link`, which is a symbolic link"):
        await unpacked(harness, out.getvalue())


@pytest.mark.slow
async def test_bombs_are_refused(harness: Harness) -> None:
    zeros = bytes(50 * 1024 * 1024)
    dense = documents.archive({"zeros": zeros})
    many = documents.archive({f"{at}": b"" for at in range(5001)})
    wide = documents.archive({f"{at}": bytes(90 * 1024 * 1024) for at in range(6)})
    lying = documents.raw_zip("lie", zlib.compress(zeros)[2:-4], zlib.crc32(zeros), 2**31, method=8)
    nested = documents.archive({"a.zip": documents.archive({"b.zip": documents.archive({"c": b"x"})})})
    inner = documents.archive({"a.zip": dense})
    for bomb, sentence in (
        (dense, "200 times its size"),
        (many, "has 5001 files"),
        (wide, "unpacks to 540 MB"),
        (lying, "2048 MB"),
        (nested, "holds archives again"),
        (inner, "The archive `a.zip` inside"),
    ):
        with pytest.raises(BlockFailed, match=sentence):
            await unpacked(harness, bomb)


async def test_names_lose_their_control_characters(harness: Harness) -> None:
    assert await unpacked(harness, documents.archive({"a\r\nb.txt": b"x"})) == {"a__b.txt": b"x"}


async def test_an_archive_inside_is_handed_back_as_it_is(harness: Harness) -> None:
    inner = documents.archive({"c": b"x"})
    assert await unpacked(harness, documents.archive({"b.zip": inner})) == {"b.zip": inner}


async def test_damaged_archives_are_named(harness: Harness) -> None:
    whole = documents.archive({"a.txt": b"some text " * 50}, zipfile.ZIP_STORED)
    for broken in (b"", b"PK\x03\x04nothing", whole[:100], whole.replace(b"some text", b"same text", 1)):
        with pytest.raises(BlockFailed, match=r"`all\.zip`: .*damaged"):
            await unpacked(harness, broken)


async def test_old_encryption_is_opened(harness: Harness) -> None:
    locked = documents.zip_crypto("a.txt", b"secret text", b"sesame")
    assert await unpacked(harness, locked, password="sesame") == {"a.txt": b"secret text"}
    for more, sentence in (
        ({}, "give the archive's `password`"),
        ({"password": "x"}, "does not open `a.txt`"),
    ):
        with pytest.raises(BlockFailed, match=sentence):
            await unpacked(harness, locked, **more)


@pytest.mark.parametrize("strength", [1, 2, 3])
async def test_aes_is_opened(harness: Harness, strength: int) -> None:
    content = b"secret text, long enough to pack " * 5000
    locked = documents.aes_zip("a.txt", content, b"sesame", strength)
    assert await unpacked(harness, locked, password="sesame") == {"a.txt": content}
    with pytest.raises(BlockFailed, match=r"does not open `a\.txt`"):
        await unpacked(harness, locked, password="Sesame")

"""Members encrypted with AES: opened with the right password alone, and only as they were sealed."""

import io
import struct
import zipfile

import pytest

from pagehand.documents import archive, archive_aes
from pagehand.errors import BlockFailed
from support import documents
from support.documents import done

TEXT = b"secret text, long enough to pack " * 2100
PASSWORD = b"sesame"


def member_of(content: bytes) -> zipfile.ZipInfo:
    [member] = zipfile.ZipFile(io.BytesIO(content)).infolist()
    return member


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("text", [b"", b"x", b"x" * 16, b"x" * 17, TEXT], ids=len)
def test_what_was_sealed_comes_out(text: bytes, method: int) -> None:
    locked = documents.aes_zip("a.txt", text, PASSWORD, 3, method=method)
    assert archive_aes.is_aes(member_of(locked))
    assert archive_aes.read(locked, member_of(locked), PASSWORD) == text


def test_a_wrong_password_is_distinguished_from_a_broken_seal() -> None:
    locked = documents.aes_zip("a.txt", TEXT, PASSWORD, 3)
    with pytest.raises(archive_aes.WrongPassword):
        archive_aes.read(locked, member_of(locked), b"other")
    packed_at = locked.index(b"a.txt") + len(b"a.txt") + 11 + 16 + 2
    broken = bytearray(locked)
    broken[packed_at + 5] ^= 1
    with pytest.raises(zipfile.BadZipFile, match="its authentication code does not match"):
        archive_aes.read(bytes(broken), member_of(locked), PASSWORD)


def test_a_member_that_unpacks_to_another_size_is_refused() -> None:
    locked = documents.aes_zip("a.txt", TEXT, PASSWORD, 1)
    for claimed in (len(TEXT) - 1, len(TEXT) + 1, 0):
        member = member_of(locked)
        member.file_size = claimed
        with pytest.raises(zipfile.BadZipFile, match="not as long as it says"):
            archive_aes.read(locked, member, PASSWORD)


@pytest.mark.parametrize(
    "extra",
    [
        b"",
        b"\x01",
        struct.pack("<HH", 0x9901, 7),
        struct.pack("<HHH2sBH", 0x9901, 7, 2, b"AE", 4, 8),
        struct.pack("<HH4s", 0x0001, 4, b"else"),
    ],
    ids=["none", "a stump", "cut off", "an unknown strength", "another"],
)
def test_a_member_that_does_not_say_how_it_is_encrypted_is_refused(extra: bytes) -> None:
    locked = documents.aes_zip("a.txt", TEXT, PASSWORD, 3)
    member = member_of(locked)
    member.extra = extra
    with pytest.raises(zipfile.BadZipFile, match="does not say how it is encrypted"):
        archive_aes.read(locked, member, PASSWORD)


def test_other_extra_fields_before_it_are_skipped() -> None:
    locked = documents.aes_zip("a.txt", TEXT, PASSWORD, 2)
    member = member_of(locked)
    member.extra = struct.pack("<HH4s", 0x0001, 4, b"else") + member.extra
    assert archive_aes.read(locked, member, PASSWORD) == TEXT


def test_a_member_packed_in_a_way_we_do_not_know_is_named_as_such() -> None:
    locked = documents.aes_zip("a.txt", TEXT, PASSWORD, 3, method=12)
    with pytest.raises(NotImplementedError, match="method 12"):
        archive_aes.read(locked, member_of(locked), PASSWORD)
    with pytest.raises(BlockFailed, match=r"`password` does not open `a\.txt`, or it is damaged"):
        done(archive.unzip, locked, password="sesame")


def test_a_member_whose_header_is_cut_off_is_refused() -> None:
    locked = documents.aes_zip("a.txt", TEXT, PASSWORD, 3)
    with pytest.raises(zipfile.BadZipFile, match="header is cut off"):
        archive_aes.read(locked[:20], member_of(locked), PASSWORD)

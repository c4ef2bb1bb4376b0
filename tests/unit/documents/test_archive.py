"""An archive is unpacked unless it is made to do harm; what fits no pattern stays packed."""

import io
import stat
import zipfile

import pytest

from pagehand.documents import archive
from pagehand.errors import BlockFailed
from support import documents
from support.documents import done

FILES = {"a.pdf": b"one", "sub/B.PDF": b"two", "sub/deep/c.txt": b"three", "ä 日.pdf": b"four"}


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        (None, list(FILES)),
        ("", list(FILES)),
        ("*.pdf", ["a.pdf", "sub/B.PDF", "ä 日.pdf"]),
        ("sub/*", ["sub/B.PDF", "sub/deep/c.txt"]),
        ("c.txt", ["sub/deep/c.txt"]),
        ("Ä*", ["ä 日.pdf"]),
        ("*.xlsx", []),
        ("?.pdf", []),
    ],
)
def test_files_that_fit_are_handed_back_by_their_paths(pattern: str | None, names: list[str]) -> None:
    answer, files = done(archive.unzip, documents.archive(FILES), pattern=pattern)
    assert answer == names
    assert files == {name: FILES[name] for name in names}


def test_folders_and_empty_files_are_no_trouble() -> None:
    content = documents.archive({"folder/": b"", "folder/empty.txt": b""})
    assert done(archive.unzip, content) == (["folder/empty.txt"], {"folder/empty.txt": b""})


def test_an_empty_archive_holds_nothing() -> None:
    assert done(archive.unzip, documents.archive({})) == ([], {})


@pytest.mark.parametrize(
    "name", ["../up.txt", "a/../../up", "/etc/passwd", "\\\\server\\x", "C:\\x.txt", "c:x", "a\\..\\b", ".."]
)
def test_a_path_that_leads_out_is_refused_though_the_pattern_leaves_it_out(name: str) -> None:
    content = documents.archive({"fine.txt": b"x", name: b"y"})
    with pytest.raises(BlockFailed, match="a path that leads out of it"):
        done(archive.unzip, content, pattern="fine.txt")


@pytest.mark.parametrize("name", ["..a", "a..b/c", "...", "a/.b"])
def test_dots_in_names_are_fine(name: str) -> None:
    assert done(archive.unzip, documents.archive({name: b"x"}))[0] == [name]


@pytest.mark.parametrize(
    ("kind", "reason"), [(stat.S_IFLNK, "a symbolic link"), (stat.S_IFIFO, "no plain file")]
)
def test_what_is_not_a_plain_file_is_refused(kind: int, reason: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        member = zipfile.ZipInfo("link")
        member.external_attr = (kind | 0o777) << 16
        packed.writestr(member, "/etc/passwd")
    with pytest.raises(BlockFailed, match=reason):
        done(archive.unzip, out.getvalue())


def test_an_archive_inside_is_handed_back_as_it_is() -> None:
    inner = documents.archive({"x.txt": b"x"})
    assert done(archive.unzip, documents.archive({"in.zip": inner}))[1] == {"in.zip": inner}


def test_a_word_file_inside_is_not_taken_for_a_bomb() -> None:
    letter = documents.letter()
    assert done(archive.unzip, documents.archive({"letter.docx": letter}))[1] == {"letter.docx": letter}


def test_archives_three_deep_look_like_a_bomb() -> None:
    inner = documents.archive({"y.ZIP": documents.archive({"z.txt": b"z"})})
    with pytest.raises(BlockFailed, match="holds archives again: it looks like a zip bomb"):
        done(archive.unzip, documents.archive({"in.zip": inner}))


def test_a_member_that_claims_to_be_huge_is_refused_before_it_is_unpacked() -> None:
    content = documents.raw_zip("big.bin", b"x" * 50, 0, 101 * 1024 * 1024)
    with pytest.raises(BlockFailed, match=r"`big\.bin` unpacks to 101 MB; at most 100 MB are unpacked"):
        done(archive.unzip, content)


def test_a_member_denser_than_any_honest_file_is_refused() -> None:
    content = documents.raw_zip("big.bin", b"x" * 50, 0, 20 * 1024 * 1024, method=8)
    with pytest.raises(BlockFailed, match="more than 200 times its size: it looks like a zip bomb"):
        done(archive.unzip, content)


def test_too_many_members_are_refused() -> None:
    content = documents.archive({f"{at}": b"" for at in range(5_001)}, zipfile.ZIP_STORED)
    with pytest.raises(BlockFailed, match="has 5001 files; at most 5000 are unpacked"):
        done(archive.unzip, content)


def test_an_encrypted_member_asks_for_its_password_and_takes_it() -> None:
    content = documents.zip_crypto("secret.txt", b"words", b"sesame")
    with pytest.raises(BlockFailed, match=r"`secret\.txt` is encrypted: give the archive's `password`"):
        done(archive.unzip, content)
    with pytest.raises(BlockFailed, match=r"`password` does not open `secret\.txt`"):
        done(archive.unzip, content, password="wrong")
    assert done(archive.unzip, content, password="sesame")[1] == {"secret.txt": b"words"}


def test_a_damaged_member_is_named() -> None:
    content = documents.raw_zip("x.txt", b"words", 12345, 5)
    with pytest.raises(BlockFailed, match=r"`x\.txt` in the archive is damaged"):
        done(archive.unzip, content)


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x03\x04 and then nothing", b"plain text"])
def test_what_is_not_an_archive_is_refused(content: bytes) -> None:
    with pytest.raises(BlockFailed, match="not a zip archive, or a damaged one"):
        done(archive.unzip, content)

"""A ZIP that is sent while it is made."""

import io
import zipfile

import pytest

from pagehand.api.zip_stream import ZipStream, entry_name


def test_what_was_sent_piece_by_piece_is_a_whole_zip() -> None:
    stream = ZipStream()
    sent = stream.add("one.json", b"{}" * 1000)
    with stream.entry("two.bin") as entry:
        sent += entry.write(b"first ")
        sent += entry.write(b"second")
    sent += stream.take() + stream.close()
    with zipfile.ZipFile(io.BytesIO(sent)) as opened:
        assert opened.testzip() is None
        assert opened.read("one.json") == b"{}" * 1000
        assert opened.read("two.bin") == b"first second"


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("a..b/..", "_"),
        (".hidden", "hidden"),
        ("Größe (1).csv", "Größe (1).csv"),
        ("x\x00y\n", "x_y_"),
        ("", "file"),
    ],
)
def test_an_entry_stays_in_its_folder(name: str, entry: str) -> None:
    assert entry_name(name) == entry

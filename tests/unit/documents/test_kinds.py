"""What a document is goes by its first bytes, then its name, then its type."""

import pytest

from pagehand.documents import reader_of
from pagehand.documents.tasks import TASKS
from support import documents

BITMAP = b"BM" + (70).to_bytes(4, "little") + bytes(4) + b"\x36\x00\x00\x00"


@pytest.mark.parametrize(
    ("content", "name", "mime_type", "reader"),
    [
        (b"%PDF-1.7 ...", "scan.txt", "text/plain", "readPdf"),
        (b"\xef\xbb\xbf\r\n%PDF-1.4", "a", "", "readPdf"),
        (b"junk before %PDF-1.4", "a.pdf", "", "readPdf"),
        (b"The letters %PDF- begin a PDF", "notes.txt", "text/plain", "readText"),
        (b"\x89PNG\r\n\x1a\n", "picture", "", "readImage"),
        (b"\xff\xd8\xff\xe0", "photo.txt", "", "readImage"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "x", "", "readImage"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "x.txt", "", "readText"),
        (BITMAP, "x", "", "readImage"),
        (b"<!DOCTYPE HTML><p>", "x.txt", "", "readHtml"),
        (b" \n<html lang=en>", "x", "", "readHtml"),
        (b"Name;Price", "PRICES.CSV", "", "readCsv"),
        (b"Name\tPrice", "prices.tsv", "", "readCsv"),
        (b"Name;Price", "export", "text/csv; charset=utf-8", "readCsv"),
        (b"From: a@b", "letter.eml", "", "readMail"),
        (b"From: a@b", "letter", "Message/RFC822", "readMail"),
        (b"\xd0\xcf\x11\xe0rest", "old.xls", "", "readSheets"),
        (b"\xd0\xcf\x11\xe0rest", "old.docx", "", "readWord"),
        (b"hello", "", "", "readText"),
        (b"", "nothing", "application/octet-stream", "readText"),
        (b"hello", "trailing.", "", "readText"),
    ],
)
def test_the_reader_fits_the_content(content: bytes, name: str, mime_type: str, reader: str) -> None:
    assert reader_of(content, name, mime_type) == reader


@pytest.mark.parametrize("words", [b"BMI,Name\n21,Ada\n", b"BMW service record 2026", b"BM", b"BM-17;4,50"])
def test_text_that_begins_like_a_bitmap_stays_text(words: bytes) -> None:
    assert reader_of(words, "export.csv", "text/csv") == "readCsv"


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx", "a.bin", "a.pdf", ""])
def test_office_files_are_distinguished_by_what_is_inside(name: str) -> None:
    assert reader_of(documents.letter(), name, "") == "readWord"
    assert reader_of(documents.workbook([["a"]]), name, "") == "readSheets"


def test_every_reader_is_a_task_that_loads() -> None:
    assert all(callable(task.load()) for task in TASKS.values())

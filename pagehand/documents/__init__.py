"""Reads, fills and unpacks documents of unknown origin, in isolated processes with limits.

`DocumentProcess` runs in the service. The tasks run in those processes: plain functions over bytes.
"""

from typing import Final

from pagehand.documents.process import LARGEST_DOCUMENT, DocumentProcess

_ENDINGS: Final = {
    ending: task
    for task, endings in {
        "readPdf": "pdf",
        "readWord": "docx docm dotx",
        "readSheets": "xlsx xlsm xlsb xls ods",
        "readCsv": "csv tsv",
        "readHtml": "html htm xhtml",
        "readMail": "eml",
        "readImage": "png jpg jpeg gif bmp tif tiff webp",
    }.items()
    for ending in endings.split()
}


_TYPES: Final = {
    "application/pdf": "readPdf",
    "text/csv": "readCsv",
    "text/tab-separated-values": "readCsv",
    "text/html": "readHtml",
    "application/xhtml+xml": "readHtml",
    "message/rfc822": "readMail",
}


_PICTURES: Final = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"II*\x00", b"MM\x00*")


def reader_of(content: bytes, name: str, mime_type: str) -> str:
    """The task that reads a document; that for plain text if nothing else fits."""
    ending = name.lower().rpartition(".")[2] if "." in name else ""
    guess = _ENDINGS.get(ending) or _TYPES.get(mime_type.partition(";")[0].strip().lower()) or "readText"
    head = content[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"%PDF") or (b"%PDF-" in head and guess == "readPdf"):
        return "readPdf"
    if head.startswith(b"PK\x03\x04"):
        return _office(content, guess)
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return "readWord" if guess == "readWord" else "readSheets"
    if head.startswith(_PICTURES) or _is_bitmap(head) or (head.startswith(b"RIFF") and head[8:12] == b"WEBP"):
        return "readImage"
    if head[:100].lower().startswith((b"<!doctype html", b"<html")):
        return "readHtml"
    return guess


def _is_bitmap(head: bytes) -> bool:
    """Whether it is a BMP; text may begin with the same two letters, but lacks the reserved zeros."""
    return head.startswith(b"BM") and head[6:10] == bytes(4)


def _office(content: bytes, guess: str) -> str:
    """Word document or workbook, by the file names in the archive's directory at its end."""
    if b"word/document.xml" in content[-65_536:]:
        return "readWord"
    if b"xl/workbook" in content[-65_536:] or guess not in ("readWord", "readSheets"):
        return "readSheets"
    return guess

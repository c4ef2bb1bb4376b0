"""Plain text and CSV, in whatever encoding they come."""

import codecs
import csv
import io
from collections.abc import Mapping
from typing import Any, Final

from pagehand.documents.document import Document, Page, Table, chosen, lines_of
from pagehand.documents.tasks import SendFile
from pagehand.errors import BlockFailed
from pagehand.records import Json

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SNIFFED: Final = 64 * 1024
_LARGEST_CELL: Final = 10_000_000


def read(content: bytes, options: Mapping[str, Any], _: SendFile) -> Json:
    """The text; form feeds end its pages."""
    pages = [Page(text, lines=lines_of(text)) for text in decoded(content).split("\f")]
    return Document(chosen(pages, options), len(pages)).to_json(options)


def read_table(content: bytes, options: Mapping[str, Any], _: SendFile) -> Json:
    """A CSV file, whichever way its cells are kept apart."""
    text = decoded(content)
    rows = csv_rows(text)
    return Document(chosen([Page(text, [Table(list(rows))])], options)).to_json(options)


def decoded(content: bytes) -> str:
    """Text by its mark, as UTF-8, as UTF-16 without a mark, or as Windows writes western languages."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return _strictly(content, name)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    if "\x00" not in text[:_SNIFFED]:
        return text
    sample = content[:_SNIFFED]
    for name, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        if zeros.count(0) * 10 > len(zeros) * 6:
            return _strictly(content, name)
    raise BlockFailed("It is not text: it holds zero bytes.")


def _strictly(content: bytes, name: str) -> str:
    try:
        return content.decode(name)
    except UnicodeDecodeError as error:
        raise BlockFailed(f"It is not text, though it begins like text in {name}.") from error


def csv_rows(text: str) -> list[list[str]]:
    """The rows of a CSV text that hold anything."""
    csv.field_size_limit(_LARGEST_CELL)
    try:
        dialect: Any = csv.Sniffer().sniff(text[:_SNIFFED], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel  # a single column has no delimiter to find
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), dialect))
    except csv.Error as error:
        raise BlockFailed(f"It cannot be read as CSV: {error}.") from error
    return [row for row in rows if any(cell.strip() for cell in row)]

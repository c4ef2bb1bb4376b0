"""Reads plain text and CSV in any common encoding."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from pagehand.documents.document import Document, Page, Table, select_pages, split_lines
from pagehand.documents.tasks import SendFile
from pagehand.errors import BlockFailed
from pagehand.records import Json

_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SNIFFED: Final = 64 * 1024
_LARGEST_CELL: Final = 10_000_000
_DELIMITERS: Final = "\t;|,"
"""The comma last: if another one fits all rows, commas are decimal marks or part of the text."""


def read(content: bytes, options: Mapping[str, Any], _: SendFile) -> Json:
    """The text; form feeds end its pages."""
    text = decode_text(content)
    pages = [Page(page, lines=split_lines(page)) for page in text.removesuffix("\f").split("\f")]
    return Document(select_pages(pages, options), len(pages)).to_json(options)


def read_table(content: bytes, options: Mapping[str, Any], _: SendFile) -> Json:
    """A CSV file with any delimiter."""
    text = decode_text(content)
    rows = csv_rows(text)
    return Document(select_pages([Page(text, [Table(list(rows))])], options)).to_json(options)


def decode_text(content: bytes) -> str:
    """Text in the encoding of its byte order mark, else UTF-8, UTF-16 or Windows-1252."""
    for mark, name in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return _decode(content, name)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        # never fails; any other encoding would be a guess
        text = content.decode("cp1252", errors="replace")
    if "\x00" not in text[:_SNIFFED]:
        return text
    sample = content[:_SNIFFED]
    for name, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        if zeros.count(0) * 10 > len(zeros) * 6 and "\x00" not in (text := _decode(content, name)):
            return text
    raise BlockFailed("It is not text: it holds zero bytes.")


def _decode(content: bytes, name: str) -> str:
    try:
        return content.decode(name)
    except UnicodeDecodeError as error:
        raise BlockFailed(f"It is not text, though it begins like text in {name}.") from error


def csv_rows(text: str) -> list[list[str]]:
    """The rows of a CSV text that are not empty."""
    csv.field_size_limit(_LARGEST_CELL)
    try:
        return _rows(text, _delimiter(text))
    except csv.Error as error:
        raise BlockFailed(f"It cannot be read as CSV: {error}.") from error


def _delimiter(text: str) -> str:
    """The delimiter that gives all rows the same width, else most of them; a comma if none does."""
    # without the last row of the sample, which may be cut off
    sample = text if len(text) <= _SNIFFED else text[: text.rfind("\n", 0, _SNIFFED) + 1 or _SNIFFED]
    # strict first: in a file with quoted cells, a tab inside the quotes might give all rows the same width
    for delimiter in _DELIMITERS:
        widths = set(_widths(sample, delimiter, strict=True))
        if len(widths) == 1 and widths.pop() > 1:
            return delimiter
    most, best = 0, ","
    for delimiter in _DELIMITERS:
        widths = Counter(_widths(sample, delimiter))
        width, count = widths.most_common(1)[0] if widths else (1, 0)
        if width > 1 and len(widths) == 1:
            return delimiter
        if width > 1 and count > most:
            most, best = count, delimiter
    return best


def _widths(sample: str, delimiter: str, *, strict: bool = False) -> list[int]:
    try:
        return [len(row) for row in _rows(sample, delimiter, strict=strict)]
    except csv.Error:  # a quote that is never closed: reading the whole file reports it
        return []


def _rows(text: str, delimiter: str, *, strict: bool = False) -> list[list[str]]:
    """The rows; `strict` refuses text after the closing quote of a cell."""
    # a space before a quote, or after every delimiter, is not part of the cell
    skips_space = f'{delimiter} "' in text or not re.search(rf"{re.escape(delimiter)}[^ \r\n]", text)
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=skips_space, strict=strict
    )
    return [row for row in reader if any(cell.strip() for cell in row)]

"""Reads text and tables of an HTML page."""

import re
from collections.abc import Mapping
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from pagehand.documents.document import Document, Page, Table, select_pages, split_lines
from pagehand.documents.html_text import shown_body, text_in
from pagehand.documents.tasks import SendFile
from pagehand.documents.text import decode_text
from pagehand.records import Json

_CHARSET: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]{1,40})""", re.IGNORECASE)
_MOST_SPANNED: Final = 100


def read(content: bytes, options: Mapping[str, Any], _: SendFile) -> Json:
    """The visible text and the tables."""
    title, page = read_page(_text(content))
    return Document(select_pages([page], options), title=title).to_json(options)


def read_page(html: str) -> tuple[str, Page]:
    """The title and the page."""
    parser = LexborHTMLParser(html)
    found = parser.css_first("title")
    title = " ".join(found.text().split()) if found is not None else ""
    body = shown_body(parser)
    if body is None:
        return title, Page()
    tables = [_table(node) for node in body.css("table") if len(node.css("table")) == 1]
    text = text_in(body)
    return title, Page(text, [table for table in tables if table.rows], [*_terms(body), *split_lines(text)])


def _text(content: bytes) -> str:
    match = _CHARSET.search(content[:4096])
    if match is not None:
        try:
            return content.decode(match[1].decode())
        except (LookupError, UnicodeDecodeError):
            pass  # a wrong or unknown name: `decode_text` detects the encoding
    return decode_text(content)


def _table(node: LexborNode) -> Table:
    caption = node.css_first("caption")
    covered: dict[int, int] = {}
    rows = [_cells(row, covered) for row in node.css("tr")]
    title = " ".join(caption.text().split()) if caption is not None else ""
    return Table([row for row in rows if any(row)], title)


def _cells(row: LexborNode, covered: dict[int, int]) -> list[Any]:
    """Texts of a row; `covered` counts by column how many more rows a cell above spans."""
    cells: list[Any] = []
    for cell in row.css("td, th"):
        _skip_covered(cells, covered)
        width, height = _span(cell, "colspan"), _span(cell, "rowspan")
        if height > 1:
            covered |= dict.fromkeys(range(len(cells), len(cells) + width), height - 1)
        cells += [" ".join(cell.text(separator=" ").split()), *[""] * (width - 1)]
    _skip_covered(cells, covered)
    return cells


def _skip_covered(cells: list[Any], covered: dict[int, int]) -> None:
    while covered.get(len(cells), 0) > 0:
        covered[len(cells)] -= 1
        cells.append("")


def _span(cell: LexborNode, name: str) -> int:
    """How many columns or rows a cell spans; one if the number is invalid."""
    span = (cell.attributes.get(name) or "1").strip()
    return min(max(int(span), 1), _MOST_SPANNED) if span.isdecimal() and len(span) < 5 else 1  # noqa: PLR2004 - four digits


def _terms(body: LexborNode) -> list[list[str]]:
    """Terms and descriptions of `<dl>` lists, as lines of two pieces."""
    found: list[list[str]] = []
    for term in body.css("dt"):
        value = term.next
        while value is not None and value.tag != "dd":
            value = value.next if value.tag in ("-text", "-comment") else None
        if value is not None:
            found.append([" ".join(text.text().split()).rstrip(" :") for text in (term, value)])
    return found

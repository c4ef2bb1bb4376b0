"""Reads text and tables of a DOCX file."""

import io
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

import docx
from docx.document import Document as WordDocument
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn

from pagehand.documents.document import Document, Page, Table, check_package, select_pages, split_lines
from pagehand.documents.tasks import SendFile
from pagehand.errors import BlockFailed
from pagehand.records import Json

_PARAGRAPH, _TABLE = qn("w:p"), qn("w:tbl")
_BREAK, _RENDERED_BREAK = qn("w:br"), qn("w:lastRenderedPageBreak")
_WRAPPERS: Final = frozenset(
    qn(f"w:{name}") for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo")
)
_FALLBACK: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_HIDDEN: Final = frozenset((qn("w:pPr"), qn("w:rPr"), qn("w:del"), qn("w:moveFrom"), _FALLBACK))
_PAGE_END: Final = "\f"
_PLAIN: Final = {qn("w:tab"): "\t", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}


def read(content: bytes, options: Mapping[str, Any], _: SendFile) -> Json:
    """Text and tables from top to bottom, in the pages of Word's last layout."""
    document = open_word(content)
    builder = _PageBuilder()
    for text in _headers(document):
        builder.add_text(text)
    for element in _find(cast("Any", document.element).body, _PARAGRAPH, _TABLE):
        if element.tag == _PARAGRAPH:
            builder.add_text(text_of(element))
        else:
            builder.add_table(_rows(element))
    pages = builder.finished()
    for page in pages:
        page.lines = split_lines(page.text)
    title = str(document.core_properties.title or "")
    return Document(select_pages(pages, options), len(pages), title).to_json(options)


def open_word(content: bytes) -> WordDocument:
    """The document; `BlockFailed` if it is not a DOCX file."""
    check_package(content, "DOCX", "word/document.xml")
    try:
        return docx.Document(io.BytesIO(content))
    except (PackageNotFoundError, KeyError, ValueError) as error:
        raise BlockFailed("It is not a DOCX file, or a damaged one.") from error


def text_of(paragraph: Any) -> str:
    """The text of a paragraph, with a form feed where a page ends."""
    pieces: list[str] = []
    for node in _text_nodes(paragraph):
        if node.tag == qn("w:t"):
            pieces.append(node.text or "")
        elif node.tag == _RENDERED_BREAK or (node.tag == _BREAK and node.get(qn("w:type")) == "page"):
            pieces.append(_PAGE_END)
        elif node.tag == _BREAK:
            pieces.append("\n")
        else:
            pieces.append(_PLAIN.get(node.tag, ""))
    return "".join(pieces)


def _text_nodes(node: Any) -> Iterator[Any]:
    """The nodes of the visible text: without settings, deleted text and the second copy of text boxes."""
    for below in node.iterchildren():
        if below.tag not in _HIDDEN:
            yield below
            yield from _text_nodes(below)


def _find(parent: Any, *wanted: str) -> Iterator[Any]:
    """Elements with these tags, also inside content controls and tracked changes."""
    for element in parent.iterchildren():
        if element.tag in wanted:
            yield element
        elif element.tag in _WRAPPERS:
            yield from _find(element, *wanted)


class _PageBuilder:
    """Collects text and tables on pages."""

    def __init__(self) -> None:
        self._pages: list[tuple[list[str], list[Table]]] = [([], [])]
        self._last_line = ""

    def add_text(self, text: str) -> None:
        first, *others = text.split(_PAGE_END)
        self._add_line(first, is_blank_kept=not others)
        for piece in others:
            # an explicit page break is followed by the mark of the same break in the layout
            if self._pages[-1] != ([], []):
                self._pages.append(([], []))
            self._add_line(piece, is_blank_kept=False)

    def add_table(self, rows: list[list[str]]) -> None:
        caption = self._last_line if len(self._last_line) <= 80 else ""  # noqa: PLR2004 - a heading, not prose
        self._pages[-1][1].append(Table(list(rows), caption))
        self._pages[-1][0].extend("\t".join(row) for row in rows)

    def finished(self) -> list[Page]:
        return [Page("\n".join(lines).strip("\n"), tables) for lines, tables in self._pages]

    def _add_line(self, line: str, *, is_blank_kept: bool) -> None:
        if line.strip() or is_blank_kept:
            self._pages[-1][0].append(line)
        if line.strip():
            self._last_line = line.strip()


def _headers(document: WordDocument) -> Iterator[str]:
    """The distinct texts of page headers."""
    seen: set[str] = set()
    for section in document.sections:
        if section.header.is_linked_to_previous:
            continue
        for element in cast("Any", section.header).part.element.iter(_PARAGRAPH):
            text = text_of(element).replace(_PAGE_END, "")
            if text.strip() and text not in seen:
                seen.add(text)
                yield text


def _rows(table: Any) -> list[list[str]]:
    """Cells of a table; a cell that spans several columns is followed by empty ones."""
    rows: list[list[str]] = []
    for row in _find(table, qn("w:tr")):
        cells: list[str] = []
        for cell in _find(row, qn("w:tc")):
            text = "\n".join(text_of(paragraph) for paragraph in cell.iter(_PARAGRAPH))
            span = cell.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}")
            width = int(span.get(qn("w:val"), "1")) if span is not None else 1
            cells += [text.replace(_PAGE_END, "").strip(), *[""] * (min(width, 100) - 1)]
        rows.append(cells)
    return rows

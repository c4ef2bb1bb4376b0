"""Files that document blocks open, worked on apart from the service, and what is in them.

The extractor sees a document as tables, and labels with what they name.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from msgspec import Struct, convert

from pagehand.blocks.run_context import RunContext
from pagehand.documents import LARGEST_DOCUMENT
from pagehand.errors import BlockFailed
from pagehand.page.extraction import Snapshot
from pagehand.page.extraction.raw_page import RawRow, RawTable
from pagehand.page.extraction.snapshot import Cell, Column, Source, source_of_parts
from pagehand.page.extraction.tables import table_sources
from pagehand.page.extraction.values import to_date, to_number
from pagehand.ports import KeepFile
from pagehand.records import FileInfo, Json


async def open_file(ctx: RunContext, reference: Any) -> tuple[FileInfo, bytes]:
    """The file that is meant, and its bytes; one that is too large is not even read."""
    info = await ctx.files.find(reference)
    if info.size_bytes > LARGEST_DOCUMENT:
        raise BlockFailed(
            f"`{info.name}` has {info.size_bytes / 1024 / 1024:.0f} MB; documents of up to "
            f"{LARGEST_DOCUMENT // 1024 // 1024} MB are opened."
        )
    return info, await ctx.files.read(info)


async def run_document_task(
    ctx: RunContext,
    task: str,
    file: tuple[str, bytes],
    options: Mapping[str, Any],
    keep: KeepFile | None = None,
) -> Any:
    """Do a task with a file, given by name and content, in the block's time; failures name the file."""
    name, content = file
    if (password := options.get("password")) is not None:
        ctx.keep_secret(password)
    try:
        return await ctx.documents.perform(
            task, content, options, timeout_seconds=ctx.remaining_seconds, keep=keep
        )
    except BlockFailed as failure:
        raise type(failure)(f"`{name}`: {failure.message}", failure.diagnosis) from failure


class SingleFile:
    """Takes the one file that a task makes."""

    def __init__(self) -> None:
        self.content = b""

    async def __call__(self, name: str, content: bytes, /) -> None:  # noqa: ARG002 - the block knows what to call it
        """Keep it."""
        self.content = content


_Named = tuple[Column, Cell]
_Row = list[str]

_PAIR: Final = re.compile(r"([^:]{1,60}+):\s++(\S.*)")
_LABEL: Final = re.compile(r"[^\d:]*[^\W\d_][^\d:]*\d?[^\d:]*:?")
_LONGEST_LABEL: Final = 60
_TWO: Final = 2
_TELLING_ROWS: Final = 200
_TITLE: Final = 0.58
"""As little as the heading of a web page is worth."""


class _Table(Struct):
    rows: list[list[Any]]
    caption: str


class _Page(Struct):
    lines: list[_Row]
    tables: list[_Table]


class _Document(Struct):
    """What the tasks that read documents give, as far as it matters here."""

    title: str
    pages: list[_Page]
    more: Json


def snapshot_of(read: Json) -> Snapshot:
    """What `read` (a task's value, with lines) holds under names."""
    document = convert(read, _Document)
    lines = [line for page in document.pages for line in page.lines]
    tables = list(_tables(document.pages))
    sources = [source for table in tables for source in table_sources(table)]
    lines += [_texts(row) for table in tables if table.header is None for row in table.rows]
    fields: dict[str, str] = document.more.get("fields", {})
    named = [(Column(name.rpartition(".")[2]), Cell(value)) for name, value in fields.items() if value]
    sources.append(source_of_parts("pairs", "", [[*named, *_pairs(lines)]]))
    title = document.title or (lines[0][0] if lines and len(lines[0]) == 1 else "")
    sources.append(_facts(title))
    headings = [line[0] for line in lines[:5] if len(line) == 1 and len(line[0]) <= _LONGEST_LABEL]
    return Snapshot(title, tuple(headings), tuple(source for source in sources if source.columns))


def sample_of(snapshot: Snapshot) -> Snapshot:
    """The same with no more rows than it takes to tell which column holds what."""
    sources = tuple(replace(source, rows=source.rows[:_TELLING_ROWS]) for source in snapshot.sources)
    return replace(snapshot, sources=sources)


def _facts(title: str) -> Source:
    named = [(Column("title", _TITLE), Cell(title))] if title else []
    return source_of_parts("page", "", [named])


def _pairs(lines: Sequence[_Row]) -> Iterator[_Named]:
    """`Label: value` in one piece, side by side in two, or below each other."""
    for at, line in enumerate(lines):
        rest = [piece for piece in line if _pair(piece) is None]
        yield from (_named(*pair) for piece in line if (pair := _pair(piece)) is not None)
        following = lines[at + 1] if at + 1 < len(lines) else []
        if len(rest) == _TWO and _is_label(rest[0]) and not rest[1].endswith(":"):
            yield _named(rest[0], rest[1])
        elif (
            len(rest) == 1
            and rest[0].endswith(":")
            and len(following) == 1
            and not following[0].endswith(":")
        ):
            yield _named(rest[0], following[0])


def _pair(piece: str) -> tuple[str, str] | None:
    """The label and the value of `Label: value`."""
    match = _PAIR.fullmatch(piece.strip())
    return (match[1].strip(), match[2]) if match is not None and _is_label(match[1].strip()) else None


def _is_label(text: str) -> bool:
    return len(text) <= _LONGEST_LABEL and _LABEL.fullmatch(text) is not None


def _named(label: str, value: str) -> _Named:
    return Column(label.rstrip(" :")), Cell(value)


@dataclass(slots=True)
class _Whole:
    """A table that may go on over several pages."""

    rows: list[_Row]
    caption: str
    ends_page: bool = False


def _tables(pages: Sequence[_Page]) -> Iterator[RawTable]:
    """Tables in the extractor's form; one that goes on over pages as one."""
    whole: list[_Whole] = []
    for page in pages:
        for at, table in enumerate(page.tables):
            rows = [[_shown(cell) for cell in row] for row in table.rows]
            last = whole[-1] if whole else None
            # only the last table of a page can go on, and only as the first of the next
            if last is not None and at == 0 and last.ends_page and _goes_on(last.rows, rows):
                last.rows += rows[1:] if rows[0] == last.rows[0] else rows
            else:
                whole.append(_Whole(rows, table.caption))
            whole[-1].ends_page = at == len(page.tables) - 1
    for table in whole:
        yield _read_table(table)


def _goes_on(before: list[_Row], rows: list[_Row]) -> bool:
    """True for a table on the next page with the same header, or with none but of the same width."""
    if rows[0] == before[0]:
        return True
    return len(rows[0]) == len(before[0]) and _has_header(before) and not _has_header(rows)


def _read_table(table: _Whole) -> RawTable:
    header = table.rows[0] if _has_header(table.rows) else None
    body = table.rows[1:] if header is not None else table.rows
    return RawTable(header=header, rows=[_line(row) for row in body], caption=table.caption)


def _line(row: _Row) -> RawRow:
    filled = sum(map(bool, row))
    return RawRow(
        cells=[Cell(cell) for cell in row],
        header_cells=[at == 0 for at in range(len(row))],
        spanned_cells=[False] * len(row),
        is_title=filled == 1 and len(row) > _TWO,
        has_wide_cell=False,
        is_footer=False,
    )


def _texts(line: RawRow) -> _Row:
    """The cells of a row that say something, as pieces of a line."""
    return [cell.text for cell in line.cells if cell.text]


def _has_header(rows: list[_Row]) -> bool:
    """True when the first row names the columns: no values there, and some below."""
    first, *rest = rows
    names = [cell for cell in first if cell]
    if not rest or len(names) < max(_TWO, len(first) * 2 / 3) or len(set(names)) < len(names):
        return False
    if any(_is_value(cell) or cell.endswith(":") for cell in names):
        return False
    if len(first) > _TWO:
        return True
    return all(_is_value(row[-1]) for row in rest if row[-1])


def _is_value(text: str) -> bool:
    return to_number(text) is not None or to_date(text) is not None or "@" in text


def _shown(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    return "" if cell is None else " ".join(str(cell).split())

"""The results of a batch: a CSV file with one line per row, or a ZIP that also has the files."""

import asyncio
import re
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from msgspec import Raw
from msgspec.json import Decoder
from msgspec.json import decode as decode_json

from pagehand.api.attachment import attachment, pieces
from pagehand.api.fields import ById
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.batches import find_batch
from pagehand.api.zip_stream import ZipStream, entry_name, files_of, stored_entry
from pagehand.clock import to_iso
from pagehand.loop import LARGE_BYTES
from pagehand.records import Batch, SkippedRow
from pagehand.storage.batches import BatchEntry, BatchResult, ValueColumn
from pagehand.storage.pages import split_by_size
from pagehand.workflow.templates import as_text

_decode_members: Final = Decoder(dict[str, Raw]).decode
_OUTLINE_SIZE: Final = 250
# rows may have any keys, and spreadsheets do not open thousands of columns
_MAX_COLUMNS: Final = 500
_FIXED_COLUMNS: Final = ("row", "status", "reason", "execution", "startTime", "durationMs")
# text of hostile pages ends up here, and Excel would run `=HYPERLINK(…)`
_FORMULA_START: Final = re.compile(r"[=+\-@\t\r]")
_NUMBER: Final = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_MAX_NUMBER_LENGTH: Final = 1000
_QUOTED_MARKS: Final = ',"\r\n'


@operation("/batches/results", scope="read", media_type="text/csv", is_long=True)
async def results(call: Call[ById]) -> Result:
    """A CSV file with one line per row: status, reason, params and response, in the order of the rows.

    A row that was retried shows its newest execution; one that was left out is `Skipped`. Text that a
    spreadsheet would run as a formula gets an apostrophe in front.
    """
    batch = await find_batch(call)
    # two passes: the heading needs the columns of all rows before the first line is sent
    outline = await _outline(call, batch)
    return attachment(_lines(call, outline), f"{batch.name[:100]}.csv", "text/csv")


@operation("/batches/resultsZip", scope="read", media_type="application/zip", is_long=True)
async def results_zip(call: Call[ById]) -> Result:
    """A ZIP of a batch: `results.csv` as `/batches/results` makes it, and the files of each row's execution.

    A file is at `files/<row>-<execution>/<number>-<name>`; the number keeps files of one name apart.
    """
    batch = await find_batch(call)
    outline = await _outline(call, batch)
    return attachment(_zip(call, outline), f"{batch.name[:100]}.zip", "application/zip")


@dataclass(slots=True)
class _Outline:
    """The newest execution of each row, and the columns that they need."""

    newest: dict[str, BatchEntry] = field(default_factory=dict[str, BatchEntry])
    """The newest execution of each row, by the row's first execution."""
    first_of: dict[str, str] = field(default_factory=dict[str, str])
    params: dict[str, None] = field(default_factory=dict[str, None])
    response: dict[str, None] = field(default_factory=dict[str, None])
    skipped: deque[SkippedRow] = field(default_factory=deque[SkippedRow])
    """The rows without an execution that have no line yet."""

    def add(self, entry: BatchEntry) -> None:
        """Add an execution; call it in the order in which they were accepted."""
        # a retry belongs to the row of the execution it repeats
        first = self.first_of.get(entry.retry_of or "", entry.id)
        self.first_of[entry.id] = first
        self.newest[first] = entry

    @property
    def heading(self) -> list[str]:
        """Names of all columns."""
        return [
            *_FIXED_COLUMNS,
            *(f"params.{name}" for name in self.params),
            *(f"response.{item}" for item in self.response),
        ]


async def _outline(call: Call[ById], batch: Batch) -> _Outline:
    outline, store = _Outline(), call.services.stores.batches
    after = 0
    while page := await store.entries(call.organization_id, batch.id, after=after, limit=_OUTLINE_SIZE):
        for entry in page:
            outline.add(entry)
        columns: tuple[tuple[ValueColumn, dict[str, None]], ...] = (
            ("params", outline.params),
            ("response", outline.response),
        )
        for values, known in columns:
            names = await store.names_within(values, call.organization_id, page, _MAX_COLUMNS)
            new = [name for name in names if name not in known]
            known.update(dict.fromkeys(new[: _MAX_COLUMNS - len(known)]))
        after = page[-1].number
    outline.skipped.extend(await store.skipped(call.organization_id, batch.id))
    names = dict.fromkeys(name for row in outline.skipped for name in row.params)
    outline.params = dict.fromkeys([*outline.params, *names][:_MAX_COLUMNS])
    return outline


async def _zip(call: Call[ById], outline: _Outline) -> AsyncIterator[bytes]:
    stream = ZipStream()
    with stream.entry("results.csv", is_text=True) as entry:
        async for lines in _lines(call, outline):
            yield await asyncio.to_thread(entry.write, lines)
    yield stream.take()
    for page in _limited_pages(outline.newest.values()):
        ids = [entry.id for _, entry in page]
        counts = await call.services.stores.files.count_by_execution(call.organization_id, ids)
        for number, entry in page:
            # the content of the response file is in the CSV
            if counts.get(entry.id, 0) > (entry.response_file_id is not None):
                async for piece in _files(call, stream, f"files/{number:05}-{entry.id}", entry):
                    yield piece
    yield stream.close()


async def _files(call: Call[ById], stream: ZipStream, folder: str, entry: BatchEntry) -> AsyncIterator[bytes]:
    async for number, info in files_of(call.services.stores, call.organization_id, entry.id):
        if info.id != entry.response_file_id:
            name = f"{folder}/{number:03}-{entry_name(info.name)}"
            async for piece in stored_entry(call.services.files, stream, name, info.key):
                yield piece


async def _pages(call: Call[ById], outline: _Outline) -> AsyncIterator[list[tuple[int, BatchResult]]]:
    """The newest execution of each row with the row's number, a few at a time: they may be large."""
    for page in _limited_pages(outline.newest.values()):
        found = await call.services.stores.batches.results(
            call.organization_id, [entry.id for _, entry in page]
        )
        by_id = {result.id: result for result in found}
        # retention may have deleted some meanwhile
        results = [(number, by_id[entry.id]) for number, entry in page if entry.id in by_id]
        # nothing here may keep a large row while it is sent
        del found, by_id
        yield results
        del results


def _limited_pages(entries: Iterable[BatchEntry]) -> Iterator[list[tuple[int, BatchEntry]]]:
    """The entries with the numbers of their rows, in pages of limited size and length."""
    numbered = ((entry.row or position, entry) for position, entry in enumerate(entries, 1))
    return split_by_size(numbered, lambda pair: pair[1].bytes)


async def _lines(call: Call[ById], outline: _Outline) -> AsyncIterator[bytes]:
    # without the byte order mark Excel does not read it as UTF-8
    yield b"\xef\xbb\xbf" + b"".join(_csv_line(outline.heading))
    async for page in _pages(call, outline):
        # in a thread: a row may have many megabytes
        parts = await asyncio.to_thread(_csv_pieces, page, outline)
        page.clear()
        while parts:
            yield parts.popleft()
    if outline.skipped:
        yield b"".join(cell for row in outline.skipped for cell in _csv_line(_skipped_cells(row, outline)))


def _csv_pieces(page: list[tuple[int, BatchResult]], outline: _Outline) -> deque[bytes]:
    """The lines of a page, in pieces that may be sent one by one."""
    return deque(pieces(cell for line in _csv_lines(page, outline) for cell in line))


def _csv_lines(page: list[tuple[int, BatchResult]], outline: _Outline) -> Iterator[Iterator[bytes]]:
    """The lines of a page, and those of the rows before them that were left out."""
    for number, result in page:
        while outline.skipped and outline.skipped[0].number < number:
            yield _csv_line(_skipped_cells(outline.skipped.popleft(), outline))
        yield _csv_line(_cells(number, result, outline))


def _skipped_cells(row: SkippedRow, outline: _Outline) -> Iterator[str]:
    yield from (str(row.number), "Skipped", _cell(row.problem))
    yield from ("", "", "")
    yield from (_cell(as_text(row.params[name])) if name in row.params else "" for name in outline.params)
    yield from ("" for _ in outline.response)


def _cells(number: int, result: BatchResult, outline: _Outline) -> Iterator[str]:
    yield from (str(number), result.status.value)
    yield _cell(result.failure.message if result.failure else "")
    duration_ms = result.duration_ms
    yield from (result.id, to_iso(result.start_time), "" if duration_ms is None else str(duration_ms))
    for names, values in ((outline.params, result.params), (outline.response, result.response)):
        known = _decode_members(values) if names and values else {}
        yield from (_cell(_text_of(known[name])) if name in known else "" for name in names)


def _text_of(json: Raw) -> str:
    # a large list or object stays as it is: as Python's objects it would take ten times the memory
    if memoryview(json).nbytes > LARGE_BYTES and bytes(memoryview(json)[:1]) != b'"':
        return bytes(json).decode()
    return as_text(decode_json(json))


def _cell(text: str) -> str:
    """A text that spreadsheets do not take for a formula."""
    is_number = len(text) < _MAX_NUMBER_LENGTH and _NUMBER.fullmatch(text)
    return f"'{text}" if _FORMULA_START.match(text) and not is_number else text


def _csv_line(cells: Iterable[str]) -> Iterator[bytes]:
    # not the module `csv`: it looks at every character, and keeps the interpreter while it does
    comma = b""
    for cell in cells:
        yield comma + _quoted(cell).encode("utf-8", "replace")
        comma = b","
    yield b"\r\n"


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(mark in cell for mark in _QUOTED_MARKS) else cell

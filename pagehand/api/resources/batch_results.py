"""The results of a batch: a CSV file with one line per row, or a ZIP that also has the files."""

import csv
import io
import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from pagehand.api.attachment import attachment
from pagehand.api.fields import ById
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.batches import find_batch
from pagehand.api.resources.zipped_files import files_of, stored_entry
from pagehand.api.zip_stream import ZipStream, entry_name
from pagehand.clock import to_iso
from pagehand.records import Batch, Execution
from pagehand.workflow.templates import as_text

# small, because responses may be large
_PAGE_SIZE: Final = 100
# rows may have any keys, and spreadsheets do not open thousands of columns
_MAX_COLUMNS: Final = 500
_FIXED_COLUMNS: Final = ("row", "status", "reason", "execution", "startTime", "durationMs")
# text of hostile pages ends up here, and Excel would run `=HYPERLINK(…)`
_FORMULA_START: Final = re.compile(r"[=+\-@\t\r]")
_NUMBER: Final = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


@operation(
    "/batches/results",
    scope="read",
    request=ById,
    errors=(404,),
    example={"id": "batch_01k3v8c2m4e6g8j0n2q4s6t8w0"},
    media_type="text/csv",
)
async def results(call: Call[ById]) -> Result:
    """A CSV file with one line per row: status, reason, params and response, in the order of the rows.

    A row that was retried shows its newest execution. Text that a spreadsheet would run as a formula gets an
    apostrophe in front.
    """
    batch = await find_batch(call)
    # two passes: the heading needs the columns of all rows before the first line is sent
    outline = await _outline(call, batch)
    return attachment(_lines(call, outline), f"{batch.name[:100]}.csv", "text/csv")


@operation(
    "/batches/resultsZip",
    scope="read",
    request=ById,
    errors=(404,),
    example={"id": "batch_01k3v8c2m4e6g8j0n2q4s6t8w0"},
    media_type="application/zip",
)
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

    newest: dict[str, str] = field(default_factory=dict[str, str])
    """The newest execution of each row, by the row's first execution."""
    first_of: dict[str, str] = field(default_factory=dict[str, str])
    params: dict[str, None] = field(default_factory=dict[str, None])
    response: dict[str, None] = field(default_factory=dict[str, None])

    def add(self, execution: Execution) -> None:
        """Add an execution; call it in the order in which they were accepted."""
        # a retry belongs to the row of the execution it repeats
        retried_id = execution.metadata.get("retryOf")
        first = self.first_of.get(str(retried_id), execution.id)
        self.first_of[execution.id] = first
        self.newest[first] = execution.id
        for columns, values in ((self.params, execution.params), (self.response, execution.response or {})):
            columns.update(dict.fromkeys(list(values)[: _MAX_COLUMNS - len(columns)]))

    @property
    def heading(self) -> list[str]:
        """Names of all columns."""
        return [
            *_FIXED_COLUMNS,
            *(f"params.{name}" for name in self.params),
            *(f"response.{item}" for item in self.response),
        ]


async def _outline(call: Call[ById], batch: Batch) -> _Outline:
    outline = _Outline()
    after: str | None = None
    while page := await call.services.stores.batches.executions(
        call.organization_id, batch.id, after=after, limit=_PAGE_SIZE
    ):
        for execution in page:
            outline.add(execution)
        after = page[-1].id
    return outline


async def _zip(call: Call[ById], outline: _Outline) -> AsyncIterator[bytes]:
    stream = ZipStream()
    with stream.entry("results.csv", is_text=True) as entry:
        async for line in _lines(call, outline):
            yield entry.write(line)
    yield stream.take()
    async for number, execution in _newest(call, outline):
        async for piece in _files(call, stream, f"files/{number:05}-{execution.id}", execution):
            yield piece
    yield stream.close()


async def _files(
    call: Call[ById], stream: ZipStream, folder: str, execution: Execution
) -> AsyncIterator[bytes]:
    response_file = execution.response_file and execution.response_file.id  # its content is in the CSV
    async for number, info in files_of(call.services.stores, execution):
        if info.id != response_file:
            name = f"{folder}/{number:03}-{entry_name(info.name)}"
            async for piece in stored_entry(call.services.files, stream, name, info.key):
                yield piece


async def _newest(call: Call[ById], outline: _Outline) -> AsyncIterator[tuple[int, Execution]]:
    """The newest execution of each row, with the row's number."""
    for number, execution_id in enumerate(outline.newest.values(), 1):
        execution = await call.services.stores.executions.get(call.organization_id, execution_id)
        if execution is not None:  # retention may have deleted it meanwhile
            yield number, execution


async def _lines(call: Call[ById], outline: _Outline) -> AsyncIterator[bytes]:
    # without the byte order mark Excel does not read it as UTF-8
    yield b"\xef\xbb\xbf" + _csv([outline.heading])
    async for number, execution in _newest(call, outline):
        yield _csv([_line(number, execution, outline)])


def _line(number: int, execution: Execution, outline: _Outline) -> list[str]:
    response = execution.response or {}
    return [
        str(number),
        execution.status.value,
        _cell(execution.failure.message if execution.failure else None),
        execution.id,
        to_iso(execution.start_time),
        _cell(execution.duration_ms),
        *(_cell(execution.params.get(name)) for name in outline.params),
        *(_cell(response.get(name)) for name in outline.response),
    ]


def _cell(value: Any) -> str:
    """A value as text that spreadsheets do not take for a formula."""
    text = as_text(value)
    return f"'{text}" if _FORMULA_START.match(text) and not _NUMBER.fullmatch(text) else text


def _csv(rows: Iterable[list[str]]) -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode("utf-8", "replace")


OPERATIONS = (results, results_zip)

"""What came of a batch: a CSV file with one line per row, or a ZIP with its files; sent while it is made."""

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

# responses may be large, and a page of executions is in memory at once
_AT_ONCE: Final = 100
# rows may have any keys: thousands of columns open in no spreadsheet
_MOST_COLUMNS: Final = 500
_FIXED: Final = ("row", "status", "reason", "execution", "startTime", "durationMs")
# what a page showed ends up here, and Excel would run `=HYPERLINK(…)` of a hostile one
_RUNS_AS_FORMULA: Final = re.compile(r"[=+\-@\t\r]")
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
    # two passes: the heading needs the names of all rows before the first line is sent
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
    """By the row's first execution."""
    first_of: dict[str, str] = field(default_factory=dict[str, str])
    params: dict[str, None] = field(default_factory=dict[str, None])
    response: dict[str, None] = field(default_factory=dict[str, None])

    def add(self, execution: Execution) -> None:
        """Note one; they come in the order they were accepted."""
        # a retry belongs to the row of the execution it repeats
        before = execution.metadata.get("retryOf")
        first = self.first_of.get(str(before), execution.id)
        self.first_of[execution.id] = first
        self.newest[first] = execution.id
        for names, given in ((self.params, execution.params), (self.response, execution.response or {})):
            names.update(dict.fromkeys(list(given)[: _MOST_COLUMNS - len(names)]))

    @property
    def heading(self) -> list[str]:
        """Names of all columns."""
        return [
            *_FIXED,
            *(f"params.{name}" for name in self.params),
            *(f"response.{item}" for item in self.response),
        ]


async def _outline(call: Call[ById], batch: Batch) -> _Outline:
    outline = _Outline()
    after: str | None = None
    while page := await call.services.stores.batches.executions(
        call.organization_id, batch.id, after=after, limit=_AT_ONCE
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
    response_file = execution.response_file and execution.response_file.id  # what is in it is in the CSV
    async for number, info in files_of(call.services.stores, execution):
        if info.id != response_file:
            name = f"{folder}/{number:03}-{entry_name(info.name)}"
            async for piece in stored_entry(call.services.files, stream, name, info.key):
                yield piece


async def _newest(call: Call[ById], outline: _Outline) -> AsyncIterator[tuple[int, Execution]]:
    """The newest execution of each row with the row's number, one after the other."""
    for number, execution_id in enumerate(outline.newest.values(), 1):
        execution = await call.services.stores.executions.get(call.organization_id, execution_id)
        if execution is not None:  # retention may have taken it away meanwhile
            yield number, execution


async def _lines(call: Call[ById], outline: _Outline) -> AsyncIterator[bytes]:
    # without the byte order mark Excel reads UTF-8 in the code page of the machine
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
    """A value as text that no spreadsheet runs."""
    text = as_text(value)
    return f"'{text}" if _RUNS_AS_FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _csv(rows: Iterable[list[str]]) -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode("utf-8", "replace")


OPERATIONS = (results, results_zip)

"""What came of a batch as a CSV file, one line per row, sent while it is made."""

import csv
import io
import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

from starlette.responses import StreamingResponse

from pagehand.api.fields import ById
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.batches import find_batch
from pagehand.clock import to_iso
from pagehand.records import Batch, Execution
from pagehand.workflow.templates import as_text

_AT_ONCE: Final = 100
_MOST_COLUMNS: Final = 500
_FIXED: Final = ("row", "status", "reason", "execution", "startTime", "durationMs")
_RUNS_AS_FORMULA: Final = re.compile(r"[=+\-@\t\r]")
_NUMBER: Final = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


@operation(
    "/batches/results",
    needs="read",
    takes=ById,
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
    outline = await _outline(call, batch)
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(batch.name[:100], safe='')}.csv",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
    }
    return StreamingResponse(_lines(call, outline), media_type="text/csv", headers=headers)


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
    while page := await call.parts.stores.batches.executions(
        call.organization_id, batch.id, after=after, limit=_AT_ONCE
    ):
        for execution in page:
            outline.add(execution)
        after = page[-1].id
    return outline


async def _lines(call: Call[ById], outline: _Outline) -> AsyncIterator[bytes]:
    yield b"\xef\xbb\xbf" + _csv([outline.heading])  # the mark tells spreadsheets that it is UTF-8
    for number, execution_id in enumerate(outline.newest.values(), 1):
        execution = await call.parts.stores.executions.get(call.organization_id, execution_id)
        if execution is not None:  # retention may have taken it away meanwhile
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


OPERATIONS = (results,)

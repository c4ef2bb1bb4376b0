"""Write a table as a CSV file: what an Extract block read, a loop's rounds, or a downloaded spreadsheet.

Rows are objects (their keys become columns) or arrays. Text stays as it is, null becomes an empty cell, and
nested values become JSON text.
"""

import asyncio
import csv
import io
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from pydantic import Field

from pagehand.blocks.base import Block, DeclaredOutput
from pagehand.blocks.document_reading import open_file, run_document_task
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed
from pagehand.records import Json, is_array
from pagehand.workflow.cells import headings
from pagehand.workflow.locator import Locator
from pagehand.workflow.problems import shown
from pagehand.workflow.templates import as_text
from pagehand.workflow.wire import Text

_Row = list[Any]


class ParseToCsv(Block):
    """Turn rows into a CSV file."""

    type: ClassVar[str] = "ParseToCsv"
    title: ClassVar[str] = "Parse to CSV"
    label: ClassVar[str] = "Make a CSV file"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.documents:WRITING_CSV"
    output_kind: ClassVar[DeclaredOutput | None] = "file"
    also_called: ClassVar[tuple[str, ...]] = ("csv", "toCsv", "exportCsv", "writeCsv")

    input: Any
    """An array of objects or arrays, or a spreadsheet file (XLSX or CSV)."""
    columns: list[Text] | None = None
    """Which columns, in this order; by default all, in the order they first appear."""
    delimiter: Text = Field(default=",", min_length=1, max_length=1)
    """The character between cells."""
    header: bool = True
    """Write the names of the columns as the first row."""
    file_name: Text = Field(default="data.csv", min_length=1)
    """The name of the file."""

    @classmethod
    def what_prevents_running(cls, data: Json, locator: Locator | None) -> str | None:
        """Quotes and line breaks cannot separate cells."""
        del locator
        return _delimiter_problem(data.get("delimiter"))

    async def run(self, ctx: RunContext) -> Outcome:
        """Read the rows, write them, keep the file."""
        if problem := _delimiter_problem(self.delimiter):
            raise BlockFailed(problem)
        rows = await self._rows(ctx)
        # in a thread: a large table takes seconds, in which no other run would go on
        content, count = await asyncio.to_thread(self._content, rows)
        info = await ctx.files.save(self.file_name, "text/csv", content)
        return Outcome(output=ctx.files.describe(info), message=f"{count} rows in `{info.name}`.")

    def _content(self, rows: list[Any]) -> tuple[bytes, int]:
        names, cells = _table(rows, self.columns)
        lines = [names, *cells] if self.header and names is not None else cells
        return _write(lines, self.delimiter), len(cells)

    async def _rows(self, ctx: RunContext) -> list[Any]:
        given: Any = self.input
        if is_array(given):
            return given
        info, content = await open_file(ctx, given)
        rows = await run_document_task(ctx, "readRows", (info.name, content), {})
        return [dict(zip(headings(rows[0]), row, strict=False)) for row in rows[1:]] if rows else []


def _delimiter_problem(delimiter: Any) -> str | None:
    is_used = isinstance(delimiter, str) and delimiter in ('"', "\r", "\n")
    return f"`data.delimiter`: {shown(delimiter)} cannot stand between cells." if is_used else None


def _table(rows: Sequence[Any], columns: list[str] | None) -> tuple[_Row | None, list[_Row]]:
    """Names of the columns, where there are any, and the cells below them."""
    kinds = {_kind(row, position) for position, row in enumerate(rows)}
    if len(kinds) > 1:
        raise BlockFailed("`data.input` mixes objects and arrays; give rows of one kind.")
    if kinds == {"array"}:
        return _of_arrays(cast(list[_Row], list(rows)), columns)
    return _of_objects(cast(list[Json], list(rows)), columns)


def _kind(row: Any, position: int) -> str:
    if isinstance(row, dict):
        return "object"
    if isinstance(row, list):
        return "array"
    raise BlockFailed(f"`data.input[{position}]`: expected an object or an array, got {shown(row)}.")


def _of_arrays(rows: list[_Row], columns: list[str] | None) -> tuple[_Row | None, list[_Row]]:
    # rows of different lengths get empty cells: programs that read CSV expect a rectangle
    width = len(columns) if columns else max(len(row) for row in rows)
    return columns, [[*row, *[None] * (width - len(row))][:width] for row in rows]


def _of_objects(rows: list[Json], columns: list[str] | None) -> tuple[_Row | None, list[_Row]]:
    known = list(dict.fromkeys(key for row in rows for key in row))
    unknown = [name for name in columns or [] if rows and name not in known]
    if unknown:
        raise BlockFailed(
            f"`data.columns`: no row has `{unknown[0]}`; there is {', '.join(f'`{name}`' for name in known)}."
        )
    names = columns or known
    return names or None, [[row.get(name) for name in names] for row in rows]


def _write(rows: Sequence[_Row], delimiter: str) -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter).writerows([[as_text(cell) for cell in row] for row in rows])
    return buffer.getvalue().encode()


EXAMPLES: list[Json] = [
    {
        "type": "Parse to CSV",
        "data": {
            "input": [{"name": "Ann", "age": 41}, {"name": "Bo", "city": "Oslo"}],
            "fileName": "people.csv",
        },
    },
    {
        "type": "ParseToCsv",
        "data": {
            "input": [[1, 2], [3, 4]],
            "columns": ["x", "y"],
            "delimiter": ";",
            "fileName": "points.csv",
        },
    },
]

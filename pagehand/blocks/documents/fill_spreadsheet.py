"""Write values into a spreadsheet: an existing one, or a new one.

Reach for it to fill in a template, or to add rows to a list. `cells` sets single cells by their address;
text that begins with `=` is a formula there. `rows` are appended below what is there, in the looks of the row
above: arrays by position, or objects by the names in the header row, where new names become new columns.
Formats and formulas of the file stay as they are; pictures do not, and the event says so. The
given file is not changed, the output is a new one.
"""

import re
from typing import Any, ClassVar

from pydantic import Field, field_validator

from pagehand.blocks.base import Block, DeclaredOutput
from pagehand.blocks.document_reading import SingleFile, open_file, run_document_task
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.records import Json
from pagehand.workflow.wire import Text

_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_MACRO_TYPE = "application/vnd.ms-excel.sheet.macroEnabled.12"
_ADDRESS = re.compile(r"\$?([A-Za-z]{1,3})\$?([1-9]\d{0,6})")
_LAST_COLUMN = "XFD"
_LAST_ROW = 1_048_576
"""Where a sheet ends: programs call a workbook damaged that goes beyond."""


class FillSpreadsheet(Block):
    """Write values into a spreadsheet."""

    type: ClassVar[str] = "FillSpreadsheet"
    title: ClassVar[str] = "Fill Spreadsheet"
    label: ClassVar[str] = "Fill in a spreadsheet"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.documents:WRITING_CELLS"
    output_kind: ClassVar[DeclaredOutput | None] = "file"
    also_called: ClassVar[tuple[str, ...]] = ("excel", "xlsx", "spreadsheet", "writeExcel")

    file: Any = None
    """The spreadsheet (.xlsx or .xlsm) to start from; a new one without it."""
    sheet: Text | None = Field(default=None, min_length=1)
    """The sheet to write to, made if it is not there; the active one without it."""
    cells: Json = Field(default_factory=Json)
    """Values by address, such as `B7`."""
    rows: list[Any] = Field(default_factory=list[Any])
    """Rows to append: arrays, or objects by the names in the header row."""
    header_row: int = Field(default=1, ge=1, le=1_000_000)
    """The row that holds the names of the columns."""
    file_name: Text | None = Field(default=None, min_length=1)
    """What to call the file; the given file's name without it."""

    @field_validator("cells")
    @classmethod
    def _has_addresses(cls, cells: Json) -> Json:
        for address in cells:
            if not _is_address(address) and "{{" not in address:
                raise ValueError(f"{address} is not a cell address such as B7")
        return cells

    async def run(self, ctx: RunContext) -> Outcome:
        """Open, write, keep as a new file."""
        name, content = "spreadsheet.xlsx", b""
        if self.file not in (None, ""):
            info, content = await open_file(ctx, self.file)
            name = info.name
        filled = SingleFile()
        options = {
            "sheet": self.sheet,
            "cells": self.cells,
            "rows": self.rows,
            "headerRow": self.header_row,
        }
        report = await run_document_task(ctx, "fillSheet", (name, content), options, filled)
        saved = await ctx.files.save(
            _named(self.file_name or name, has_macros=report["hasMacros"]),
            _MACRO_TYPE if report["hasMacros"] else _SHEET_TYPE,
            filled.content,
        )
        message = f"Wrote {len(self.cells)} cells and {len(self.rows)} rows to `{saved.name}`"
        if report["lost"]:
            message += f"; its {' and '.join(report['lost'])} are not kept"
        return Outcome(ctx.files.describe(saved), message, {"cells": len(self.cells), "rows": len(self.rows)})


def _is_address(text: str) -> bool:
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found[2]) > _LAST_ROW:
        return False
    column = found[1].upper()
    return len(column) < len(_LAST_COLUMN) or column <= _LAST_COLUMN


def _named(name: str, *, has_macros: bool) -> str:
    ending = ".xlsm" if has_macros else ".xlsx"
    return name if name.lower().endswith(ending) else name.removesuffix(".xlsx") + ending


EXAMPLES: list[Json] = [
    {
        "type": "FillSpreadsheet",
        "data": {
            "sheet": "Invoices",
            "cells": {"A1": "number", "B1": "amount", "D1": "=SUM(B2:B99)"},
            "rows": [{"number": "A-1", "amount": 12.5}, {"number": "A-2", "amount": 7}],
            "fileName": "invoices.xlsx",
        },
    },
]

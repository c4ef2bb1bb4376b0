"""What documents cost: a large workbook, a long PDF, a small one, a long invoice by its schema.

    python benchmarks/documents.py [--rows 20000] [--pages 100] [--times 5]

CPU time is that of the processes that open the documents and of the one that asks them, from the bytes to the
value. The first task of each kind also loads its libraries; it is reported separately.
"""

import argparse
import asyncio
import io
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

from openpyxl import Workbook
from reportlab.pdfgen import canvas

from measuring import processes
from measuring.report import Figure, publish
from pagehand.blocks.document_reading import sample_of, snapshot_of
from pagehand.documents import DocumentProcess
from pagehand.page.extraction import apply_plan, make_plan

_SETTLE_SECONDS = 0.3
_SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "number": {"type": "integer"},
            "customer": {"type": "string"},
            "sum": {"type": "number"},
        },
        "required": ["number", "customer", "sum"],
    },
}


def workbook(rows: int) -> bytes:
    """Ten columns of text, numbers, dates and booleans."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Orders")
    sheet.append(["number", "customer", "sum", "paid", "day", "a", "b", "c", "d", "e"])
    for at in range(rows):
        sheet.append(
            [at, f"Customer {at % 500}", at * 1.5, at % 2 == 0, "2026-03-04", "x", at, at / 7, "text", None]
        )
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def pdf(pages: int) -> bytes:
    """Prose of about five hundred words a page."""
    out = io.BytesIO()
    page = canvas.Canvas(out)
    for number in range(pages):
        for line in range(50):
            page.drawString(
                60, 800 - 15 * line, f"Page {number} line {line}: ten words of prose that say very little"
            )
        page.showPage()
    page.save()
    return out.getvalue()


class Meter:
    """CPU seconds of one thing, done several times."""

    def __init__(self, times: int) -> None:
        self._times = times
        self.first = 0.0
        self.later: list[float] = []

    async def measure(self, do: Callable[[], Awaitable[object]]) -> "Meter":
        """Once to load what it needs, then as often as asked."""
        self.first = await self._once(do)
        self.later = [await self._once(do) for _ in range(self._times)]
        return self

    async def _once(self, do: Callable[[], Awaitable[object]]) -> float:
        before = processes.cpu_seconds() + time.process_time()
        await do()
        await asyncio.sleep(_SETTLE_SECONDS)  # until the copy has ended and was counted
        return processes.cpu_seconds() + time.process_time() - before

    @property
    def median(self) -> float:
        """Of the later times."""
        return statistics.median(self.later)


async def measure(rows: int, pages: int, times: int) -> list[Figure]:
    """All figures."""
    process = DocumentProcess()
    await process.start()
    book, long, small = workbook(rows), pdf(pages), pdf(1)

    async def read(task: str, content: bytes, **options: Any) -> Any:
        return await process.perform(task, content, options, timeout_seconds=60)

    async def by_schema() -> object:
        found = snapshot_of(await read("readSheets", book, lines=True))
        value = apply_plan(make_plan(sample_of(found), _SCHEMA), found)
        if len(value) != rows:
            raise RuntimeError(f"{len(value)} rows came out, not {rows}")
        return value

    sheets = await Meter(times).measure(lambda: read("readSheets", book))
    text = await Meter(times).measure(lambda: read("readPdf", long))
    tiny = await Meter(times * 4).measure(lambda: read("readPdf", small))
    note = await Meter(times * 4).measure(lambda: read("readText", b"hello"))
    shaped = await Meter(times).measure(by_schema)
    await process.close()
    return [
        Figure(f"workbook of {rows} rows, CPU", sheets.median, "s", at_most=1),
        Figure(f"PDF of {pages} pages to text and tables, CPU", text.median, "s", at_most=1),
        Figure("PDF of one page, CPU", tiny.median * 1000, "ms", at_most=100),
        Figure("a line of text: the cost of a separate process, CPU", note.median * 1000, "ms"),
        Figure("first workbook: libraries are loaded, CPU", sheets.first, "s"),
        Figure(f"workbook of {rows} rows to data by schema, CPU", shaped.median, "s"),
    ]


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args()
    figures = asyncio.run(measure(given.rows, given.pages, given.times))
    publish("documents", "Documents", figures)


if __name__ == "__main__":
    main()

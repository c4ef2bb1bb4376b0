"""Print the current page into a PDF file.

Reach for it to keep a page as it looks on paper: a confirmation, a receipt. Its output is a file
for later blocks.
"""

from typing import ClassVar, Literal

from pydantic import Field

from pagehand.blocks.base import Block, DeclaredOutput
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.records import Json
from pagehand.workflow.wire import Text

_LONGEST_NAME = 100


class SaveAsPdf(Block):
    """Print the page into a file."""

    type: ClassVar[str] = "SaveAsPdf"
    title: ClassVar[str] = "Save As PDF Block"
    label: ClassVar[str] = "Save the page as PDF"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.reading:PRINTING"
    output_kind: ClassVar[DeclaredOutput | None] = "file"
    also_called: ClassVar[tuple[str, ...]] = ("pdf", "print", "screenshot", "savePdf", "printPage")
    needs_page: ClassVar[bool] = True
    reads_page: ClassVar[bool] = True

    file_name: Text | None = Field(default=None, min_length=1)
    """What to call the file; the page's title without it."""
    format: Literal["Letter", "Legal", "Tabloid", "Ledger", "A0", "A1", "A2", "A3", "A4", "A5", "A6"] = "A4"
    """Paper format."""
    landscape: bool = False
    """Print across."""
    print_background: bool = True
    """Print colours and pictures of the background too."""
    scale: float = Field(default=1.0, ge=0.1, le=2)
    """Size of the page's content, 0.1 to 2."""

    async def run(self, ctx: RunContext) -> Outcome:
        """Print, keep the file."""
        name = self.file_name or _as_file_name(await ctx.page.page.title())
        content = await ctx.page.pdf(
            format=self.format,
            landscape=self.landscape,
            print_background=self.print_background,
            scale=self.scale,
        )
        name = name if name.lower().endswith(".pdf") else f"{name}.pdf"
        info = await ctx.files.save(name, "application/pdf", content)
        return Outcome(
            ctx.files.describe(info), f"Saved the page as `{info.name}`", {"sizeBytes": info.size_bytes}
        )


def _as_file_name(title: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter in " .-_" else " " for letter in title)
    return " ".join(kept.split())[:_LONGEST_NAME].strip(". ") or "page"


EXAMPLES: list[Json] = [
    {"type": "SaveAsPdf", "data": {"fileName": "confirmation.pdf", "format": "A4", "landscape": False}},
]

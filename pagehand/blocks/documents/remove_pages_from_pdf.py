"""Take pages out of a PDF: a cover sheet, terms and conditions, everything but the first page.

`pages` names what goes: single pages and ranges with commas between them, counted from 1, or from the end
with a minus (`-1` is the last). The given file is not changed, the output is a new one, and what stood on the
removed pages is not in it any more.
"""

from typing import Any, ClassVar

from pydantic import Field, field_validator

from pagehand.blocks.base import Block, DeclaredOutput
from pagehand.blocks.document_reading import SingleFile, open_file, run_document_task
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.documents.document import find_mistake
from pagehand.records import Json
from pagehand.workflow.wire import Text


class RemovePagesFromPdf(Block):
    """Take pages out of a PDF."""

    type: ClassVar[str] = "RemovePagesFromPdf"
    title: ClassVar[str] = "RemovePagesFromPdf"
    label: ClassVar[str] = "Remove pages of a PDF"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.documents:REMOVING_PAGES"
    output_kind: ClassVar[DeclaredOutput | None] = "file"
    also_called: ClassVar[tuple[str, ...]] = ("removePages", "deletePages", "splitPdf")

    file: Any
    """The PDF: a File info, its id, or a template that yields one."""
    pages: Text = Field(min_length=1)
    """Which pages go, such as `1,3-5,-1`."""
    file_name: Text | None = Field(default=None, min_length=1)
    """What to call the file; the given file's name without it."""
    password: Text | None = Field(default=None, min_length=1)
    """What opens an encrypted PDF; the new one is not encrypted."""

    @field_validator("pages")
    @classmethod
    def _are_pages(cls, pages: str) -> str:
        if "{{" not in pages and (mistake := find_mistake(pages)) is not None:
            raise ValueError(mistake)
        return pages

    async def run(self, ctx: RunContext) -> Outcome:
        """Open, remove, keep as a new file."""
        info, content = await open_file(ctx, self.file)
        shorter = SingleFile()
        options = {"pages": self.pages, "password": self.password}
        report = await run_document_task(ctx, "removePages", (info.name, content), options, shorter)
        saved = await ctx.files.save(self.file_name or info.name, "application/pdf", shorter.content)
        message = f"Removed {report['removed']} pages, {report['left']} are left in `{saved.name}`"
        return Outcome(ctx.files.describe(saved), message, report)


EXAMPLES: list[Json] = [
    {
        "type": "RemovePagesFromPdf",
        "data": {"file": "{{blocks.download}}", "pages": "1,3-4,-1", "fileName": "short.pdf"},
    },
]

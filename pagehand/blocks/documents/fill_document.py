"""Fill in a form: a PDF with form fields, or a Word template with `{{name}}` where values belong.

Give `values` by the names of the fields; nested objects are dotted names. In a PDF, ticks take true and
false, radio buttons and lists one of their choices; `flatten` makes the values part of the page, so that
nobody changes them. In a Word template a table row with `{{rows.name}}`, where `rows` is a list, is repeated
for each item. A value that the document has no field for fails the block with the list of fields. The given
file is not changed, the output is a new one.
"""

from typing import Any, ClassVar

from pydantic import Field

from pagehand.blocks.base import Block, DeclaredOutput
from pagehand.blocks.document_reading import SingleFile, open_file, run_document_task
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.documents import reader_of
from pagehand.errors import BlockFailed
from pagehand.records import Json
from pagehand.workflow.wire import Text

_TASKS = {"readPdf": "fillPdf", "readWord": "fillWord"}
_WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


class FillDocument(Block):
    """Fill in a PDF form or a Word template."""

    type: ClassVar[str] = "FillDocument"
    title: ClassVar[str] = "FillDocument"
    label: ClassVar[str] = "Fill in a document"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.documents:FILLING_IN"
    output_kind: ClassVar[DeclaredOutput | None] = "file"
    also_called: ClassVar[tuple[str, ...]] = ("fillPdf", "document", "word", "docx")

    file: Any
    """The form or template: a File info, its id, or a template that yields one."""
    values: Json
    """What to write, by the names of the fields; null leaves a field as it is."""
    flatten: bool = False
    """Make the values of a PDF form part of the page."""
    file_name: Text | None = Field(default=None, min_length=1)
    """What to call the file; the given file's name without it."""
    password: Text | None = Field(default=None, min_length=1)
    """What opens an encrypted PDF; the filled one is not encrypted."""

    async def run(self, ctx: RunContext) -> Outcome:
        """Open, write, keep as a new file."""
        info, content = await open_file(ctx, self.file)
        task = _TASKS.get(reader_of(content, info.name, info.mime_type))
        if task is None:
            raise BlockFailed(
                f"`{info.name}` is neither a PDF nor a Word file (DOCX); workbooks are for Fill Spreadsheet."
            )
        filled = SingleFile()
        options = {"values": self.values, "flatten": self.flatten, "password": self.password}
        report = await run_document_task(ctx, task, (info.name, content), options, filled)
        mime_type = "application/pdf" if task == "fillPdf" else _WORD_TYPE
        saved = await ctx.files.save(self.file_name or info.name, mime_type, filled.content)
        message = f"Filled {len(report['filled'])} fields of `{saved.name}`, left {len(report['left'])}"
        return Outcome(ctx.files.describe(saved), message, report)


EXAMPLES: list[Json] = [
    {
        "type": "FillDocument",
        "data": {
            "file": "{{params.form}}",
            "values": {"name": "Ada Lovelace", "agreed": True, "address": {"city": "London"}},
            "flatten": True,
            "fileName": "signed.pdf",
        },
    },
    {
        "type": "FillDocument",
        "data": {
            "file": "{{params.template}}",
            "values": {"customer": "Ada", "rows": [{"item": "Engine", "price": 12.5}]},
            "fileName": "offer.docx",
        },
    },
]

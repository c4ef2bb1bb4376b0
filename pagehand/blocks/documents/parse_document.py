"""Read a document: a PDF, a Word file, a workbook, CSV, HTML, plain text, a mail message, a picture.

Reach for it after a download or an upload. Without a schema it outputs the document's `text`, its `tables`
(rows of cells) and the number of its `pages`; a mail message also its `attachments`, a filled PDF form its
`fields`, a workbook its `sheets`, which count as pages. With `schema` it outputs data of that shape: values
are found by their names in tables, `Label: value` lines and form fields, and converted ("$1,200.50" becomes
1200.5). What cannot be found that way, and `prompt` without a schema, needs a model.

Documents are opened in a process of their own with little time and memory, so a damaged or hostile one fails
the block and nothing else. Pictures and scanned pages need the `tesseract` program on the server.
"""

import asyncio
import shutil
from typing import Any, ClassVar

from pydantic import Field, field_validator

from pagehand.blocks.base import Block, DeclaredOutput
from pagehand.blocks.conversion import check, validator_of
from pagehand.blocks.document_reading import open_file, run_document_task, sample_of, snapshot_of
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.documents import reader_of
from pagehand.documents.document import find_mistake
from pagehand.errors import NotPresent
from pagehand.page.extraction import apply_plan, make_plan
from pagehand.records import Json, is_array
from pagehand.workflow.wire import Text


class ParseDocument(Block):
    """Read a document."""

    type: ClassVar[str] = "ParseDocument"
    title: ClassVar[str] = "ParseDocument"
    label: ClassVar[str] = "Read a document"
    menu_position: ClassVar[int] = 1
    sentences: ClassVar[str] = "pagehand.instructions.grammar.documents:PARSING"
    output_kind: ClassVar[DeclaredOutput | None] = "data"
    also_called: ClassVar[tuple[str, ...]] = ("readPdf", "ocr", "parse", "readDocument", "parsePdf")

    file: Any
    """The document: a File info, its id, or a template that yields one."""
    pages: Text | None = Field(default=None, min_length=1)
    """Which pages, such as `1,3-5,-1`; all without it."""
    prompt: Text = ""
    """What to read, in words; of several tables that fit, the one whose heading has them."""
    schema_: Json | None = Field(default=None, alias="schema")
    """JSON Schema of the result."""
    password: Text | None = Field(default=None, min_length=1)
    """What opens an encrypted PDF."""
    language: Text | None = Field(default=None, min_length=3)
    """The language of pictures and scanned pages, as `tesseract` calls it: `eng`, `deu+eng`."""

    @field_validator("pages")
    @classmethod
    def _are_pages(cls, pages: str | None) -> str | None:
        if pages is not None and "{{" not in pages and (mistake := find_mistake(pages)) is not None:
            raise ValueError(mistake)
        return pages

    async def run(self, ctx: RunContext) -> Outcome:
        """Read, and give what was read the shape that is asked for."""
        if self.schema_ is not None:
            # before the file is opened: a wrong schema would else be found only when all of it is read
            validator_of(self.schema_)
        info, content = await open_file(ctx, self.file)
        options = {
            "pages": self.pages,
            "password": self.password,
            "language": self.language,
            "tesseract": shutil.which("tesseract"),
            "lines": self.schema_ is not None,
        }
        task = reader_of(content, info.name, info.mime_type)
        read: Json = await run_document_task(ctx, task, (info.name, content), options)
        if self.schema_ is not None:
            return await self._shaped(ctx, read, self.schema_)
        if self.prompt:
            answer = await ctx.model.text(ctx.model.prompt("document", prompt=self.prompt), _text(read))
            return Outcome(answer, f"Read `{info.name}` with the model")
        output = _output(read)
        size = f"{len(read['pages'])} of {output['pages']} pages, {len(output['tables'])} tables"
        return Outcome(output, " ".join([f"Read `{info.name}`: {size}.", *read["notes"]]))

    async def _shaped(self, ctx: RunContext, read: Json, schema: Json) -> Outcome:
        """By the document's own structure, else by the model."""
        try:
            # a long table takes long enough to hold up everything else
            value, plan = await asyncio.to_thread(self._by_structure, read, schema)
        except NotPresent as refusal:
            if not ctx.has_model:
                raise _refused(refusal) from refusal
            asked = ctx.model.prompt("document", prompt=self.prompt or "What the schema asks for.")
            value = await ctx.model.data(asked, _text(read), schema)
            return Outcome(value, "Read with the model")
        size = f"{len(value)} rows" if is_array(value) else "one record"
        return Outcome(value, f"Read {size} by the structure of the document", {"plan": plan})

    def _by_structure(self, read: Json, schema: Json) -> tuple[Any, Json]:
        snapshot = snapshot_of(read)
        plan = make_plan(sample_of(snapshot), schema, self.prompt)
        value = apply_plan(plan, snapshot)
        check(value, schema, "What was read")
        return value, plan.describe()


def _refused(refusal: NotPresent) -> NotPresent:
    message = refusal.message.replace("on the page", "in the document")
    advice = "Name the properties as the document does, or set `PAGEHAND_MODEL`."
    found = refusal.diagnosis
    return NotPresent(
        f"{message}. Free text needs a language model, and none is configured: set `PAGEHAND_MODEL`.",
        type(found)(found.expected, found.found, found.cause.replace("the page", "the document"), advice),
    )


def _text(read: Json) -> str:
    return "\n\f\n".join(page["text"] for page in read["pages"])


def _output(read: Json) -> Json:
    """The output of the block when no shape is asked for."""
    tables = [table["rows"] for page in read["pages"] for table in page["tables"]]
    return {**read["more"], "text": _text(read), "tables": tables, "pages": read["count"]}


EXAMPLES: list[Json] = [
    {"type": "ParseDocument", "data": {"file": "{{blocks.download}}", "pages": "1"}},
    {
        "type": "ParseDocument",
        "data": {
            "file": "{{blocks.download}}",
            "schema": {
                "type": "object",
                "properties": {
                    "invoiceNumber": {"type": "string"},
                    "total": {"type": "number"},
                },
                "required": ["invoiceNumber", "total"],
            },
        },
    },
]

"""Find a file: among what this run downloaded, all files of the organization, or its knowledge base.

With `namePattern` (such as `invoice-*.pdf`) the newest file whose name fits. With `query` the file that has
most of its words: in its name, else in its text. Puts out the file, or null when none fits.
"""

import re
import shutil
from collections.abc import Sequence
from typing import ClassVar, Self

from pydantic import Field, model_validator

from pagehand.blocks.base import Block, DeclaredOutput
from pagehand.blocks.document_reading import open_file, run_document_task
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.documents import reader_of
from pagehand.errors import BlockFailed
from pagehand.ports import FilePlace
from pagehand.records import FileInfo, Json
from pagehand.workflow import wildcard
from pagehand.workflow.wire import Text

_MOST_READ = 20
_LARGEST_READ = 10 * 1024 * 1024
_SECONDS_LEFT = 5.0
_WORD = re.compile(r"[^\W_]+")
_UNIMPORTANT = frozenset(("the", "a", "an", "of", "for", "from", "and", "in", "file", "document"))


class FindDocument(Block):
    """Find a file by its name or what it is about."""

    type: ClassVar[str] = "FindDocument"
    title: ClassVar[str] = "FindDocument"
    label: ClassVar[str] = "Find a file"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.documents:FINDING"
    output_kind: ClassVar[DeclaredOutput | None] = "file"
    also_called: ClassVar[tuple[str, ...]] = ("findFile", "getDocument")

    query: Text | None = Field(default=None, min_length=1)
    """Words that the file has in its name or its text."""
    name_pattern: Text | None = Field(default=None, min_length=1)
    """What its name is like, whatever the case; `*` stands for anything."""
    in_: FilePlace = Field(default="downloads", alias="in")
    """Where to look."""
    mime_type: Text | None = Field(default=None, min_length=1)
    """Only files of this type, such as `application/pdf` or `image/*`."""

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        if self.query is None and self.name_pattern is None and self.mime_type is None:
            raise ValueError("query, namePattern or mimeType is needed")
        return self

    async def run(self, ctx: RunContext) -> Outcome:
        """Narrow down by name and type, then choose by the query."""
        files = [
            choice for choice in await ctx.files.choices(self.in_, self.query or "") if self._fits(choice)
        ]
        best = await self._best(ctx, files)
        if best is None:
            return Outcome(None, f"None of the files in `{self.in_}` fits")
        return Outcome(ctx.files.describe(best), f"Found `{best.name}`", {"candidates": len(files)})

    def _fits(self, info: FileInfo) -> bool:
        wanted = ((self.mime_type, info.mime_type), (self.name_pattern, info.name))
        return all(
            pattern is None or wildcard.matches(pattern.lower(), text.lower()) for pattern, text in wanted
        )

    async def _best(self, ctx: RunContext, files: Sequence[FileInfo]) -> FileInfo | None:
        """The newest of those with most of the words; the text counts where no name has them all."""
        words = _words(self.query or "")
        if not words or self.in_ == "knowledge":  # the knowledge base has put them in order
            return files[0] if files else None
        scored = [(_share(words, info.name), info) for info in files]
        if not any(score == 1 for score, _ in scored):
            scored = [
                (max(score, await self._in_text(ctx, words, info, at)), info)
                for at, (score, info) in enumerate(scored)
            ]
        best = max(scored, key=lambda item: item[0], default=None)
        return best[1] if best is not None and best[0] > 0.5 else None  # noqa: PLR2004 - most of the words

    async def _in_text(self, ctx: RunContext, words: set[str], info: FileInfo, at: int) -> float:
        if at >= _MOST_READ or info.size_bytes > _LARGEST_READ or ctx.remaining_seconds < _SECONDS_LEFT:
            return 0
        try:
            _, content = await open_file(ctx, info.id)
            task = reader_of(content, info.name, info.mime_type)
            if task == "readImage" and shutil.which("tesseract") is None:
                return 0
            read = await run_document_task(
                ctx, task, (info.name, content), {"tesseract": shutil.which("tesseract")}
            )
        except BlockFailed:
            return 0  # a file that cannot be read is not a match, and no reason to fail
        return _share(words, f"{info.name} {' '.join(page['text'] for page in read['pages'])}")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold())) - _UNIMPORTANT


def _share(words: set[str], text: str) -> float:
    return len(words & _words(text)) / len(words)


EXAMPLES: list[Json] = [
    {"type": "FindDocument", "data": {"namePattern": "*invoice*.pdf", "in": "downloads"}},
    {"type": "FindDocument", "data": {"query": "rental agreement 2026", "in": "files"}},
]

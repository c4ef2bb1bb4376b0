"""Unpack a zip archive, or those of its files whose names fit a pattern.

Puts out the files, each with its `path` in the archive, as many as fit; there may be none. Archives encrypted
with a password are opened, both the old way and with AES. An archive that is made to do harm is refused:
paths that lead out of it, symbolic links, and bombs that unpack to far more than anybody needs.
"""

import mimetypes
import re
from typing import Any, ClassVar

from pydantic import Field

from pagehand.blocks.base import Block, DeclaredOutput
from pagehand.blocks.document_reading import open_file, run_document_task
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.records import Json
from pagehand.workflow.wire import Text

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class UnzipFile(Block):
    """Unpack a zip archive."""

    type: ClassVar[str] = "UnzipFile"
    title: ClassVar[str] = "UnzipFile"
    label: ClassVar[str] = "Unpack an archive"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.external_steps:UNPACKING"
    output_kind: ClassVar[DeclaredOutput | None] = "file"
    also_called: ClassVar[tuple[str, ...]] = ("unzip", "zip", "extractZip", "archive")

    file: Any
    """The archive: a File info, its id, or a template that yields one."""
    pattern: Text | None = Field(default=None, min_length=1)
    """Which files, such as `*.pdf` or `2026/*`, whatever the case; all without it."""
    password: Text | None = Field(default=None, min_length=1)
    """What opens an encrypted archive."""

    async def run(self, ctx: RunContext) -> Outcome:
        """Unpack, and keep each file."""
        info, content = await open_file(ctx, self.file)
        found: list[Json] = []

        async def keep(path: str, unpacked: bytes, /) -> None:
            path = _CONTROL.sub("_", path)
            name = path.rpartition("/")[2]
            mime_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
            saved = await ctx.files.save(name, mime_type, unpacked)
            found.append({**ctx.files.describe(saved), "path": path})

        options = {"pattern": self.pattern, "password": self.password}
        await run_document_task(ctx, "unzip", (info.name, content), options, keep)
        return Outcome(found, f"Unpacked {len(found)} files of `{info.name}`", {"files": len(found)})


EXAMPLES: list[Json] = [
    {"type": "UnzipFile", "data": {"file": "{{blocks.download}}", "pattern": "*.pdf"}},
]

"""Files that document blocks open: found by whatever names them, worked on apart from the service."""

from collections.abc import Mapping
from typing import Any

from pagehand.blocks.run_context import RunContext
from pagehand.documents import LARGEST_DOCUMENT
from pagehand.errors import BlockFailed
from pagehand.ports import KeepFile
from pagehand.records import FileInfo


async def open_file(ctx: RunContext, reference: Any) -> tuple[FileInfo, bytes]:
    """The file that is meant, and its bytes; one that is too large is not even read."""
    info = await ctx.files.find(reference)
    if info.size_bytes > LARGEST_DOCUMENT:
        raise BlockFailed(
            f"`{info.name}` has {info.size_bytes / 1024 / 1024:.0f} MB; documents of up to "
            f"{LARGEST_DOCUMENT // 1024 // 1024} MB are opened."
        )
    return info, await ctx.files.read(info)


async def run_document_task(
    ctx: RunContext,
    task: str,
    file: tuple[str, bytes],
    options: Mapping[str, Any],
    keep: KeepFile | None = None,
) -> Any:
    """Do a task with a file, given by name and content, in the block's time; failures name the file."""
    name, content = file
    if (password := options.get("password")) is not None:
        ctx.keep_secret(password)
    try:
        return await ctx.documents.perform(
            task, content, options, timeout_seconds=ctx.remaining_seconds, keep=keep
        )
    except BlockFailed as failure:
        raise type(failure)(f"`{name}`: {failure.message}", failure.diagnosis) from failure


class SingleFile:
    """Takes the one file that a task makes."""

    def __init__(self) -> None:
        self.content = b""

    async def __call__(self, name: str, content: bytes, /) -> None:  # noqa: ARG002 - the block knows what to call it
        """Keep it."""
        self.content = content

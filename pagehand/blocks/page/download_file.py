"""Download a file: from an address with the browser's cookies, or by clicking what starts the download.

Reach for it to keep an invoice, a report, an export. Its output is a file that later blocks can
read, attach or upload, and that the execution lists among its downloads.
"""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from pagehand.blocks.base import Block, DeclaredOutput, LocatorUse, RecordingRule
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.acting import DialogAnswer, acting, time_left_ms
from pagehand.blocks.run_context import RunContext
from pagehand.browser_session import FoundElement
from pagehand.errors import BlockFailed
from pagehand.records import FileInfo, Json
from pagehand.workflow.locator import Locator
from pagehand.workflow.recorded import ActKind
from pagehand.workflow.wire import Text


class DownloadFile(Block):
    """Download a file."""

    type: ClassVar[str] = "DownloadFile"
    title: ClassVar[str] = "Download File Block"
    label: ClassVar[str] = "Download a file"
    menu_position: ClassVar[int] = 8
    sentences: ClassVar[str] = "pagehand.instructions.grammar.reading:DOWNLOADING"
    recorded_as: ClassVar[Mapping[ActKind, RecordingRule]] = {
        "download": RecordingRule("Download", lambda _: {})
    }
    output_kind: ClassVar[DeclaredOutput | None] = "file"
    also_called: ClassVar[tuple[str, ...]] = ("download", "save", "saveFile", "getFile")
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    locator_use: ClassVar[LocatorUse] = "optional"
    default_timeout_seconds: ClassVar[float | None] = 600

    url: Text | None = Field(default=None, min_length=1)
    """The file's address; relative to the page allowed."""
    file_name: Text | None = Field(default=None, min_length=1)
    """What to call the file; the site's own name without it."""
    dialog: DialogAnswer | None = None
    """How to answer a dialog that opens meanwhile."""

    @classmethod
    def what_prevents_running(cls, data: Json, locator: Locator | None) -> str | None:
        """Nothing says what to download."""
        if data.get("url") is None and locator is None:
            return "`data.url` is missing: give it, or a `locator` of what to click."
        return None

    async def run(self, ctx: RunContext) -> Outcome:
        """Fetch the address, or click and take what comes."""
        if self.url is not None:
            info = await ctx.page.fetch_file(
                self.url, timeout_seconds=ctx.remaining_seconds, file_name=self.file_name
            )
        elif ctx.locator is not None:
            info = await self._click(ctx, await ctx.find("act"))
        else:
            raise BlockFailed("Nothing says what to download: give `url`, or a locator of what to click")
        message = f"Downloaded `{info.name}` ({info.size_bytes:,} bytes)"
        return Outcome(ctx.files.describe(info), message, {"name": info.name, "sizeBytes": info.size_bytes})

    async def _click(self, ctx: RunContext, found: FoundElement) -> FileInfo:
        press = await ctx.page.before_press(found.element)
        async with acting(ctx, f"download by clicking {ctx.locator}", self.dialog, press):
            return await ctx.page.download(
                lambda: found.element.click(timeout=time_left_ms(ctx)),
                timeout_seconds=ctx.remaining_seconds,
                file_name=self.file_name,
            )


EXAMPLES: list[Json] = [
    {"type": "DownloadFile", "locator": {"role": "link", "text": "Invoice"}, "data": {}},
    {"type": "DownloadFile", "data": {"url": "/files/report.csv", "fileName": "march.csv"}},
]

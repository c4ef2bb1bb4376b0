"""Close tabs: the current one, all others, or the newest.

Reach for it when a tab has served its purpose; closing the current one brings back the tab it was opened
from.
"""

from typing import ClassVar, Literal

from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.records import Json


class ClosePage(Block):
    """Close tabs."""

    type: ClassVar[str] = "ClosePage"
    title: ClassVar[str] = "Close Page"
    label: ClassVar[str] = "Close the tab"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.closing:CLOSING_TABS"
    also_called: ClassVar[tuple[str, ...]] = ("close", "closeTab", "closeWindow")
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True

    which: Literal["current", "others", "last"] = "current"
    """The current tab, all but the current one, or the newest."""

    async def run(self, ctx: RunContext) -> Outcome:
        """Close them."""
        closed = await ctx.page.tabs.close(self.which)
        return Outcome(message=f"Closed {closed} tab{'' if closed == 1 else 's'}", details={"closed": closed})


EXAMPLES: list[Json] = [{"type": "ClosePage", "data": {"which": "others"}}]

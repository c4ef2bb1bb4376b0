"""Open an address in the browser, or switch to a tab that is already open.

Reach for it to get to a page: `url` may be relative to the current page. With `newTab` it opens beside
the current tab; with `tab` it first switches to a tab by position (from 0) or by a pattern of its
address. A page that answers with an error fails the block unless `allowErrorStatus` is set.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal, Self

from playwright.async_api import Page
from pydantic import Field, model_validator

from pagehand.blocks.agent_tool import AgentTool
from pagehand.blocks.base import Block, RecordingRule
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.acting import DialogAnswer, dialog_rule
from pagehand.blocks.run_context import RunContext
from pagehand.errors import Diagnosis, PageError
from pagehand.records import Json
from pagehand.workflow import wildcard
from pagehand.workflow.recorded import ActKind
from pagehand.workflow.wire import Text

_POSITION: Final = re.compile(r"-?\d{1,9}", re.ASCII)


class Navigate(Block):
    """Open an address or switch tabs."""

    type: ClassVar[str] = "Navigate"
    title: ClassVar[str] = "Navigate"
    label: ClassVar[str] = "Open a page"
    menu_position: ClassVar[int] = 1
    sentences: ClassVar[str] = "pagehand.instructions.grammar.acting:OPENING"
    recorded_as: ClassVar[Mapping[ActKind, RecordingRule]] = {
        "open": RecordingRule("Open the page", lambda act: {"url": act.value})
    }
    also_called: ClassVar[tuple[str, ...]] = (
        "goTo",
        "open",
        "openUrl",
        "openPage",
        "visit",
        "url",
        "browse",
        "page",
        "get",
        "load",
    )
    key_hints: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("href", "link", "address", "page", "uri"), "did you mean `url`?"),
    }
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    agent_tool: ClassVar[AgentTool | None] = AgentTool(
        "Open an address.", ("url",), required=("url",), acts_on_element=False
    )

    url: Text | None = Field(default=None, min_length=1)
    """The address; may be relative to the current page."""
    wait_until: Literal["load", "domcontentloaded", "networkidle"] = "load"
    """What counts as arrived."""
    new_tab: bool = False
    """Open it in a new tab, which becomes the current one."""
    tab: int | Text | None = None
    """Switch to this tab first: its position from 0, or its address with `*` for anything."""
    referer: Text | None = None
    """The page to name as the one that led here."""
    allow_error_status: bool = False
    """Go on when the page answers with 4xx or 5xx."""
    dialog: DialogAnswer | None = None
    """How to answer a dialog that the page opens as it loads."""

    @model_validator(mode="after")
    def _goes_somewhere(self) -> Self:
        if self.url is None and self.tab is None:
            raise ValueError("give a url, or a tab to switch to")
        return self

    async def run(self, ctx: RunContext) -> Outcome:
        """Switch tabs, then open the address."""
        if self.tab is not None:
            await ctx.page.tabs.switch_to(_tab(ctx.page.tabs.all, self.tab))
        if self.url is None:
            return Outcome(message=f"Switched to `{ctx.page.page.url}`", details={"url": ctx.page.page.url})
        url = self.url
        if self.new_tab:
            url = await _absolute(ctx, url)
            await ctx.page.tabs.open()
        with ctx.page.dialogs.answering(dialog_rule(self.dialog)):
            status = await ctx.page.goto(
                url,
                wait_until=self.wait_until,
                referer=self.referer,
                allow_error_status=self.allow_error_status,
                timeout_seconds=ctx.remaining_seconds,
            )
        arrived = ctx.page.page.url
        return Outcome(message=f"Opened `{arrived}`", details={"url": arrived, "status": status})


async def _absolute(ctx: RunContext, url: str) -> str:
    """The address resolved against the current page, before a blank tab replaces it."""
    if "://" in url or ctx.page.page.url == "about:blank":
        return url
    return str(await ctx.page.page.evaluate("url => new URL(url, document.baseURI).href", url))


def _tab(tabs: Any, wanted: int | str) -> Page:
    if isinstance(wanted, str) and _POSITION.fullmatch(wanted):
        wanted = int(wanted)
    if isinstance(wanted, int):
        if -len(tabs) <= wanted < len(tabs):
            return tabs[wanted]
    else:
        pattern = wanted if "*" in wanted else f"*{wanted}*"
        # the newest of several that fit is the one that was opened for this
        for tab in reversed(tabs):
            if wildcard.matches(pattern, tab.url):
                return tab
    addresses = ", ".join(f"`{tab.url}`" for tab in tabs)
    raise PageError(
        f"No open tab fits `{wanted}`; open are: {addresses}",
        Diagnosis(expected=f"a tab `{wanted}`", found=addresses, advice="Count tabs from 0, oldest first."),
    )


EXAMPLES: list[Json] = [
    {"type": "Navigate", "data": {"url": "{{params.site}}/invoices"}},
    {"type": "Navigate", "data": {"url": "/help", "newTab": True, "waitUntil": "domcontentloaded"}},
]

"""Run blocks again and again: for each item, a number of times, while something holds, or page by page.

Puts out one object per round, keyed by the blocks' references. Inside, `{{item}}` and `{{index}}` (from 0)
are this loop's; give `itemName` to reach the item from loops further in. An ExitFromLoop block ends it early,
a Next block ends the round.
"""

import asyncio
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from playwright.async_api import Error as PlaywrightError
from pydantic import Field, ValidationInfo, model_validator

from pagehand.blocks.base import Block, DeclaredOutput
from pagehand.blocks.outcome import LoopBreak, LoopContinue, Outcome
from pagehand.blocks.page.controls.acting import acting
from pagehand.blocks.run_context import RunContext
from pagehand.browser_session import FoundElement
from pagehand.errors import BlockFailed, NotPresent, SiteDown
from pagehand.javascript import load_script
from pagehand.records import Json, is_object
from pagehand.workflow.conditions import Condition, looks_at_page
from pagehand.workflow.locator import Locator
from pagehand.workflow.wire import RESOLVED, WireModel

_FIND_NEXT_SECONDS = 2.0
_CHANGE_SECONDS = 5.0
_POLL_SECONDS = 0.1
_QUIET_SECONDS = 0.5
_UNCHANGED_SECONDS = 1.0
_CLICK_SECONDS = 30.0
_WHOLE_TEMPLATE = re.compile(r"\{\{[^{}]*\}\}")
_WAYS = ("items", "times", "while", "pages")
_CHOICES = {
    "items": "A list",
    "times": "A number of times",
    "while": "While something holds",
    "pages": "The pages of a list",
}
"""What forms call the ways."""
_RESERVED = frozenset(("params", "blocks", "item", "index", "login", "execution", "now"))

_LOOK = load_script(__file__, "page_look")


class LoopOver(WireModel):
    """What a loop goes over: exactly one of items, times, while, pages."""

    form_hints: ClassVar[Json] = {"x-exactlyOneOf": _CHOICES, "x-label": "Loop over"}

    items: list[Any] | None = None
    """One round per item."""
    times: int | None = Field(default=None, ge=0)
    """How many rounds to run."""
    while_: Condition | None = Field(default=None, alias="while")
    """Rounds as long as this holds; judged before each, with `index` of the round to come."""
    pages: Locator | None = None
    """The control that leads to the next page, clicked after each round until it does nothing more."""

    @model_validator(mode="before")
    @classmethod
    def _exactly_one(cls, value: Any, info: ValidationInfo) -> Any:
        if not is_object(value):
            return value
        given = value
        ways = [way for way in _WAYS if given.get(way) is not None]
        empty = [way for way in _WAYS if way in given]
        # when it is written, null may be a mistake of any kind; once filled in, a template stood there
        if info.context is RESOLVED and not ways and empty:
            raise ValueError(f"`{empty[0]}` is null; did the block it refers to run?")
        if len(ways) != 1:
            raise ValueError(
                f"expected exactly one of items, times, while, pages, got {', '.join(ways) or 'none'}"
            )
        return given


class Loop(Block):
    """Repeat the blocks of `sequence`."""

    type: ClassVar[str] = "LoopV2"
    title: ClassVar[str] = "Loop"
    label: ClassVar[str] = "Repeat"
    menu_position: ClassVar[int] = 1
    sentences: ClassVar[str] = "pagehand.instructions.grammar.loops:LOOPING"
    changes_by_acting: ClassVar[bool] = True
    output_kind: ClassVar[DeclaredOutput | None] = "rounds"
    also_called: ClassVar[tuple[str, ...]] = ("for", "forEach", "repeat", "while", "iterate", "each")
    sequences: ClassVar[tuple[str, ...]] = ("sequence",)
    default_timeout_seconds: ClassVar[float | None] = None
    own_names: ClassVar[dict[str, tuple[str, ...]]] = {"over.while": ("index",)}

    over: LoopOver
    """What the rounds are for: items, a number of times, a condition, or the pages of a list."""
    item_name: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_-]*$")
    """Another name for the item, visible in nested loops as well."""
    max_iterations: int = Field(default=1000, ge=1)
    """The loop ends after this many rounds, even if items are left."""
    continue_on_error: bool = False
    """A round that fails is `{"error": message}`, and the loop goes on."""

    @model_validator(mode="after")
    def _hides_nothing(self) -> Self:
        if self.item_name in _RESERVED:
            raise ValueError(f"`itemName` cannot be `{self.item_name}`, which has a meaning already")
        return self

    @classmethod
    def names_inside(cls, data: Mapping[str, Any]) -> tuple[str, ...]:
        """The round's item and number, and the item's own name."""
        named = data.get("itemName")
        return ("item", "index", named) if isinstance(named, str) else ("item", "index")

    @classmethod
    def warnings(
        cls,
        data: Mapping[str, Any],
        locator: Mapping[str, Any] | None,  # noqa: ARG003 - a loop has none
    ) -> Iterator[tuple[str, str]]:
        """A list around a template that is a list itself: one round with all of it."""
        over = data.get("over")
        match over.get("items") if is_object(over) else None:
            case [str(only)] if _WHOLE_TEMPLATE.fullmatch(only.strip()):
                warning = (
                    f"this list has one entry, `{only.strip()[:80]}`: if it is a list itself, the loop makes "
                    "one round with all of it. Give the template in place of the list"
                )
                yield "data.over.items", warning
            case _:
                pass

    def wants_page(self) -> bool:
        """Only when it goes over pages or its condition is about the page."""
        return self.over.pages is not None or looks_at_page(self.over.while_)

    async def run(self, ctx: RunContext) -> Outcome:
        """One round after the other, until nothing is left."""
        rounds: list[Json] = []
        ctx.publish_rounds(rounds)
        is_entered = ctx.starts_in() is not None
        while await self._goes_on(ctx, len(rounds), is_entered=is_entered):
            rounds.append({})
            await asyncio.sleep(0)  # a round may have nothing to wait for, and others want their turn
            try:
                await self._round(ctx, rounds)
            # raised by a block within; the outputs of the round until then stay
            except LoopContinue:
                continue
            except LoopBreak:
                break
        return Outcome(output=rounds, message=f"{len(rounds)} round{'' if len(rounds) == 1 else 's'}.")

    async def _goes_on(self, ctx: RunContext, index: int, *, is_entered: bool) -> bool:
        length = self._length()
        if length is not None and index >= length:
            return False
        # after the length: a loop that ends exactly at its limit has nothing left, and no event says so
        if index >= self.max_iterations:
            ctx.emit(
                "loop.limit",
                f"The loop ended at its limit of {index} rounds (`maxIterations`).",
                {"rounds": index},
            )
            return False
        if self.over.while_ is not None:
            # a run that begins inside the loop is in its first round already
            return (is_entered and index == 0) or await ctx.holds(self.over.while_, index=index)
        return self.over.pages is None or index == 0 or await _turn_page(ctx, self.over.pages)

    def _length(self) -> int | None:
        return len(self.over.items) if self.over.items is not None else self.over.times

    async def _round(self, ctx: RunContext, rounds: list[Json]) -> None:
        index = len(rounds) - 1
        item = self.over.items[index] if self.over.items is not None else index
        names = {"item": item, "index": index, **({self.item_name: item} if self.item_name else {})}
        try:
            await ctx.run_round("sequence", rounds[-1], **names)
        # a lost browser or a cancelled run is not the round's failure: it ends the loop
        except (BlockFailed, SiteDown) as failure:
            if not self.continue_on_error:
                raise
            ctx.replace_round(index, {"error": failure.message})
            ctx.emit("round.failed", f"Round {index} failed: {failure.message}", {"index": index})


async def _turn_page(ctx: RunContext, control: Locator) -> bool:
    """Click the control; False when it cannot be clicked any more or the page stays as it was."""
    found = await _find_next(ctx, control)
    if found is None:
        return False
    before = await _look(ctx)
    async with acting(ctx, f"turn the page with {control}"):
        await found.element.click(timeout=_CLICK_SECONDS * 1000)
    return await _has_changed(ctx, before)


async def _has_changed(ctx: RunContext, before: tuple[str, ...]) -> bool:
    """Wait for the page to look different, at most until nothing on it changes any more."""
    patience = time.monotonic() + _CHANGE_SECONDS
    resting = asyncio.create_task(
        ctx.page.wait_until_quiet(_UNCHANGED_SECONDS, timeout_seconds=_CHANGE_SECONDS)
    )
    try:
        while True:
            is_last_look = (resting.done() and resting.result()) or time.monotonic() > patience
            if await _look(ctx) != before:
                return True
            if is_last_look:
                return False
            await ctx.sleep(_POLL_SECONDS)
    finally:
        resting.cancel()
        await asyncio.gather(resting, return_exceptions=True)


async def _find_next(ctx: RunContext, control: Locator) -> FoundElement | None:
    """The control; one that is not there is waited for until the page rests, as on the last page it does."""
    patience, is_quiet = time.monotonic() + _FIND_NEXT_SECONDS, False
    while True:
        try:
            return await ctx.page.find(control, "act", timeout_seconds=0)
        except NotPresent:
            left = patience - time.monotonic()
            if is_quiet or left <= 0:
                return None
        is_quiet = await ctx.page.wait_until_quiet(_QUIET_SECONDS, timeout_seconds=left)


async def _look(ctx: RunContext) -> tuple[str, ...]:
    """A cheap picture of what the tab shows: its address and a hash of its texts, frame by frame."""
    page = ctx.page.page
    texts: list[str] = []
    for frame in page.frames:
        try:
            texts.append(str(await asyncio.wait_for(frame.evaluate(_LOOK), _CHANGE_SECONDS)))
        except (PlaywrightError, TimeoutError):
            # a frame on its way to another document, or too busy to answer, has no text to compare
            texts.append("")
    return (page.url, *texts)


EXAMPLES: list[Json] = [
    {
        "type": "Loop",
        "name": "Each order",
        "data": {"over": {"items": "{{params.orders}}"}, "itemName": "order", "continueOnError": True},
        "sequenceData": {
            "sequence": [{"type": "Transform", "data": {"input": "{{order}}", "code": "input"}}]
        },
    },
    {
        "type": "LoopV2",
        "data": {"over": {"times": 3}},
        "sequenceData": {
            "sequence": [{"type": "Transform", "data": {"input": "{{index}}", "code": "input"}}]
        },
    },
    {
        "type": "LoopV2",
        "name": "All pages of results",
        "data": {"over": {"pages": {"role": "link", "text": "Next"}}, "maxIterations": 20},
        "sequenceData": {"sequence": [{"type": "Wait", "data": {"durationMs": 1}}]},
    },
]

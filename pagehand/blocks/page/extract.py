"""Read data off the page, in the shape of a schema.

Reach for it to get a price, a status, a whole table. With `schema` alone the values are found by their
names: in tables, cards, label and value pairs, forms and data embedded in the page; `prompt` helps to
choose among several tables. What is not convincing is left out; if it is required, a model is asked where it
stands (`PAGEHAND_MODEL`), and without one the block fails. How the page was read is kept (`isCacheable`): the
next run reads it in the same way and asks no model unless the page has changed.
`fields` instead names each value and where it stands: a locator, and an attribute if not the text is
wanted; with `many` each match of the block's locator becomes one object. The locator narrows where to look.

Text is converted to the types of `schema` ("$1,200.50" becomes 1200.5) and the result must fit it. A named
field that is not on the page is null, which is a failure only where the schema requires it. Late content is
waited for: with `fields` as long as the block may take while something required is missing, else a moment.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self, cast

from playwright.async_api import Locator as Element
from pydantic import Field, model_validator

from pagehand.blocks.base import Block, Outcome, RunContext
from pagehand.blocks.conversion import check, convert, missing, validator_of
from pagehand.blocks.page.model_reading import ReadingPlan, ask_for_plan
from pagehand.blocks.page.reading import FieldToRead, Reader, take_snapshots
from pagehand.errors import BlockFailed, NotPresent
from pagehand.extraction import Plan, Snapshot, apply, make_plan, plan_to_store, stored_plan
from pagehand.workflow.wire import Text

_PATIENCE_SECONDS = 3.0
_CACHED = "extraction"


class Extract(Block):
    """Read data off the page."""

    type: ClassVar[str] = "Extract"
    title: ClassVar[str] = "Extract"
    needs_page: ClassVar[bool] = True
    locator_use: ClassVar[Literal["required", "optional", "unused"]] = "optional"

    prompt: Text = ""
    """What to read, in words: of several tables that fit, the one whose heading has them."""
    schema_: dict[str, Any] = Field(default_factory=dict[str, Any], alias="schema")
    """JSON Schema of the result."""
    use_vision: bool = False
    """Let the model see a picture of the page too."""
    fields: dict[str, FieldToRead] | None = None
    """The values to read, by name."""
    many: bool = False
    """One object per match of the block's locator."""

    @model_validator(mode="after")
    def _says_what_to_read(self) -> Self:
        if self.many and self.fields is None:
            raise ValueError("many needs fields")
        return self

    async def run(self, ctx: RunContext) -> Outcome:
        """Read, convert, check."""
        if self.fields is None:
            return await self._without_fields(ctx)
        reader = Reader(ctx, self.fields)
        if self.many:
            rows = await self._rows(ctx, reader)
            return Outcome(rows, f"Read {len(rows)} rows", {"rows": len(rows)})
        value = await self._one(ctx, reader)
        check(value, self.schema_, "What was read")
        return Outcome(value, f"Read {', '.join(f'`{name}`' for name in value)}", {"fields": len(value)})

    async def _without_fields(self, ctx: RunContext) -> Outcome:
        """As last time; by the structure of the page; by a model, where there is one."""
        validator_of(self.schema_)
        scope = (await ctx.find("touch")).element if ctx.locator is not None else None
        kept = await ctx.cache.recall(_CACHED)
        if kept is not None and "fields" in kept:
            outcome = await self._as_last_time(ctx, ReadingPlan.from_json(kept), scope)
            if outcome is not None:
                return outcome
            await ctx.cache.drop(_CACHED)
        try:
            known = stored_plan(kept["structure"]) if kept is not None and "structure" in kept else None
            plan, value = await self._by_structure(ctx, scope, known)
            check(value, self.schema_, "What was read")
        except BlockFailed as refusal:
            if not ctx.has_model:
                raise
            return await self._by_model(ctx, scope, refusal)
        if plan is not known:
            ctx.cache.keep(_CACHED, {"structure": plan_to_store(plan)}, by_model=False)
        message = f"Read {_size(value)} by the structure of the page"
        return Outcome(value, message, {"plan": plan.describe()})

    async def _as_last_time(
        self, ctx: RunContext, plan: ReadingPlan, scope: Element | None
    ) -> Outcome | None:
        """By the plan of an earlier run; None when it no longer fits the page."""
        began = time.monotonic()
        while True:
            try:
                value = await plan.read(ctx, self.schema_, scope)
            except BlockFailed as misfit:
                if self._gives_up(ctx, began, needed=False):
                    ctx.emit("cache.outdated", f"The plan of an earlier run no longer fits: {misfit.message}")
                    return None
                await asyncio.sleep(0.1)
            else:
                return Outcome(value, f"Read {_size(value)} by the plan of an earlier run", plan.as_json())

    async def _by_model(self, ctx: RunContext, scope: Element | None, refusal: BlockFailed) -> Outcome:
        """The model says where the values stand, or failing that, what they are."""
        ctx.emit("model.asked", f"The structure of the page was not enough: {refusal.message}")
        picture = await ctx.page.screenshot() if self.use_vision else None
        pictures = [picture] if picture else []
        plan = await ask_for_plan(ctx, self.prompt, self.schema_, scope, pictures)
        if plan is not None:
            try:
                value = await plan.read(ctx, self.schema_, scope)
            except BlockFailed as misfit:
                ctx.emit("model.misled", f"The model's plan does not fit the page: {misfit.message}")
            else:
                if not plan.names_values(value):
                    ctx.cache.keep(_CACHED, plan.as_json(), by_model=True)
                return Outcome(value, f"Read {_size(value)} by a plan of the model", plan.as_json())
        instructions = ctx.model.prompt("extract", wish=self.prompt or "what the schema names")
        page = await ctx.page.describe() if scope is None else await scope.inner_text()
        value = await ctx.model.data(instructions, page, self.schema_, pictures)
        return Outcome(value, f"The model read {_size(value)}")

    async def _by_structure(
        self, ctx: RunContext, scope: Element | None, known: Plan | None
    ) -> tuple[Plan, Any]:
        """What the schema asks for, found by name; late content is waited for."""
        began = time.monotonic()
        while True:
            async with ctx.page.guard("read the page"):
                snapshots = await take_snapshots(ctx, scope)
            try:
                plan, value = self._read_first(snapshots, known)
            except NotPresent:
                if self._gives_up(ctx, began, needed=False):
                    raise
            else:
                if value or self._gives_up(ctx, began, needed=False):
                    return plan, value
            await asyncio.sleep(0.2)

    def _read_first(self, snapshots: Sequence[Snapshot], known: Plan | None) -> tuple[Plan, Any]:
        """By the first frame that has it all; the page's own refusal when none does."""
        refused: list[NotPresent] = []
        for snapshot in snapshots:
            if known is not None and (value := self._by_known(known, snapshot)):
                return known, value
            try:
                plan = make_plan(snapshot, self.schema_, self.prompt)
                return plan, apply(plan, snapshot)
            except NotPresent as refusal:
                refused.append(refusal)
        raise refused[0]

    def _by_known(self, known: Plan, snapshot: Snapshot) -> Any:
        """What the plan of an earlier run finds; None when it does not fit any more."""
        try:
            value = apply(known, snapshot)
            check(value, self.schema_, "What was read")
        except BlockFailed:
            return None
        return value

    async def _one(self, ctx: RunContext, reader: Reader) -> dict[str, Any]:
        """One object, from the block's element or the whole page."""
        scope = (await ctx.find("touch")).element if ctx.locator is not None else None
        began = time.monotonic()
        while True:
            raw = await (reader.element(scope) if scope is not None else reader.page())
            value = convert(raw, self.schema_)
            has_all = not missing(value, self.schema_)
            if has_all and (not raw or any(one not in (None, []) for one in raw.values())):
                return value
            if self._gives_up(ctx, began, needed=not has_all):
                return value
            await asyncio.sleep(0.1)

    async def _rows(self, ctx: RunContext, reader: Reader) -> list[dict[str, Any]]:
        """One object per match."""
        if ctx.locator is None:
            raise BlockFailed("`many` gives one object per match of the block's locator, and it has none")
        is_list = self.schema_.get("type") == "array" or "items" in self.schema_
        schema = self.schema_ if is_list else {"type": "array", "items": self.schema_}
        began = time.monotonic()
        rows = await reader.each(ctx.locator)
        while not rows and not self._gives_up(ctx, began, needed=False):
            await asyncio.sleep(0.1)
            rows = await reader.each(ctx.locator)
        converted = cast("list[dict[str, Any]]", convert(rows, schema, self.schema_))
        if is_list:
            check(converted, schema, "What was read")
        else:
            for place, row in enumerate(converted):
                check(row, self.schema_, f"Row {place}")
        return converted

    def _gives_up(self, ctx: RunContext, began: float, *, needed: bool) -> bool:
        """Wait all the time there is for what is needed or was given a time; a moment for the rest."""
        if ctx.remaining_seconds <= 0.2:  # noqa: PLR2004 - one more look would come too late
            return True
        return not needed and self.timeout_ms is None and time.monotonic() - began > _PATIENCE_SECONDS


def _size(value: Any) -> str:
    return f"{len(cast('list[Any]', value))} rows" if isinstance(value, list) else "one record"


EXAMPLES: list[dict[str, Any]] = [
    {
        "type": "Extract",
        "data": {
            "schema": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "orderNumber": {"type": "string"},
                        "orderDate": {"type": "string", "format": "date"},
                        "total": {"type": "number"},
                    },
                    "required": ["orderNumber", "total"],
                },
            },
        },
    },
    {
        "type": "Extract",
        "data": {
            "fields": {"title": {"locator": {"css": "h1"}}, "total": {"locator": {"css": "#total"}}},
            "schema": {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]},
        },
    },
    {
        "type": "Extract",
        "locator": {"css": "table tbody tr"},
        "data": {
            "many": True,
            "fields": {
                "name": {"locator": {"css": "td:first-child"}},
                "link": {"locator": {"css": "a"}, "attribute": "href"},
            },
        },
    },
]

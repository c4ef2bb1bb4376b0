"""Read data off the page, in the shape of a schema.

Reach for it to get a price, a status, a whole table. With `schema` alone the values are found by their
names: in tables, cards, label and value pairs, forms and data embedded in the page; `prompt` helps to
choose among several tables. What is not convincing is left out, and the block fails if it is required.
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

from pydantic import Field, model_validator

from pagehand.blocks.base import Block, Outcome, RunContext
from pagehand.blocks.conversion import check, convert, missing, validator_of
from pagehand.blocks.page.reading import FieldToRead, Reader, take_snapshots
from pagehand.errors import BlockFailed, NotPresent
from pagehand.extraction import Plan, Snapshot, apply, make_plan
from pagehand.workflow.wire import Text

_PATIENCE_SECONDS = 3.0


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
            plan, value = await self._by_structure(ctx)
            check(value, self.schema_, "What was read")
            size = f"{len(cast('list[Any]', value))} rows" if isinstance(value, list) else "one record"
            return Outcome(value, f"Read {size} by the structure of the page", {"plan": plan.describe()})
        reader = Reader(ctx, self.fields)
        if self.many:
            rows = await self._rows(ctx, reader)
            return Outcome(rows, f"Read {len(rows)} rows", {"rows": len(rows)})
        value = await self._one(ctx, reader)
        check(value, self.schema_, "What was read")
        return Outcome(value, f"Read {', '.join(f'`{name}`' for name in value)}", {"fields": len(value)})

    async def _by_structure(self, ctx: RunContext) -> tuple[Plan, Any]:
        """What the schema asks for, found by name; late content is waited for."""
        validator_of(self.schema_)
        scope = (await ctx.find("touch")).element if ctx.locator is not None else None
        began = time.monotonic()
        while True:
            async with ctx.page.guard("read the page"):
                snapshots = await take_snapshots(ctx, scope)
            try:
                plan, value = self._read_first(snapshots)
            except NotPresent:
                if self._gives_up(ctx, began, needed=False):
                    raise
            else:
                if value or self._gives_up(ctx, began, needed=False):
                    return plan, value
            await asyncio.sleep(0.2)

    def _read_first(self, snapshots: Sequence[Snapshot]) -> tuple[Plan, Any]:
        """By the first frame that has it all; the page's own refusal when none does."""
        refused: list[NotPresent] = []
        for snapshot in snapshots:
            try:
                plan = make_plan(snapshot, self.schema_, self.prompt)
                return plan, apply(plan, snapshot)
            except NotPresent as refusal:
                refused.append(refusal)
        raise refused[0]

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

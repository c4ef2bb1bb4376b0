"""Read data off the page, in the shape of a schema.

Reach for it to get a price, a status, a whole table. With `schema` alone the values are found by their
names: in tables, cards, label and value pairs, forms and data embedded in the page. A schema of a single
value names it by its `title` or `description`, or else `prompt` does, which also helps to choose among
several tables. What is not convincing is left out; if it is required, a model is asked where it stands
(`PAGEHAND_MODEL`), and without one the block fails. How the page was read is kept (`isCacheable`): the next
run reads it in the same way and asks no model unless the page has changed.
`fields` instead names each value and where it stands: a locator, and an attribute if not the text is
wanted; with `many` each match of the block's locator becomes one object. The locator narrows where to look.

Text is converted to the types of `schema` ("$1,200.50" becomes 1200.5) and the result must fit it. A named
field that is not on the page is null, which is a failure only where it is `required` or the schema requires
it; what was not found is said in the event and the summary. A locator with `frame` alone reads all of that
frame. Late content is waited for: as long as the block may take while something required is missing, else a
moment.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from playwright.async_api import Locator as Element
from pydantic import Field, model_validator

from pagehand.blocks.base import Block, DeclaredOutput, LocatorUse, RecordingRule
from pagehand.blocks.conversion import check, check_each, convert, missing, record_of, validator_of
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.model_reading import ReadingPlan, ask_for_plan
from pagehand.blocks.page.controls.reading import FieldToRead, Reader
from pagehand.blocks.page.controls.structure import StructureReader, reading_outcome
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed, Diagnosis, NotPresent
from pagehand.page.extraction import plan_to_store, stored_plan
from pagehand.records import Json
from pagehand.workflow.locator import Locator
from pagehand.workflow.recorded import ActKind, RecordedAct
from pagehand.workflow.wire import Text

_PATIENCE_SECONDS = 3.0
_CACHED = "extraction"


class Extract(Block):
    """Read data off the page."""

    type: ClassVar[str] = "Extract"
    title: ClassVar[str] = "Extract"
    label: ClassVar[str] = "Read from the page"
    menu_position: ClassVar[int] = 7
    verb: ClassVar[str] = "reads"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.reading:EXTRACTING"
    recorded_as: ClassVar[Mapping[ActKind, RecordingRule]] = {
        "read": RecordingRule("Read", lambda act: {"prompt": act.name, **_shape(act)})
    }
    output_kind: ClassVar[DeclaredOutput | None] = "data"
    also_called: ClassVar[tuple[str, ...]] = (
        "scrape",
        "read",
        "getText",
        "readText",
        "table",
        "extractText",
        "getAttribute",
        "data",
        "extractData",
    )
    needs_page: ClassVar[bool] = True
    reads_page: ClassVar[bool] = True
    changes_by_acting: ClassVar[bool] = True
    locator_use: ClassVar[LocatorUse] = "optional"
    reads_frames: ClassVar[bool] = True

    prompt: Text = ""
    """What to read, in words: of several tables that fit, the one whose heading has them."""
    schema_: Json = Field(default_factory=Json, alias="schema")
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

    @classmethod
    def what_prevents_running(cls, data: Json, locator: Locator | None) -> str | None:
        """Nothing says what there are many of."""
        if data.get("many") is True and locator is None:
            return "`locator` is missing: `many` gives one object per match of it."
        return None

    async def run(self, ctx: RunContext) -> Outcome:
        """Read, convert, check."""
        if self.fields is None:
            return await self._without_fields(ctx)
        reader = Reader(ctx, self.fields)
        if self.many:
            return reading_outcome(await self._rows(ctx, reader), self.fields)
        value = await self._one(ctx, reader)
        self._check_required([value])
        check(value, self.schema_, "What was read")
        return reading_outcome(value, self.fields)

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
        known = stored_plan(kept["structure"]) if kept is not None and "structure" in kept else None
        reader, began = StructureReader(ctx, self.schema_, self.prompt, known), time.monotonic()
        try:
            plan, value = await reader.read(scope, lambda: self._gives_up(ctx, began, needed=False))
        except BlockFailed as refusal:
            if not ctx.has_model:
                raise
            return await self._by_model(ctx, scope, refusal)
        if plan is not known:
            ctx.cache.keep(_CACHED, {"structure": plan_to_store(plan)}, by_model=False)
        return self._read(value, " by the structure of the page", {"plan": plan.describe()})

    def _read(self, value: Any, how: str, details: Json | None = None) -> Outcome:
        return reading_outcome(value, record_of(self.schema_).get("properties") or {}, how, details)

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
                return self._read(value, " by the plan of an earlier run", plan.as_json())

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
                return self._read(value, " by a plan of the model", plan.as_json())
        instructions = ctx.model.prompt("extract", wish=self.prompt or "what the schema names")
        page = await ctx.page.describe() if scope is None else await scope.inner_text()
        value = await ctx.model.data(instructions, page, self.schema_, pictures)
        return self._read(value, " with the model")

    async def _one(self, ctx: RunContext, reader: Reader) -> Json:
        """One object, from the block's element or the whole page."""
        scope = (await ctx.find("touch")).element if ctx.locator is not None else None
        began = time.monotonic()
        while True:
            raw = await (reader.element(scope) if scope is not None else reader.page())
            value = convert(raw, self.schema_)
            has_all = not missing(value, self.schema_) and not self._missing_required(value)
            if has_all and (not raw or any(value not in (None, []) for value in raw.values())):
                return value
            if self._gives_up(ctx, began, needed=not has_all):
                return value
            await asyncio.sleep(0.1)

    async def _rows(self, ctx: RunContext, reader: Reader) -> list[Json]:
        """One object per match."""
        if ctx.locator is None:
            raise BlockFailed("`many` gives one object per match of the block's locator, and it has none")
        is_list = self.schema_.get("type") == "array" or "items" in self.schema_
        schema = self.schema_ if is_list else {"type": "array", "items": self.schema_}
        began = time.monotonic()
        while True:
            rows = await reader.each(ctx.locator)
            lacking = any(self._missing_required(row) for row in rows)
            if (rows and not lacking) or self._gives_up(ctx, began, needed=lacking):
                break
            await asyncio.sleep(0.1)
        converted = await asyncio.to_thread(convert, rows, schema, self.schema_)
        self._check_required(converted)
        if is_list:
            await asyncio.to_thread(check, converted, schema, "What was read")
        else:
            await asyncio.to_thread(check_each, converted, self.schema_)
        return converted

    def _missing_required(self, row: Json) -> list[str]:
        """Names of the fields marked `required` that were not found."""
        fields = (self.fields or {}).items()
        return [name for name, field in fields if field.required and row.get(name) in (None, [])]

    def _check_required(self, rows: list[Json]) -> None:
        """Fail with the first required field that is missing, and where it was looked for."""
        schema = record_of(self.schema_)
        for place, row in enumerate(rows):
            for name in dict.fromkeys([*self._missing_required(row), *missing(row, schema, self.schema_)]):
                locator = (self.fields or {})[name].locator if name in (self.fields or {}) else None
                where = f": nothing matches {locator}" if locator is not None else ""
                row_named = f" in row {place}" if self.many else ""
                raise NotPresent(
                    f"`{name}` is required and was not found{row_named}{where}",
                    Diagnosis(
                        expected=f"`{name}`" + (f" at {locator}" if locator is not None else ""),
                        advice="Correct the field's locator, or do not require the field.",
                    ),
                )

    def _gives_up(self, ctx: RunContext, began: float, *, needed: bool) -> bool:
        """True when it is not worth waiting longer: what is needed gets all the block's time."""
        if ctx.remaining_seconds <= 0.2:  # noqa: PLR2004 - one more look would come too late
            return True
        return not needed and self.timeout_ms is None and time.monotonic() - began > _PATIENCE_SECONDS


def _shape(act: RecordedAct) -> Json:
    """A table is read by its columns, a text by the element itself."""
    if not act.columns:
        return {"fields": {"text": {}}}
    columns = {column: {"type": "string"} for column in act.columns}
    return {"schema": {"type": "array", "items": {"type": "object", "properties": columns}}}


EXAMPLES: list[Json] = [
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

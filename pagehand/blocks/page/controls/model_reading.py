"""Reading a page with a model's help: it says where the values stand, and a program reads them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from playwright.async_api import Locator as Element

from pagehand.blocks.conversion import Schema, check, convert
from pagehand.blocks.page.controls.acting import evaluate_on
from pagehand.blocks.page.controls.reading import FieldToRead, Reader
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.page.extraction.schema import resolve_reference, subschema, types_of
from pagehand.records import Json, is_array, is_object
from pagehand.workflow.locator import Locator

_OUTLINE: Final = on_dom(load_script(__file__, "outline"))
_WHERE: Final = {
    "type": "object",
    "properties": {"css": {"type": "string"}, "attribute": {"type": ["string", "null"]}},
    "required": ["css"],
}
_ANSWER: Final = {
    "type": "object",
    "properties": {
        "rows": {"type": ["string", "null"]},
        "fields": {"type": "object", "additionalProperties": _WHERE, "minProperties": 1},
    },
    "required": ["rows", "fields"],
}
_TELLING: Final = 4


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """Where values stand, as CSS: the selector of a record, where there are several, and those inside it."""

    rows: str | None
    fields: Mapping[str, Mapping[str, str | None]]

    @classmethod
    def from_json(cls, given: Any) -> "ReadingPlan":
        """As it was kept or answered."""
        return cls(given["rows"], given["fields"])

    def as_json(self) -> Json:
        """For the cache: selectors and names, none of the page's values."""
        return {"rows": self.rows, "fields": {name: dict(field) for name, field in self.fields.items()}}

    async def read(self, ctx: RunContext, schema: Schema, scope: Element | None) -> Any:
        """What stands there, converted and checked; `BlockFailed` when it does not fit."""
        reader = Reader(ctx, {name: self._field(name, schema) for name in self.fields})
        if self.rows is None:
            raw: Any = await (reader.element(scope) if scope is not None else reader.page())
            if not any(value not in (None, "", []) for value in raw.values()):
                raise BlockFailed("Nothing stands any more where the values were")
        else:
            raw = await reader.each(Locator(css=self.rows))
            if not raw:
                raise BlockFailed(f"Nothing matches `{self.rows}` any more")
        value = convert(raw, schema)
        check(value, schema, "What was read")
        return value

    def names_values(self, value: Any) -> bool:
        """True when a selector holds something that was read: such a plan fits this page's data alone."""
        selectors = " ".join([self.rows or "", *(str(field["css"]) for field in self.fields.values())])
        return any(text in selectors for text in _texts(value) if len(text) >= _TELLING)

    def _field(self, name: str, schema: Schema) -> FieldToRead:
        where = self.fields[name]
        is_many = "array" in types_of(subschema(subschema(_record(schema), "properties"), name), schema)
        return FieldToRead(
            locator=Locator(css=where["css"]), attribute=where.get("attribute") or None, many=is_many
        )


def _texts(value: Any) -> list[str]:
    if is_object(value):
        return [text for item in value.values() for text in _texts(item)]
    if is_array(value):
        return [text for item in value for text in _texts(item)]
    return [str(value)]


async def ask_for_plan(
    ctx: RunContext, wish: str, schema: Schema, scope: Element | None, pictures: list[bytes]
) -> ReadingPlan | None:
    """Where the model says the values stand; None for shapes that no list of selectors can fill."""
    if not _is_flat(schema):
        return None
    model = ctx.model
    prompt = model.prompt("extract_plan", wish=wish or "what the schema names", schema=json.dumps(schema))
    answer = await model.data(prompt, await outline(ctx, scope), _ANSWER, pictures)
    plan = ReadingPlan.from_json(answer)
    return plan if (plan.rows is not None) == _is_list(schema) else None


async def outline(ctx: RunContext, scope: Element | None) -> str:
    """The structure of the page, or of an element."""
    async with ctx.page.guard("read the page"):
        if scope is not None:
            return await evaluate_on(scope, _OUTLINE)
        return await ctx.page.page.main_frame.evaluate(f"() => ({_OUTLINE})(null)")


def _is_list(schema: Schema) -> bool:
    return schema.get("type") == "array" or "items" in schema


def _record(schema: Schema) -> Schema:
    """The schema of one record."""
    inner = subschema(schema, "items") if _is_list(schema) else schema
    return resolve_reference(inner, schema)


def _is_flat(schema: Schema) -> bool:
    """True for records of plain values and lists of plain values."""
    properties = subschema(_record(schema), "properties")
    if not properties:
        return False
    inner = [resolve_reference(subschema(properties, name), schema) for name in properties]
    values = [
        resolve_reference(subschema(item, "items"), schema) if "items" in item else item for item in inner
    ]
    return not any("properties" in value or "items" in value for value in values)

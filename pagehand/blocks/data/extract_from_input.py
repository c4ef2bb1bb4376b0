"""Make data of a given shape out of text: an order from an e-mail, the fields of a receipt.

What has structure already (JSON, `name: value` lines, CSV with a header row) is read without a model: the
schema's properties are found by name and their values converted. Anything freer needs a model
(`PAGEHAND_MODEL`), and so does text without a schema: then the model writes what `prompt` asks for.
"""

import csv
import io
import json
import re
from typing import Any, ClassVar, Final, cast

from pydantic import Field

from pagehand.blocks.base import Block
from pagehand.blocks.conversion import check, convert, validator_of
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed, Diagnosis, ModelNeeded
from pagehand.records import Json, is_array, is_object
from pagehand.workflow.wire import Text

_NAME: Final = re.compile(r"[^:=\t]*+[:=\t]")
_LONGEST_NAME: Final = 80
_SPECIAL: Final = re.compile(r"[\W_]+")


class ExtractFromInput(Block):
    """Give text a shape."""

    type: ClassVar[str] = "ExtractFromInput"
    title: ClassVar[str] = "Generate"
    label: ClassVar[str] = "Ask the model"
    also_called: ClassVar[tuple[str, ...]] = (
        "generate",
        "llm",
        "prompt",
        "summarize",
        "ask",
        "gpt",
        "classify",
        "aiGenerate",
    )

    input_text: Any
    """The text to work on; a template may also yield an object or an array."""
    prompt: Text = ""
    """What to make of it, for the model."""
    schema_: Json | None = Field(default=None, alias="schema")
    """A JSON Schema; the result validates against it."""

    async def run(self, ctx: RunContext) -> Outcome:
        """Read the text by its structure and fit it to the schema; what that cannot do is the model's."""
        if self.schema_ is None:
            if not ctx.has_model:
                raise _needs_model("There is no `schema` to fit the text to.")
            text = await ctx.model.text(self._instructions(ctx), self._material)
            return Outcome(text, "The model wrote it")
        validator_of(self.schema_)  # a wrong schema is the author's to mend, and no model can
        problem = "The text has no structure that can be read: no JSON, no `name: value` lines, no CSV."
        for reading in _readings(self.input_text):
            fitted = convert(_matched(reading, self.schema_), self.schema_)
            try:
                check(fitted, self.schema_, "What could be read by name")
            except BlockFailed as misfit:
                problem = f"{misfit.message.rstrip('.')}."
            else:
                return Outcome(output=fitted, message="Read by its structure, without a model.")
        if ctx.has_model:
            return await self._by_model(ctx, self.schema_)
        raise _needs_model(problem)

    async def _by_model(self, ctx: RunContext, schema: Json) -> Outcome:
        value = await ctx.model.data(self._instructions(ctx), self._material, schema)
        return Outcome(value, "The model gave the text its shape")

    def _instructions(self, ctx: RunContext) -> str:
        return ctx.model.prompt("generate", wish=self.prompt or "give it the shape of the schema")

    @property
    def _material(self) -> str:
        given = self.input_text
        return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _needs_model(problem: str) -> BlockFailed:
    return ModelNeeded(
        f"{problem} Free text needs a language model, and none is configured: set `PAGEHAND_MODEL`.",
        Diagnosis(
            expected="Text whose structure names the schema's properties, or a model.",
            found=problem,
            cause="No language model is configured (`PAGEHAND_MODEL`).",
            advice="Set `PAGEHAND_MODEL`, or give JSON, `name: value` lines or CSV.",
        ),
    )


def _readings(given: Any) -> list[Any]:
    """What the input may mean, the surest first."""
    if not isinstance(given, str):
        return [given]
    try:
        return [json.loads(given)]
    except (ValueError, RecursionError):  # not JSON, or nested deeper than Python reads it
        return [reading for reading in (named_values(given), _rows(given)) if reading]


def named_values(text: str) -> Json:
    """`name: value` lines; a name that comes twice counts the first time."""
    found: Json = {}
    for line in text.splitlines():
        if match := _NAME.match(line.strip()):
            name = match[0][:-1].lstrip("-*•").strip()
            if 0 < len(name) <= _LONGEST_NAME:
                found.setdefault(name, line.strip()[match.end() :].strip())
    return found


def _rows(text: str) -> list[Json]:
    """CSV with a header row; nothing when the rows are of different widths."""
    lines = [line for line in text.splitlines() if line.strip()]
    delimiter = max(",;\t|", key=lines[0].count) if lines else ","
    try:
        rows = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter))
    except csv.Error:  # such as a piece of more than 131,072 characters: prose, and not a table
        return []
    if len(rows) < 2 or len(rows[0]) < 2 or len({len(row) for row in rows}) != 1:  # noqa: PLR2004 - a header and a row
        return []
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def _matched(value: Any, schema: Json) -> Any:
    """`value` with its names spelled as the schema's properties, and without the others."""
    properties: Json = schema.get("properties") or {}
    if schema.get("type") == "array" or "items" in schema:
        items = value if is_array(value) else [value]
        return [_matched(item, cast(Json, schema.get("items") or {})) for item in items]
    if is_array(value) and properties and len(value) == 1:
        value = value[0]
    if not is_object(value) or not properties:
        return value
    # reversed, so that the first of two names that fold to the same one counts
    by_name = {_folded(key): item for key, item in reversed(value.items())}
    return {
        name: _matched(by_name[_folded(name)], cast(Json, properties[name]))
        for name in properties
        if _folded(name) in by_name and isinstance(properties[name], dict)
    }


def _folded(name: str) -> str:
    return _SPECIAL.sub("", name).casefold()


EXAMPLES: list[Json] = [
    {
        "type": "Generate",
        "data": {
            "inputText": "Order no: A-17\nTotal: $1,200.50",
            "prompt": "The order's number and total",
            "schema": {
                "type": "object",
                "properties": {"orderNo": {"type": "string"}, "total": {"type": "number"}},
                "required": ["orderNo", "total"],
            },
        },
    },
]

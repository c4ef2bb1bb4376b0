"""The kinds of blocks as data: what each is for and the JSON Schema of its fields, for forms and clients."""

import asyncio
from typing import Annotated, Final, Literal

from msgspec import Meta

from pagehand.api.fields import EmptyRequest, View
from pagehand.api.operation import Call, Result, operation
from pagehand.blocks import Registry
from pagehand.blocks.base import Block, CommittingBlock
from pagehand.blocks.schema import description, envelope_schema, examples
from pagehand.records import Json

_SHARED_FIELDS: Final = frozenset(CommittingBlock.field_names())


class KindView(View):
    """One kind of block."""

    type: str
    title: str
    label: Annotated[str, Meta(description="What people call what it does, as `Click`.")]
    purpose: Annotated[str, Meta(description="What it does, in one sentence.")]
    description: str
    aliases: Annotated[list[str], Meta(description="Other words people search it by.")]
    group: Annotated[str, Meta(description="`page`, `flow`, `data`, `documents` or `outside`.")]
    sequences: Annotated[list[str], Meta(description="The nested sequences it has.")]
    locator_use: Literal["required", "optional", "unused"]
    data: Annotated[Json, Meta(description="JSON Schema of its `data`.")]
    examples: list[Json]


class KindList(View):
    """Every kind, and the models that their schemas refer to."""

    kinds: list[KindView]
    models: Json


@operation("/workflows/blocks/kinds", scope="read", response=KindList)
async def kinds(call: Call[EmptyRequest]) -> Result:
    """The kinds of blocks there are, each with the JSON Schema of its fields."""
    return await asyncio.to_thread(_describe, call.services.kinds)


def _describe(kinds: Registry) -> KindList:
    """In a thread: the schemas take long, and the texts of their fields are read from the sources."""
    models: Json = {}
    views: list[KindView] = []
    # what is used most first: menus keep this order
    for kind in sorted(kinds, key=lambda kind: (kind.menu_position, kind.label or kind.title)):
        schema = envelope_schema(kind)
        # shared: most kinds refer to the same few models
        models.update(schema.get("$defs", {}))
        views.append(_view(kind, schema["properties"]["data"]))
    return KindList(kinds=views, models=models)


def _view(kind: type[Block], data: Json) -> KindView:
    text = description(kind)
    return KindView(
        type=kind.type,
        title=kind.title,
        label=kind.label or kind.title,
        purpose=" ".join(text.split("\n\n")[0].split()),
        description=text,
        aliases=list(kind.also_called),
        group=kind.__module__.split(".")[-2],
        sequences=list(kind.sequences),
        locator_use=kind.locator_use,
        data=_own_fields_first(data),
        examples=examples(kind),
    )


def _own_fields_first(schema: Json) -> Json:
    """The kind's own fields before those that many kinds share, for forms."""
    fields: Json = schema.get("properties", {})
    ordered = sorted(
        fields, key=lambda name: name in _SHARED_FIELDS
    )  # stable: the order within both groups stays
    return {**schema, "properties": {name: fields[name] for name in ordered}}

"""The kinds described to a language model: what each does, its fields, one example."""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from pagehand.blocks.base import Block
from pagehand.blocks.schema import description, examples
from pagehand.records import Json

_LOCATOR: Final = {
    "required": "Needs a locator.",
    "optional": "Takes a locator.",
    "unused": "Takes no locator.",
}


def catalog(kinds: Iterable[type[Block]]) -> str:
    """All kinds, a paragraph each, by type."""
    return "\n\n".join("\n".join(_kind(kind)) for kind in sorted(kinds, key=lambda one: one.type))


def _kind(kind: type[Block]) -> Iterator[str]:
    purpose = " ".join(description(kind).split("\n\n")[0].split())
    yield f"`{kind.type}`: {purpose} {_LOCATOR[kind.locator_use]}"
    schema = kind.model_json_schema()
    fields: Json = schema.get("properties", {})
    required: list[str] = schema.get("required", [])
    for name, field in fields.items():
        text = " ".join(field.get("description", "").split())
        yield f"- {name}{' (required)' if name in required else ''}: {text}"
    for example in examples(kind)[:1]:
        yield f"Example: {json.dumps(example, ensure_ascii=False)}"

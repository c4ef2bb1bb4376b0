"""What a block of each kind looks like, as JSON Schema: for OpenAPI, the docs and forms."""

import inspect
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from pagehand.blocks.base import Block
from pagehand.records import Json, is_object
from pagehand.workflow.locator import Locator
from pagehand.workflow.templates import PATTERN

REFERENCES: Final = "#/$defs/{model}"
FLAG_DESCRIPTIONS: Final = {
    "isCacheable": "What was found or planned once may be remembered for the next run.",
    "skipIfNotPresent": "Skip the block when its element is not there.",
    "useWorkflowRecoveryAgent": "Let the recovery agent try to repair a failure of the block.",
    "transformerFn": "A function over the block's output, in Python or JavaScript; its result replaces it.",
}
"""What every block may have beside its data."""
_TEMPLATE: Final = {
    "type": "string",
    "pattern": f"^{PATTERN}$",
    "description": "A template alone.",
}


def examples(kind: type[Block]) -> list[Json]:
    """The example definitions of the kind's module; a block that belongs in a loop stands in one."""
    return list(getattr(sys.modules[kind.__module__], "EXAMPLES", []))


def description(kind: type[Block]) -> str:
    """What the kind does and when to reach for it: its module's docstring."""
    return inspect.cleandoc(sys.modules[kind.__module__].__doc__ or kind.__doc__ or "")


def envelope_schema(kind: type[Block], ref_template: str = REFERENCES) -> Json:
    """A block definition of this kind as clients send it; models it shares with others stand in `$defs`.

    Nested blocks refer to a model called `Block`.
    """
    data, models = _data_schema(kind, ref_template)
    properties: Json = {
        "id": {"type": "string"},
        "name": {"type": "string", "minLength": 1},
        "blockReferenceId": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,100}$"},
        "type": {"const": kind.type},
        "data": data,
        "isCacheable": {"type": "boolean", "default": True},
        "skipIfNotPresent": {"type": "boolean", "default": False},
        "useWorkflowRecoveryAgent": {"type": "boolean", "default": False},
        "transformerFn": {"type": "string", "default": ""},
    }
    for name, text in FLAG_DESCRIPTIONS.items():
        properties[name]["description"] = text
    if kind.locator_use != "unused":
        locator = Locator.model_json_schema(ref_template=ref_template)
        models["Locator"] = locator
        properties["locator"] = {"$ref": ref_template.format(model="Locator")}
    if kind.sequences:
        properties["sequenceData"] = _sequences(kind, ref_template)
    # `data` may be left out where every field has a default
    required = ["type", *(["data"] if data.get("required") else [])]
    schema: Json = {
        "title": kind.title,
        "description": description(kind),
        "type": "object",
        "properties": properties,
        "required": [*required, "locator"] if kind.locator_use == "required" else required,
        "examples": [
            {**example, "type": kind.type}
            for example in examples(kind)
            if example["type"] in (kind.type, kind.title)
        ],
    }
    return {**schema, "$defs": models} if models else schema


def _data_schema(kind: type[Block], ref_template: str) -> tuple[Json, Json]:
    schema = kind.model_json_schema(ref_template=ref_template)
    models: Json = schema.pop("$defs", {})
    for part in (schema, *models.values()):
        _take_templates(part)
    return {**schema, "title": f"{kind.type} data"}, models


def allow_null(schema: Json) -> Json:
    """An object's schema that also takes null for what may be left out: it means that nothing was given."""
    required = schema.get("required", [])
    fields: Json = schema.get("properties", {})
    nullable = {name: field if name in required else _or_null(field) for name, field in fields.items()}
    return {**schema, "properties": nullable} if fields else schema


def _or_null(field: Json) -> Json:
    kept = {key: field[key] for key in ("title", "description", "default") if key in field}
    schema = {key: value for key, value in field.items() if key not in kept}
    forms = schema["anyOf"] if set(schema) == {"anyOf"} else [schema]
    is_open = not schema or {"type": "null"} in forms or "null" in schema.get("type", "")
    return field if is_open else {**kept, "anyOf": [*forms, {"type": "null"}]}


def _take_templates(schema: Json) -> None:
    for name, field in schema.get("properties", {}).items():
        schema["properties"][name] = _with_templates(field)


def _with_templates(field: Json) -> Json:
    """A field in which a template may stand wherever a value is expected that is not text."""
    field = _with_templates_inside(field)
    return _or_template(field) if _is_typed(field) else field


def _with_templates_inside(field: Json) -> Json:
    inside = {
        key: _with_templates(field[key])
        for key in ("items", "additionalProperties")
        if is_object(field.get(key))
    }
    forms = {"anyOf": [_with_templates_inside(form) for form in field["anyOf"]]} if "anyOf" in field else {}
    return {**field, **inside, **forms}


def _is_typed(field: Json) -> bool:
    """True unless the field is any text or anything at all: those take a template as they are."""
    forms: list[Json] = field.get("anyOf", [field])
    kinds = {form.get("type") for form in forms if not form.keys() & {"enum", "pattern", "maxLength"}}
    is_bound = any(form.keys() & {"$ref", "enum", "pattern", "maxLength"} for form in forms)
    return "string" not in kinds and (is_bound or bool(kinds - {None}))


def _or_template(field: Json) -> Json:
    outside = {key: field[key] for key in ("title", "description", "default") if key in field}
    inside = {key: value for key, value in field.items() if key not in outside}
    forms = inside["anyOf"] if set(inside) == {"anyOf"} else [inside]
    return {**outside, "anyOf": [*forms, _TEMPLATE]}


def _sequences(kind: type[Block], ref_template: str) -> Json:
    blocks = {"type": "array", "items": {"$ref": ref_template.format(model="Block")}}
    return {
        "type": "object",
        "properties": dict.fromkeys(kind.sequences, blocks),
        "additionalProperties": False,
    }


_LOCATOR: Final = {
    "required": "Needs a locator.",
    "optional": "Takes a locator.",
    "unused": "Takes no locator.",
}


def catalog(kinds: Iterable[type[Block]]) -> str:
    """All kinds, a paragraph each, by type."""
    return "\n\n".join("\n".join(_kind(kind)) for kind in sorted(kinds, key=lambda kind: kind.type))


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

"""The JSON Schema of workflow files, with which editors complete and check them while they are written.

It is made from the schemas of the kinds and the words of the short form, as draft 7: the newest that common
editors read completely.
"""

from typing import Any, Final, get_args

from pagehand.blocks import Registry, description, envelope_schema
from pagehand.blocks.base import Block
from pagehand.blocks.schema import allow_null
from pagehand.records import Json, Pictured
from pagehand.workflow.parameters import TYPES
from pagehand.workflow.parse import LONGEST_NAME, REFERENCE
from pagehand.workflow_files.words import LOGIN, LOGIN_ID, block_words, names_login, written_field

_REFERENCES: Final = "#/definitions/{model}"
_NAME: Final[Json] = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}
# null here and not by `anyOf`: editors then say what is wrong with a block, not that the whole list is
_BLOCKS: Final[Json] = {"type": ["array", "null"], "items": {"$ref": _REFERENCES.format(model="Block")}}
_REFERENCE: Final = f"^{REFERENCE.pattern}$"
_WORDS: Final[Json] = {
    "name": {**_NAME, "description": "What people call the block; the name of its kind if left out."},
    "ref": {
        "type": "string",
        "pattern": _REFERENCE,
        "description": "The name that others use for its output: `{{blocks.rows}}` for `ref: rows`.",
    },
    "at": {
        "description": "The element: words such as `the Save button`, or the fields of a locator.",
        "anyOf": [{"type": "string"}, {"$ref": _REFERENCES.format(model="Locator")}],
    },
    LOGIN: {"type": "string", "description": "The name of a stored login. Secrets are never in a file."},
    "do": {**_BLOCKS, "description": "The blocks that each round runs."},
    "then": {**_BLOCKS, "description": "The blocks to run when the condition holds."},
    "else": {**_BLOCKS, "description": "The blocks to run when it does not."},
}
"""What the short form calls otherwise than the API, or writes in another way."""


def file_schema(kinds: Registry) -> Json:
    """The schema of a whole file."""
    models: Json = {"Parameter": _object(_PARAMETER)}
    for kind in sorted(kinds, key=lambda kind: kind.type):
        whole = envelope_schema(kind, _REFERENCES)
        models |= {name: _object(model) for name, model in whole.pop("$defs", {}).items()}
        models[f"{kind.type}Block"] = _object(_block(kind, whole))
    models["Block"] = _any_block(kinds)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Pagehand workflow",
        **_object(_WORKFLOW),
        "definitions": dict(sorted(models.items())),
    }


def _object(schema: Json) -> Json:
    """The schema of a map as it stands in a file: what is empty there is not given."""
    fields: Json = schema.get("properties", {})
    # made from the names of fields: they only repeat them
    untitled = {name: {key: field[key] for key in field if key != "title"} for name, field in fields.items()}
    return allow_null({**schema, "properties": untitled}) if fields else schema


def _any_block(kinds: Registry) -> Json:
    """A block by its kind. With conditions in place of `anyOf`, editors judge by that very kind."""
    names = {name: kind for kind in kinds for name in (kind.type, kind.title)}
    listed = sorted(names)
    return {
        "title": "Block",
        "type": "object",
        "required": ["kind"],
        "properties": {
            "kind": {
                "description": "What the block does.",
                "enum": listed,
                # not of the standard; editors show them beside the choices
                "enumDescriptions": [_purpose(names[name]) for name in listed],
            }
        },
        "allOf": [
            {
                "if": {"properties": {"kind": {"enum": _names(kind)}}, "required": ["kind"]},
                "then": {"$ref": _REFERENCES.format(model=f"{kind.type}Block")},
            }
            for kind in sorted(kinds, key=lambda kind: kind.type)
        ],
    }


def _block(kind: type[Block], whole: Json) -> Json:
    """A block of one kind; `whole` is what the API takes."""
    properties = {word: _field(word, path, whole["properties"]) for word, path in block_words(kind).items()}
    properties["kind"] = {"enum": _names(kind), "description": _purpose(kind)}
    given: list[str] = whole["properties"]["data"].get("required", [])
    needed = [written_field(name, kind) for name in given if not (name == LOGIN_ID and names_login(kind))]
    return {
        "title": kind.title,
        "description": description(kind),
        "type": "object",
        "required": ["kind", *needed, *(["at"] if kind.locator_use == "required" else [])],
        "properties": properties,
        "additionalProperties": False,
    }


def _field(word: str, path: str, envelope: Json) -> Any:
    outer, _, inner = path.partition(".")
    if outer == "data" and word != LOGIN:
        return envelope["data"]["properties"][inner]
    return _WORDS.get(word) or envelope[outer]


def _names(kind: type[Block]) -> list[str]:
    return sorted({kind.type, kind.title})


def _purpose(kind: type[Block]) -> str:
    """The first paragraph about a kind, in one line."""
    return " ".join(description(kind).split("\n\n")[0].split())


_PARAMETER: Final[Json] = {
    "title": "Parameter",
    "type": ["object", "null"],
    "properties": {
        "type": {"enum": list(TYPES), "description": "What it must be; anything without one."},
        "required": {"type": "boolean", "description": "An execution without it is refused."},
        "secret": {
            "type": "boolean",
            "description": "Kept out of events, response, context, summary and analysis.",
        },
        "default": {"description": "What it is where nothing is given."},
        "enum": {
            "type": "array",
            "items": {"type": ["string", "number", "boolean"]},
            "description": "What it may be.",
        },
        "description": {"type": "string", "description": "What it is for."},
    },
    "additionalProperties": False,
}
_WORKFLOW: Final[Json] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {**_NAME, "description": "What the workflow is called."},
        "tags": {"type": "array", "items": {"type": "string", "minLength": 1}, "description": "Its tags."},
        "parameters": {
            "type": ["object", "null"],
            "description": "What it takes, by name.",
            "propertyNames": {"pattern": "^[A-Za-z0-9_-]{1,200}$"},
            "additionalProperties": {"$ref": _REFERENCES.format(model="Parameter")},
        },
        "output": {
            "description": "What becomes the response: a template, or a value with templates in it.",
        },
        "retrySafe": {
            "type": "boolean",
            "description": "It may be repeated automatically although it has sent something.",
        },
        "pictures": {"enum": list(get_args(Pictured)), "description": "Which blocks get a picture."},
        "blocks": {**_BLOCKS, "description": "What it does, in order."},
    },
    "additionalProperties": False,
}

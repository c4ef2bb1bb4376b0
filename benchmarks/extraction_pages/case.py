"""One extraction: a page, what is asked for, and the right answer."""

from dataclasses import dataclass
from typing import Any, Final

Json = dict[str, Any]

REFUSED: Final = object()
"""The right answer where the page does not say it."""

_FORMATS = {"date": "date", "email": "email", "uri": "uri"}


@dataclass(frozen=True, slots=True)
class Case:
    """A page, a schema, and what a person would answer; `page` is `<source>:<path>`."""

    page: str
    schema: Json
    expected: Any
    prompt: str = ""
    locator: Json | None = None
    count: int | None = None
    """How many rows there are where only the first ones are written down."""

    @property
    def name(self) -> str:
        """The page and the properties that are asked for."""
        inner = self.schema.get("items", self.schema)
        return f"{self.page} {'rows ' if 'items' in self.schema else ''}{' '.join(inner['properties'])}"


def record(asked: str) -> Json:
    """`"total!:number note tags:string[]"` as a schema; `!` marks what is required."""
    properties: Json = {}
    required: list[str] = []
    for part in asked.split():
        name, _, kind = part.partition(":")
        if name.endswith("!"):
            name = name[:-1]
            required.append(name)
        properties[name] = _type(kind or "string")
    return {"type": "object", "properties": properties, "required": required}


def rows(asked: str) -> Json:
    """A list of such objects."""
    return {"type": "array", "items": record(asked)}


def _type(kind: str) -> Json:
    if kind.endswith("[]"):
        return {"type": "array", "items": _type(kind[:-2])}
    return {"type": "string", "format": _FORMATS[kind]} if kind in _FORMATS else {"type": kind}

"""What a JSON Schema asks for, as things that can be looked for on a page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

from pagehand.page.extraction.schema import Schema, allows_null, part, settled, types
from pagehand.page.extraction.words import Words, words_of

Shape = Literal["value", "values", "rows", "object"]
ValueKind = Literal["text", "number", "integer", "boolean", "date", "date-time", "email", "link", "image"]

_MOST_WORDS = 5
_DESCRIBED = 0.92
_FORMATS: dict[str, ValueKind] = {"date": "date", "date-time": "date-time", "email": "email"}
_LINK_WORDS, _IMAGE_WORDS = frozenset(("url", "website")), frozenset(("image",))


@dataclass(frozen=True, slots=True)
class Wanted:
    """One property, or the whole."""

    name: str
    shape: Shape
    kind: ValueKind
    schema: Schema
    root: Schema
    is_required: bool = False
    takes_null: bool = False
    choices: tuple[str, ...] = ()

    @property
    def names(self) -> list[tuple[Words, float]]:
        """What it is called, and how much each name is worth."""
        found = [(words_of(self.name), 1.0)] if self.name else []
        if isinstance(title := self.schema.get("title"), str):
            found.append((words_of(title), _DESCRIBED))
        description = re.split(r"[.;,(]", str(self.schema.get("description", "")), maxsplit=1)[0]
        words = words_of(re.sub(r"^\s*(the|a|an)\s+", "", description, flags=re.IGNORECASE))
        # a long description explains, a short one is another name
        if words.literal and len(words.literal) <= _MOST_WORDS:
            found.append((words, _DESCRIBED))
        return found

    @property
    def texts(self) -> list[str]:
        """All its words: name, title, description."""
        return [self.name, str(self.schema.get("title", "")), str(self.schema.get("description", ""))]

    @property
    def bare_names(self) -> list[tuple[Words, float]]:
        """Its names without the words that say it is an address: `product` for `productUrl`."""
        return self._names_without(_LINK_WORDS if self.kind == "link" else _LINK_WORDS | _IMAGE_WORDS)

    @property
    def address_names(self) -> list[tuple[Words, float]]:
        """What an address may be called beside its names: `imageUrl` also `image`."""
        return [*self._names_without(_LINK_WORDS), *self.bare_names]

    def _names_without(self, drop: frozenset[str]) -> list[tuple[Words, float]]:
        bare = [
            (
                [word for word, item in zip(words.literal, words.meaning, strict=True) if item not in drop],
                worth,
            )
            for words, worth in self.names
        ]
        return [(words_of(" ".join(literal)), worth) for literal, worth in bare if literal]


def want(schema: Schema, root: Schema, name: str = "", *, is_required: bool = False) -> Wanted:
    """What a schema asks for."""
    null = allows_null(schema, root)
    plain = settled(schema, root)
    shape = _shape(plain, root)
    inner = settled(part(plain, "items"), root) if shape == "values" else plain
    options = cast("list[Any]", inner.get("enum") or [])
    choices = tuple(option for option in options if isinstance(option, str))
    return Wanted(name, shape, _kind(inner, root, name), plain, root, is_required, null, choices)


def properties(wanted: Wanted) -> list[Wanted]:
    """What an object, or each object of an array, consists of."""
    whole = settled(part(wanted.schema, "items"), wanted.root) if wanted.shape == "rows" else wanted.schema
    required = cast("list[str]", whole.get("required") or [])
    known = part(whole, "properties")
    return [want(part(known, name), wanted.root, name, is_required=name in required) for name in known]


def _shape(schema: Schema, root: Schema) -> Shape:
    named = types(schema, root)
    if "object" in named or (not named and "properties" in schema):
        return "object"
    if "array" in named or (not named and "items" in schema):
        items = settled(part(schema, "items"), root)
        return "rows" if "object" in types(items, root) or "properties" in items else "values"
    return "value"


def _kind(schema: Schema, root: Schema, name: str) -> ValueKind:
    named = types(schema, root)
    for kind in _numeric_or_boolean(named):
        return kind
    wanted = str(schema.get("format", ""))
    if wanted in _FORMATS:
        return _FORMATS[wanted]
    words = words_of(name)
    is_address = words.head in _LINK_WORDS or wanted in ("uri", "url", "uri-reference")
    if words.head in _IMAGE_WORDS or (is_address and set(words.meaning) & _IMAGE_WORDS):
        return "image"
    return "link" if is_address else "text"


def _numeric_or_boolean(named: list[str]) -> Iterator[ValueKind]:
    if "string" in named:
        return
    if "number" in named:
        yield "number"
    elif "integer" in named:
        yield "integer"
    elif "boolean" in named:
        yield "boolean"

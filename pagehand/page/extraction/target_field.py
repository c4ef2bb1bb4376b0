"""What a JSON Schema asks for, as fields that can be looked for on a page."""

import re
from dataclasses import dataclass
from typing import Any, Literal, cast

from pagehand.page.extraction.label_matching import LabelTokens, tokenize_label
from pagehand.page.extraction.schema import Schema, allows_null, subschema, types_of, without_null

Shape = Literal["value", "values", "rows", "object"]
_Text = Literal["party", "phone", "address", "written amount", "written date"]
ValueKind = (
    Literal["text", "number", "integer", "boolean", "date", "date-time", "email", "link", "image"] | _Text
)
"""Those of `_Text` are texts that have to look like what the field is called; a party is one line."""

_ARTICLE = re.compile(r"^\s*(?:the|a|an)\s+", re.IGNORECASE)
_MAX_NAME_WORDS = 5
_DESCRIPTION_WEIGHT = 0.92
_FORMATS: dict[str, ValueKind] = {"date": "date", "date-time": "date-time", "email": "email"}
_NON_STRING_KINDS: tuple[ValueKind, ...] = ("number", "integer", "boolean")
_KINDS_OF_NAMES: dict[str, ValueKind] = {
    "email": "email",
    "phone": "phone",
    "address": "address",
    "price": "written amount",
    "amount": "written amount",
    "date": "written date",
}
_PARTIES = frozenset(("customer", "vendor", "recipient", "sender"))
_OTHER_ADDRESSES = frozenset(("ip", "mac", "wallet", "web", "contract", "memory"))
_LINK_WORDS, _IMAGE_WORDS = frozenset(("url", "website")), frozenset(("image",))


def first_words(description: str) -> str:
    """A description up to its first mark, without its article: what it may call the value."""
    return _ARTICLE.sub("", re.split(r"[.;,(]", description, maxsplit=1)[0]).strip()


@dataclass(frozen=True, slots=True)
class TargetField:
    """One property of a schema, or the whole schema."""

    name: str
    shape: Shape
    kind: ValueKind
    schema: Schema
    root: Schema
    is_required: bool = False
    takes_null: bool = False
    choices: tuple[str, ...] = ()

    @classmethod
    def from_schema(
        cls, schema: Schema, root: Schema, name: str = "", *, is_required: bool = False
    ) -> "TargetField":
        """The field of a schema; `root` is where its references point."""
        null = allows_null(schema, root)
        plain = without_null(schema, root)
        shape = _shape(plain, root)
        item = without_null(subschema(plain, "items"), root) if shape == "values" else plain
        options = cast("list[Any]", item.get("enum") or [])
        choices = tuple(option for option in options if isinstance(option, str))
        return cls(name, shape, _kind(item, root, name), plain, root, is_required, null, choices)

    def properties(self) -> "list[TargetField]":
        """The fields of an object, or of each object of an array."""
        is_array = self.shape == "rows"
        schema = without_null(subschema(self.schema, "items"), self.root) if is_array else self.schema
        required = cast("list[str]", schema.get("required") or [])
        known = subschema(schema, "properties")
        return [
            TargetField.from_schema(subschema(known, name), self.root, name, is_required=name in required)
            for name in known
        ]

    @property
    def names(self) -> list[tuple[LabelTokens, float]]:
        """Its names, each with a weight."""
        found = [(tokenize_label(self.name), 1.0)] if self.name else []
        if isinstance(title := self.schema.get("title"), str):
            found.append((tokenize_label(title), _DESCRIPTION_WEIGHT))
        tokens = tokenize_label(first_words(str(self.schema.get("description", ""))))
        # a long description explains, a short one is another name
        if tokens.literal and len(tokens.literal) <= _MAX_NAME_WORDS:
            found.append((tokens, _DESCRIPTION_WEIGHT))
        return found

    @property
    def texts(self) -> list[str]:
        """Its name, title and description."""
        return [self.name, str(self.schema.get("title", "")), str(self.schema.get("description", ""))]

    @property
    def bare_names(self) -> list[tuple[LabelTokens, float]]:
        """Its names without the words that say it is an address: `product` for `productUrl`."""
        return self._names_without(_LINK_WORDS if self.kind == "link" else _LINK_WORDS | _IMAGE_WORDS)

    @property
    def address_names(self) -> list[tuple[LabelTokens, float]]:
        """Further names of a field that is an address: `image` for `imageUrl`."""
        return [*self._names_without(_LINK_WORDS), *self.bare_names]

    def _names_without(self, drop: frozenset[str]) -> list[tuple[LabelTokens, float]]:
        bare = [
            (
                [
                    word
                    for word, item in zip(tokens.literal, tokens.canonical, strict=True)
                    if item not in drop
                ],
                weight,
            )
            for tokens, weight in self.names
        ]
        return [(tokenize_label(" ".join(literal)), weight) for literal, weight in bare if literal]


def _shape(schema: Schema, root: Schema) -> Shape:
    types = types_of(schema, root)
    if "object" in types or (not types and "properties" in schema):
        return "object"
    if "array" in types or (not types and "items" in schema):
        items = without_null(subschema(schema, "items"), root)
        return "rows" if "object" in types_of(items, root) or "properties" in items else "values"
    return "value"


def _kind(schema: Schema, root: Schema, name: str) -> ValueKind:
    types = types_of(schema, root)
    if "string" not in types:
        for kind in _NON_STRING_KINDS:
            if kind in types:
                return kind
    string_format = str(schema.get("format", ""))
    if string_format in _FORMATS:
        return _FORMATS[string_format]
    tokens = tokenize_label(name)
    is_address = tokens.head in _LINK_WORDS or string_format in ("uri", "url", "uri-reference")
    if tokens.head in _IMAGE_WORDS or (is_address and set(tokens.canonical) & _IMAGE_WORDS):
        return "image"
    if is_address:
        return "link"
    if tokens.head in _PARTIES or (tokens.head == "name" and _PARTIES & set(tokens.canonical)):
        return "party"
    is_plain = not set(tokens.canonical) & _OTHER_ADDRESSES
    return _KINDS_OF_NAMES.get(tokens.head, "text") if is_plain and not schema.get("enum") else "text"

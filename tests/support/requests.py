"""Requests made from the service's own description: every field of every operation, in every wrong way."""

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import jsonschema_rs

Json = dict[str, Any]
Path = tuple[str | int, ...]

_EXAMPLE_ID = re.compile(r"([a-z]+)_01k3v8c2m4e6g8j0n2q4s6t8w0")
_CANDIDATES: tuple[Any, ...] = (
    7,
    -1,
    0,
    1.5,
    10**18,
    True,
    "",
    "no such word",
    "x" * 25_000,
    [],
    [7],
    [None],
    [[]],
    [{}],
    {},
    {"odd": 1},
)


@dataclass(frozen=True)
class Field:
    """One place in a request: how to get there, what may stand there."""

    path: Path
    schema: Json
    is_required: bool

    @property
    def name(self) -> str:
        """The last name on the way."""
        return next(str(part) for part in reversed(self.path) if isinstance(part, str))


class Description:
    """`/openapi.json`, read for the sake of making requests."""

    def __init__(self, document: Json, ids: dict[str, str]) -> None:
        """`ids` has an id to use per prefix, for the examples to work."""
        self._components = document["components"]
        self._ids = ids
        self.operations = {
            path: value["post"] for path, value in document["paths"].items() if "post" in value
        }

    def example(self, path: str) -> Json:
        """The operation's own example, speaking of things that are there."""
        content = self.operations[path]["requestBody"]["content"]["application/json"]
        return cast("Json", self._with_ids(copy.deepcopy(content["example"])))

    def fields(self, path: str) -> list[Field]:
        """Every field of an operation's request, nested ones included."""
        return list(self._below(self._body(path), ()))

    def wrong_values(self, field: Field) -> list[Any]:
        """Values that the description does not allow in this place; null where one is needed."""
        schema = {**field.schema, "components": self._components}
        fits = jsonschema_rs.Draft202012Validator(schema).is_valid
        return [candidate for candidate in _CANDIDATES if not fits(candidate)] + (
            [None] if field.is_required else []
        )

    def request_with(self, path: str, field: Field, value: Any) -> Json:
        """The example with `value` in a field; what is on the way there is made up."""
        body = self.example(path)
        here: Any = body
        schema = self._body(path)
        for at, part in enumerate(field.path):
            schema = self._step(schema, part)
            is_last = at == len(field.path) - 1
            if is_last or _missing(here, part):
                _put(here, part, value if is_last else self._sample(schema))
            here = here[part]
        return body

    def _with_ids(self, value: Any) -> Any:
        if isinstance(value, str) and (found := _EXAMPLE_ID.fullmatch(value)):
            return self._ids[found[1]]
        if isinstance(value, dict):
            return {name: self._with_ids(inner) for name, inner in cast("Json", value).items()}
        if isinstance(value, list):
            return [self._with_ids(inner) for inner in cast("list[Any]", value)]
        return value

    def _body(self, path: str) -> Json:
        return self._plain(self.operations[path]["requestBody"]["content"]["application/json"]["schema"])

    def _plain(self, schema: Json) -> Json:
        """Behind references, and without the choice of null."""
        if "$ref" in schema:
            return self._plain(self._components["schemas"][schema["$ref"].rpartition("/")[2]])
        choices = [item for item in schema.get("anyOf", []) if item != {"type": "null"}]
        return self._plain(choices[0]) if len(choices) == 1 else schema

    def _step(self, schema: Json, part: str | int) -> Json:
        here = self._plain(schema)
        return here["items"] if isinstance(part, int) else here["properties"][part]

    def _below(self, schema: Json, path: Path) -> Iterator[Field]:
        here = self._plain(schema)
        for name, inner in here.get("properties", {}).items():
            yield Field((*path, name), inner, name in here.get("required", []))
            yield from self._below(inner, (*path, name))
        if "items" in here and not isinstance((path or ("",))[-1], int):
            yield Field((*path, 0), here["items"], is_required=True)
            yield from self._below(here["items"], (*path, 0))

    def _sample(self, schema: Json) -> Any:
        here = self._plain(schema)
        if "const" in here or "enum" in here:
            return here.get("const") or here["enum"][0]
        if here.get("type") == "array":
            return []
        if here.get("type") == "object":
            needed = here.get("required", [])
            return {name: self._sample(here["properties"][name]) for name in needed}
        return {"integer": 1, "number": 1, "boolean": True}.get(here.get("type", ""), "sample")


def _missing(here: Any, part: str | int) -> bool:
    if isinstance(part, int):
        return len(here) <= part
    return here.get(part) is None


def _put(here: Any, part: str | int, value: Any) -> None:
    if isinstance(part, int) and len(here) <= part:
        here.append(value)
    else:
        here[part] = value

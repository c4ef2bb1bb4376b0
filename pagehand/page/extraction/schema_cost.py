"""How much work a JSON Schema can make: alternatives and references multiply, a few lines stand for millions.

Checking a value visits every alternative of every alternative, without a way to stop it, so a schema that
could take minutes is refused before it is used.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from pagehand.errors import WorkflowError
from pagehand.page.extraction.schema import Schema, followed

_MOST_SCHEMAS: Final = 2_000
_BESIDE: Final = ("anyOf", "oneOf", "allOf")
_WITHIN: Final = ("not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames")
_NAMED: Final = ("properties", "patternProperties", "dependentSchemas")
_SAME_VALUE: Final = frozenset((*_BESIDE, "not", "if", "then", "else", "dependentSchemas"))


def check_cost(schema: Schema, value: Any = None) -> None:
    """Fail when checking `value` could take more steps than are bearable."""
    count = _Count(schema)
    total = count.of(schema)
    if count.is_recursive and count.alternatives > 1:
        total = max(total, count.alternatives ** _depth(value))
    if total > _MOST_SCHEMAS:
        raise WorkflowError(
            f"`schema` stands for more than {_MOST_SCHEMAS:,} schemas once its alternatives and references "
            "are followed. Say it with fewer of them."
        )


class _Count:
    """Counts what a schema stands for; each part is counted once and remembered."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._known: dict[int, int] = {}
        self._open: set[int] = set()
        self.is_recursive = False
        self.alternatives = 1
        """The most schemas that one and the same value is checked against."""

    def of(self, schema: Schema) -> int:
        """How many schemas it is, itself included; one that leads back to itself counts once."""
        schema = followed(schema, self._root)
        key = id(schema)
        if key in self._open:
            self.is_recursive = True
            return 1
        if key not in self._known:
            self._open.add(key)
            counts = [(word, self.of(inner)) for word, inner in _inner(schema)]
            self._open.discard(key)
            same = sum(number for word, number in counts if word in _SAME_VALUE)
            self.alternatives = max(self.alternatives, min(same, _MOST_SCHEMAS))
            # capped: references double it at every level, so that it would grow into huge numbers
            self._known[key] = min(1 + sum(number for _, number in counts), 10 * _MOST_SCHEMAS)
        return self._known[key]


def _inner(schema: Schema) -> Iterator[tuple[str, Schema]]:
    for word in _BESIDE:
        found = schema.get(word)
        if isinstance(found, list):
            yield from ((word, item) for item in cast("list[Any]", found) if isinstance(item, Mapping))
    for word in _WITHIN:
        found = schema.get(word)
        if isinstance(found, Mapping):
            yield word, cast("Schema", found)
    for word in _NAMED:
        found = schema.get(word)
        if isinstance(found, Mapping):
            named = cast("Mapping[str, Any]", found).values()
            yield from ((word, item) for item in named if isinstance(item, Mapping))


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level := [inner for item in level for inner in _values(item)]:
        depth += 1
    return depth


def _values(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(cast("Mapping[str, Any]", value).values())
    return cast("list[Any]", value) if isinstance(value, list) else []

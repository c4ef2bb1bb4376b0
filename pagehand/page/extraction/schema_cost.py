"""The cost of a JSON Schema: alternatives and references multiply, so a few lines can expand to millions.

Validation visits every alternative of every alternative and cannot be interrupted, so a schema that could
take minutes is refused before it is used.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from pagehand.errors import WorkflowError
from pagehand.page.extraction.schema import Schema, resolve_reference
from pagehand.records import is_array

_MAX_SCHEMAS: Final = 2_000
_BESIDE: Final = ("anyOf", "oneOf", "allOf")
_WITHIN: Final = ("not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames")
_NAMED: Final = ("properties", "patternProperties", "dependentSchemas")
_SAME_VALUE: Final = frozenset((*_BESIDE, "not", "if", "then", "else", "dependentSchemas"))


def check_cost(schema: Schema, value: Any = None) -> None:
    """Fail when validating `value` could take too many steps."""
    counter = _SchemaCounter(schema)
    total = counter.count(schema)
    if counter.is_recursive and counter.alternatives > 1:
        total = max(total, counter.alternatives ** _depth(value))
    if total > _MAX_SCHEMAS:
        raise WorkflowError(
            f"`schema` stands for more than {_MAX_SCHEMAS:,} schemas once its alternatives and references "
            "are followed. Say it with fewer of them."
        )


class _SchemaCounter:
    """Counts the schemas that a schema expands to; each part is counted once."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._known: dict[int, int] = {}
        self._open: set[int] = set()
        self.is_recursive = False
        self.alternatives = 1
        """The most schemas that one value is validated against."""

    def count(self, schema: Schema) -> int:
        """How many schemas it expands to, itself included; a recursive one counts once."""
        schema = resolve_reference(schema, self._root)
        key = id(schema)
        if key in self._open:
            self.is_recursive = True
            return 1
        if key not in self._known:
            self._open.add(key)
            counts = [(word, self.count(inner)) for word, inner in _inner(schema)]
            self._open.discard(key)
            same = sum(number for word, number in counts if word in _SAME_VALUE)
            self.alternatives = max(self.alternatives, min(same, _MAX_SCHEMAS))
            # capped: references double it at every level
            self._known[key] = min(1 + sum(number for _, number in counts), 10 * _MAX_SCHEMAS)
        return self._known[key]


def _inner(schema: Schema) -> Iterator[tuple[str, Schema]]:
    for word in _BESIDE:
        found = schema.get(word)
        if is_array(found):
            yield from ((word, item) for item in found if isinstance(item, Mapping))
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
    return value if is_array(value) else []

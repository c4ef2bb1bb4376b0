"""JSON that every store takes, made of whatever pages, programs, documents and models return."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from itertools import islice
from typing import Any, Final, cast

import orjson

from pagehand.errors import LimitReached
from pagehand.loop import is_large

MOST_DEPTH: Final = 100
"""How deep JSON may be nested."""
_ENTRIES_AT_ONCE: Final = 1000
_SCALARS = (str, int, float, type(None))
_CONTAINERS = (dict, list, tuple, Mapping)
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1
_PLAIN = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_SUBCLASS


def made_storable(value: Any, *, most_bytes: int) -> tuple[Any, int]:
    """`value` as JSON that every store takes, and the length of its JSON text.

    Lone surrogates are replaced, numbers outside 64 bits become text, what is not JSON becomes text. Raises
    LimitReached for what is too large, too deep, or part of itself. What is fine already is not copied.
    """
    if _check_depth(value):
        _check_size(value, most_bytes, {})
    try:
        size = len(orjson.dumps(value, option=_PLAIN))
    # only now: most values are fine, and looking at every part of a large one is slow
    except TypeError:
        value = _cleaned(value)
        size = len(orjson.dumps(value))
    if size > most_bytes:
        raise LimitReached(_too_large(most_bytes))
    return value, size


def json_parts(value: Any, convert: Callable[[Any], Any]) -> Iterator[bytes | memoryview]:
    """The JSON text of a storable value in parts, each converted on its own: all at once are megabytes."""
    if not isinstance(value, dict | list) or not is_large(value):
        yield orjson.dumps(convert(value))
        return
    is_object = isinstance(value, dict)
    yield b"{" if is_object else b"["
    for number, part in enumerate(_split(cast("dict[str, Any] | list[Any]", value))):
        if number:
            yield b","
        if len(part) > 1:
            yield memoryview(orjson.dumps(convert(part)))[1:-1]
            continue
        [entry] = part.items() if isinstance(part, dict) else part
        if is_object:
            yield orjson.dumps(convert(entry[0])) + b":"
        yield from json_parts(entry[1] if is_object else entry, convert)
    yield b"}" if is_object else b"]"


def _split(value: dict[str, Any] | list[Any]) -> Iterator[dict[str, Any] | list[Any]]:
    """Pieces with many entries, or with one where they are large."""
    entries = iter(value.items() if isinstance(value, dict) else value)
    kind = dict[str, Any] if isinstance(value, dict) else list[Any]
    while piece := kind(islice(entries, _ENTRIES_AT_ONCE)):
        if is_large(piece):
            yield from (kind([entry]) for entry in (piece.items() if isinstance(piece, dict) else piece))
        else:
            yield piece


def clean_text(text: str) -> str:
    """`text` with every half of a surrogate pair replaced; two halves that belong together are joined."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _check_depth(value: Any) -> bool:
    """Refuse what is nested too deep, or within itself; True if parts of `value` are in it several times."""
    level: list[Any] = [value] if _is_container(value) else []
    seen: set[int] = set()
    is_shared = False
    for _ in range(MOST_DEPTH):
        inner = [item for entry in level for item in _items(entry) if _is_container(item)]
        if not inner:
            return is_shared
        # each part once: a list that holds itself a thousand times would else grow with every level
        by_id: dict[int, Any] = {id(item): item for item in inner}
        is_shared = is_shared or len(by_id) < len(inner) or not seen.isdisjoint(by_id)
        seen.update(by_id)
        level = list(by_id.values())
    raise LimitReached(f"It is nested more than {MOST_DEPTH} levels deep, which is the limit for JSON.")


def _check_size(value: Any, most_bytes: int, known: dict[int, int]) -> int:
    """At least how long the JSON text is; a part that is there many times is looked at once."""
    if isinstance(value, str):
        return len(value) + 2
    if not _is_container(value):
        return 1
    size = known.get(id(cast("object", value)))
    if size is None:
        size = 1 + sum(1 + _check_size(item, most_bytes, known) for item in _items(value))
        if size > most_bytes:
            raise LimitReached(_too_large(most_bytes))
        known[id(cast("object", value))] = size
    return size


def _too_large(most_bytes: int) -> str:
    return f"It is larger than {most_bytes:,} bytes as JSON, which is the limit."


def _is_container(value: Any) -> bool:
    # asking for an abstract type takes ten times as long, and few values need it
    return not isinstance(value, _SCALARS) and isinstance(value, _CONTAINERS)


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, list | tuple):
        return cast("Iterable[Any]", value)
    return cast("Mapping[Any, Any]", value).values()


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        pairs = cast("Mapping[Any, Any]", value).items()
        return {clean_text(key if isinstance(key, str) else str(key)): _cleaned(item) for key, item in pairs}
    if isinstance(value, list | tuple | set | frozenset):
        return [_cleaned(item) for item in cast("Iterable[Any]", value)]
    if value is None or isinstance(value, bool | int | float):
        return _number(value)
    return clean_text(value.isoformat() if isinstance(value, date) else str(value))


def _number(value: float | None) -> float | str | None:
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, bool) or _SMALLEST <= value <= _LARGEST:
        return value
    try:
        return str(value)
    except ValueError:  # Python writes no more than some thousand decimal digits
        return hex(value)

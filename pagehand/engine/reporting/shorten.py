"""Shortening values for events."""

from collections.abc import Callable
from itertools import islice
from typing import Any, Final

from pagehand.records import is_array, is_object

_MAX_TEXT: Final = 500
_MAX_SECRET: Final = 20_000
_MAX_ITEMS: Final = 20
_MAX_DEPTH: Final = 5


def shorten(value: Any, redact: Callable[[Any], Any]) -> Any:
    """The value with long texts, long lists and deep nesting cut off; `…` stands for what is missing.

    Secrets are taken out before texts are cut to their length: half a secret would not be recognized.
    """
    return _shortened(redact(_cut(value)))


def _cut(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        # long enough that a secret at the cut is whole, short enough that a megabyte is not searched
        return value[: _MAX_TEXT + _MAX_SECRET]
    if depth >= _MAX_DEPTH and isinstance(value, dict | list):
        return "…"
    if is_array(value):
        more = [f"… {len(value) - _MAX_ITEMS} more"] if len(value) > _MAX_ITEMS else []
        return [*(_cut(item, depth + 1) for item in value[:_MAX_ITEMS]), *more]
    if is_object(value):
        entries = islice(value.items(), _MAX_ITEMS)
        rest = {"…": f"{len(value) - _MAX_ITEMS} more"} if len(value) > _MAX_ITEMS else {}
        return {**{name: _cut(entry, depth + 1) for name, entry in entries}, **rest}
    return value


def _shortened(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _MAX_TEXT else value[:_MAX_TEXT] + "…"
    if is_array(value):
        return [_shortened(item) for item in value]
    if is_object(value):
        return {name: _shortened(entry) for name, entry in value.items()}
    return value

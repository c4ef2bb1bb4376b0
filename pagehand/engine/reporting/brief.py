"""Values cut down to what a person reads in an event."""

from collections.abc import Callable
from typing import Any, Final, cast

_LONGEST_TEXT: Final = 500
_LONGEST_SECRET: Final = 20_000
_MOST_ITEMS: Final = 20
_DEEPEST: Final = 5


def brief(value: Any, redact: Callable[[Any], Any]) -> Any:
    """The same value with long texts, long lists and deep nesting cut off; `…` stands for what is missing.

    Secrets are taken out before texts are cut to their length: half a secret would not be recognized.
    """
    return _shortened(redact(_cut(value)))


def _cut(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        return value[: _LONGEST_TEXT + _LONGEST_SECRET]
    if not isinstance(value, dict | list):
        return value
    if depth >= _DEEPEST:
        return "…"
    if isinstance(value, list):
        items = cast("list[Any]", value)
        more = [f"… {len(items) - _MOST_ITEMS} more"] if len(items) > _MOST_ITEMS else []
        return [*(_cut(one, depth + 1) for one in items[:_MOST_ITEMS]), *more]
    entries = list(cast("dict[str, Any]", value).items())
    more = {"…": f"{len(entries) - _MOST_ITEMS} more"} if len(entries) > _MOST_ITEMS else {}
    return {**{name: _cut(one, depth + 1) for name, one in entries[:_MOST_ITEMS]}, **more}


def _shortened(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_TEXT else value[:_LONGEST_TEXT] + "…"
    if isinstance(value, list):
        return [_shortened(one) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {name: _shortened(one) for name, one in cast("dict[str, Any]", value).items()}
    return value

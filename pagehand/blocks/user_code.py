"""Code in blocks: which language it is, and that what it returns is JSON before it becomes an output."""

import math
import re
from collections.abc import Sequence
from typing import Any, Final, cast

from pagehand.errors import LimitReached, WorkflowError
from pagehand.records import is_array, is_object

_COMMENTS: Final = re.compile(r"\s*+(?://[^\n]*+|/\*.*?\*/)", re.DOTALL)
_FUNCTION: Final = re.compile(
    r"\s*+(?:async\s+)?(?:function\b|[A-Za-z_$][\w$]*\s*=>|\([^=]*(?:=[^>][^=]*)*\)\s*=>)"
)


def is_javascript(code: str) -> bool:
    """True for an arrow function or a `function`; anything else is Python."""
    # Python has no `=>` and no statement that begins with `function`
    start = 0
    while comment := _COMMENTS.match(code, start):
        start = comment.end()
    return _FUNCTION.match(code, start) is not None


def json_output(value: Any) -> Any:
    """`value` if it is JSON; `WorkflowError` says where it is not."""
    try:
        return value if _is_json(value) else _checked(value, "the result")
    except RecursionError:
        raise LimitReached("The code returned JSON that is nested too deep.") from None


def _is_json(value: Any) -> bool:
    """Whether it is JSON throughout: a quick look that spares large results the one which knows places."""
    # NaN and infinity are floats to Python, and no JSON
    if isinstance(value, float):
        return math.isfinite(value)
    if value is None or isinstance(value, str | int):
        return True
    if is_array(value):
        return all(map(_is_json, value))
    if isinstance(value, dict):  # of code: its keys may be anything
        items = cast("dict[Any, Any]", value)
        return all(isinstance(key, str) for key in items) and all(map(_is_json, items.values()))
    return False


def _checked(value: Any, at: str) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise WorkflowError(
            f"The code returned {value} in {at}, which is not JSON; return null or text instead."
        )
    if isinstance(value, list | tuple):
        items = cast("Sequence[Any]", value)
        return [_checked(item, f"{at}[{position}]") for position, item in enumerate(items)]
    if is_object(value):
        return {_key(key, at): _checked(item, f"{at}.{key}") for key, item in value.items()}
    if value is None or isinstance(value, str | int | float):
        return value
    raise WorkflowError(f"The code returned a {type(value).__name__} in {at}, which is not JSON.")


def _key(key: Any, at: str) -> str:
    if not isinstance(key, str):
        raise WorkflowError(f"The code returned an object in {at} with the key {key!r}; keys must be text.")
    return key

"""What user code returns must be JSON before it becomes an output."""

import math
from typing import Any, cast

from pagehand.errors import BlockFailed


def json_output(value: Any, at: str = "the result") -> Any:
    """`value` if it is JSON; `BlockFailed` says where it is not."""
    if isinstance(value, float) and not math.isfinite(value):
        raise BlockFailed(
            f"The code returned {value} in {at}, which is no JSON; return null or text instead."
        )
    if isinstance(value, list | tuple):
        return [
            json_output(item, f"{at}[{position}]") for position, item in enumerate(cast(list[Any], value))
        ]
    if isinstance(value, dict):
        return {
            _key(key, at): json_output(item, f"{at}.{key}")
            for key, item in cast(dict[Any, Any], value).items()
        }
    if value is None or isinstance(value, str | int | float):
        return value
    raise BlockFailed(f"The code returned a {type(value).__name__} in {at}, which is no JSON.")


def _key(key: Any, at: str) -> str:
    if not isinstance(key, str):
        raise BlockFailed(f"The code returned an object in {at} with the key {key!r}; keys must be text.")
    return key

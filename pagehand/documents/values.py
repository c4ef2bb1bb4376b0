"""Values to fill in, under the names that documents give them."""

import json
from collections.abc import Mapping
from typing import Any, cast

from pagehand.records import Json


def named_values(values: Mapping[str, Any], path: str = "") -> Json:
    """Nested objects as dotted names: `{"address": {"city": …}}` is `address.city`."""
    found: Json = {}
    for name, value in values.items():
        full = f"{path}{name}"
        if isinstance(value, dict):
            found |= named_values(cast("Json", value), f"{full}.")
        else:
            found[full] = value
    return found


def as_text(value: Any) -> str:
    """As it is shown in a document: nothing for null, a list with commas."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(as_text(item) for item in cast("list[Any]", value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

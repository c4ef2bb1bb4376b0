"""Values to fill into documents, by name and as text."""

import json
from collections.abc import Mapping
from typing import Any, cast

from pagehand.records import Json


def flatten_names(values: Mapping[str, Any], path: str = "") -> Json:
    """Nested objects as dotted names: `{"address": {"city": …}}` is `address.city`."""
    found: Json = {}
    for name, value in values.items():
        full = f"{path}{name}"
        if isinstance(value, dict):
            found |= flatten_names(cast("Json", value), f"{full}.")
        else:
            found[full] = value
    return found


def to_text(value: Any) -> str:
    """A value as a document shows it: empty for null, a list with commas."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(to_text(item) for item in cast("list[Any]", value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

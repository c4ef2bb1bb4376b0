"""JSON objects with any keys: from callers, pages and models."""

from typing import Any, TypeGuard

Json = dict[str, Any]


def is_object(value: Any) -> TypeGuard[Json]:
    """True for a JSON object; narrows the type."""
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """True for a JSON array; narrows the type."""
    return isinstance(value, list)

"""JSON whose keys are not known here: what callers, pages and models give."""

from typing import Any, TypeGuard

Json = dict[str, Any]


def is_object(value: Any) -> TypeGuard[Json]:
    """Whether a JSON value is an object; narrows its type for the type checker."""
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Whether a JSON value is an array; narrows its type for the type checker."""
    return isinstance(value, list)

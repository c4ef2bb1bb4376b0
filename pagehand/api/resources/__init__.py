"""The operations of the API: one module per noun; all that a module defines are served."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagehand.api.operation import Operation


@cache
def operations() -> "tuple[Operation, ...]":
    """Operations of all modules; these are loaded on the first call."""
    return tuple(_discover())


def _discover() -> "Iterator[Operation]":
    # who needs one module alone, such as `pagehand check`, waits for none of the service
    from pagehand.api.operation import Operation  # noqa: PLC0415 - for the reason above

    for found in iter_modules(__path__, f"{__name__}."):
        for value in vars(import_module(found.name)).values():
            # not what it imports from another module
            if isinstance(value, Operation) and value.handler.__module__ == found.name:
                yield value

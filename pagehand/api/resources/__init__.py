"""The operations of the API: one module per noun; all that a module defines are served."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from pagehand.api.operation import Operation


def _discover() -> Iterator[Operation]:
    for found in iter_modules(__path__, f"{__name__}."):
        for value in vars(import_module(found.name)).values():
            # not what it imports from another module
            if isinstance(value, Operation) and value.handler.__module__ == found.name:
                yield value


OPERATIONS: tuple[Operation, ...] = tuple(_discover())

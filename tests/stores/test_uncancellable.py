"""Whoever cancels a caller does not cut a write in two."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from typing import Any

from pagehand import storage
from pagehand.storage import Database


def writing_methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public method of a store that opens a transaction."""
    for info in pkgutil.iter_modules(storage.__path__):
        module = importlib.import_module(f"{storage.__name__}.{info.name}")
        for owner in vars(module).values():
            if not inspect.isclass(owner) or owner.__module__ != module.__name__ or owner is Database:
                continue
            for name, method in vars(owner).items():
                if inspect.isfunction(method) and not name.startswith("_"):
                    source = inspect.getsource(inspect.unwrap(method))
                    if re.search(r"database\.(write|commit|commit_one|execute)\(|\baccept\(", source):
                        yield f"{owner.__name__}.{name}", method


def test_every_method_that_writes_finishes_what_it_began() -> None:
    writing = dict(writing_methods())
    assert len(writing) > 30
    assert [name for name, method in writing.items() if not hasattr(method, "__wrapped__")] == []
